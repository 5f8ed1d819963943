package kafkatest

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

const terminate = syscall.SIGTERM

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
