package kafkatest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const terminate = syscall.SIGTERM

// ClusterID is the id that Metadata shows; random for each cluster.
func (c *Cluster) ClusterID() string { return c.id }

// Bootstrap lists host:port of every broker's client listener, in the order of
// the spec, whether the broker is up or not.
func (c *Cluster) Bootstrap() []string {
	var addresses []string
	for _, id := range c.Brokers() {
		addresses = append(addresses, c.BootstrapOf(id))
	}
	return addresses
}

// BootstrapOf is host:port of one broker's client listener.
func (c *Cluster) BootstrapOf(id int32) string { return loopback(c.node(id).advertisedPort()) }

// JudgeBootstrap lists the listeners that are in plain text, never relayed and
// of unlimited rights: for a test's own look at the cluster. Without security
// and relay they are the same as Bootstrap.
func (c *Cluster) JudgeBootstrap() []string {
	var addresses []string
	for _, id := range c.Brokers() {
		addresses = append(addresses, loopback(c.node(id).ports.judge))
	}
	return addresses
}

// Brokers lists the ids of the brokers, in the order of the spec.
func (c *Cluster) Brokers() []int32 { return c.ids(func(n *node) bool { return n.broker }) }

// Controllers lists the ids of the quorum voters; none in ZooKeeper mode.
func (c *Cluster) Controllers() []int32 { return c.ids(func(n *node) bool { return n.controller }) }

func (c *Cluster) ids(fits func(*node) bool) []int32 {
	var ids []int32
	for _, n := range c.nodes {
		if fits(n) {
			ids = append(ids, n.id)
		}
	}
	return ids
}

// PID is the process id of a node's last process, also when it has ended.
func (c *Cluster) PID(id int32) int { return c.node(id).process().pid() }

// Dir is the first log dir of a node; Dirs are all.
func (c *Cluster) Dir(id int32) string { return c.node(id).dirs()[0] }

// Dirs are the log dirs of a node, in the order of its log.dirs property.
func (c *Cluster) Dirs(id int32) []string { return c.node(id).dirs() }

// Log is the file that a node's standard output and error go to.
func (c *Cluster) Log(id int32) string { return c.node(id).log }

// Alive tells whether the node's process runs; a stopped (SIGSTOP) one does.
func (c *Cluster) Alive(id int32) bool { return c.node(id).alive() }

// Kill ends a node with SIGKILL and waits until the process is gone. The rest of
// the cluster learns of it when the session times out, after about 3 s.
func (c *Cluster) Kill(id int32) {
	c.t.Helper()
	c.mustSignal(id, syscall.SIGKILL)
	if err := c.WaitExit(id, 10*time.Second); err != nil {
		c.t.Fatalf("%v", err)
	}
}

// Term asks a node to stop (SIGTERM: controlled shutdown) and does not wait.
func (c *Cluster) Term(id int32) {
	c.t.Helper()
	c.mustSignal(id, terminate)
}

// Stop freezes a node with SIGSTOP: its connections stay open and say nothing.
func (c *Cluster) Stop(id int32) {
	c.t.Helper()
	c.mustSignal(id, syscall.SIGSTOP)
	c.node(id).paused.Store(true)
}

// Cont lets a node go on after Stop.
func (c *Cluster) Cont(id int32) {
	c.t.Helper()
	c.mustSignal(id, syscall.SIGCONT)
	c.node(id).paused.Store(false)
}

func (c *Cluster) mustSignal(id int32, sig syscall.Signal) {
	c.t.Helper()
	if err := c.signal(id, sig); err != nil {
		c.t.Fatalf("%v", err)
	}
}

func (c *Cluster) signal(id int32, sig syscall.Signal) error {
	if err := c.node(id).process().signal(sig); err != nil {
		return fmt.Errorf("signal %v to node %d: %w", sig, id, err)
	}
	return nil
}

// Restart starts a node again with its old folder and ports. One that still runs
// is stopped with SIGTERM first. It does not wait for the cluster: see
// WaitBrokers.
func (c *Cluster) Restart(id int32) {
	c.t.Helper()
	n := c.node(id)
	if n.alive() {
		c.Term(id)
		if err := c.WaitExit(id, time.Minute); err != nil {
			c.t.Fatalf("%v", err)
		}
	}
	n.paused.Store(false)
	if err := n.start(c.serverCommand(n)); err != nil {
		c.t.Fatalf("restart node %d: %v", id, err)
	}
}

// WaitExit waits until a node's process is gone, and says so if it is not within
// the timeout.
func (c *Cluster) WaitExit(id int32, timeout time.Duration) error {
	if !c.node(id).process().wait(timeout) {
		return fmt.Errorf("node %d still runs after %v", id, timeout)
	}
	return nil
}

// StopCommand is an argv that stops one broker from outside with SIGTERM, as a
// site's stop command would, and does not wait for its end. The first word is a
// program that stays the same over restarts, the second the broker's id, where a
// runbook writes {broker}. Each run leaves a mark, see StopRuns.
func (c *Cluster) StopCommand(id int32) []string {
	return []string{c.stopScript(), strconv.Itoa(int(c.node(id).id))}
}

// StopRuns tells how often the stop command ran for a broker.
func (c *Cluster) StopRuns(id int32) int {
	marks, _ := os.ReadFile(c.stopMarks(id)) // no file: never
	return len(marks)
}

func (c *Cluster) stopScript() string { return filepath.Join(c.root, "stop-broker") }

func (c *Cluster) stopMarks(id int32) string { return filepath.Join(c.node(id).home, "stops") }

// writeStopScript makes the program of StopCommand. One printf of one byte to a
// file opened for appending is a mark that concurrent runs cannot lose.
func (c *Cluster) writeStopScript() error {
	text := fmt.Sprintf(`#!/bin/sh
set -eu
cd '%s/node-'"$1"
printf . >>stops
exec kill -TERM "$(cat pid)"
`, c.root)
	return os.WriteFile(c.stopScript(), []byte(text), 0o755)
}

// Client makes a client of the judge's listeners, closed when the test ends.
func (c *Cluster) Client(opts ...kgo.Opt) *kgo.Client {
	c.t.Helper()
	cl, err := kgo.NewClient(append(judgeOptions(c.JudgeBootstrap()), opts...)...)
	if err != nil {
		c.t.Fatalf("client: %v", err)
	}
	c.t.Cleanup(cl.Close)
	return cl
}

// judgeOptions keep a client's view of the cluster fresh.
func judgeOptions(seeds []string) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(seeds...),
		kgo.MetadataMinAge(100 * time.Millisecond),
		kgo.RetryTimeout(20 * time.Second),
	}
}

// node finds a node by its id; an unknown one is a mistake in the test.
func (c *Cluster) node(id int32) *node {
	for _, n := range c.nodes {
		if n.id == id {
			return n
		}
	}
	panic(fmt.Sprintf("kafkatest: no node %d in this cluster", id))
}

// context bounds a helper that talks to the cluster.
func (c *Cluster) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.t.Context(), time.Minute)
}
