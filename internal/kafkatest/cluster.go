package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// startTimeout bounds a start on a busy machine; an idle one needs 4 s.
const startTimeout = 90 * time.Second

// Cluster is a running cluster of real Kafka servers. Its methods may be called
// from several goroutines, except that one that takes no error back ends the
// test when it fails and so belongs to the test's own.
type Cluster struct {
	t    TB
	spec Spec
	id   string

	root string // everything of the cluster but its logs; goes with the test
	logs string // kept when the test failed

	jars    string
	options []string // of every server's JVM

	nodes          []*node
	zookeeper      *process
	zookeeperPort  int
	ports          ports
	certs          certificates // zero without TLS
	brokerPassword string
	judge          *kgo.Client // seeds are the brokers in the order of the spec
}

// Start starts a cluster and returns when every broker lists all of them in its
// Metadata. It fails the test if that takes more than 90 s, and skips it where
// real Kafka cannot run (see Need) or a broker's volume cannot be mounted.
// Everything is killed when the test ends; the servers' logs are kept, and their
// ends printed, if it failed.
func Start(t TB, s Spec) *Cluster {
	t.Helper()
	Need(t)
	c, err := newCluster(t.TempDir(), logName.ReplaceAllString(t.Name(), "_"), s)
	if errors.Is(err, errNoVolume) {
		t.Skipf("kafka cluster: %v", err)
	}
	if err != nil {
		t.Fatalf("kafka cluster: %v", err)
	}
	c.t = t
	t.Cleanup(c.end)
	archive, err := c.classArchive()
	if err != nil {
		t.Logf("kafka starts without a class archive, some seconds slower: %v", err)
	} else {
		c.options = []string{"-XX:SharedArchiveFile=" + archive}
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	if err := c.up(ctx); err != nil {
		t.Fatalf("kafka %s: %v", c.spec.Version, err)
	}
	return c
}

var logName = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// newCluster lays a cluster out under root, without starting anything. It goes
// with close, also after an error of up.
func newCluster(root, name string, s Spec) (*Cluster, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if strings.Contains(root, ",") { // log.dirs is split there
		return nil, fmt.Errorf("the folder %s has a comma in its name: give the test another name", root)
	}
	store, err := openCache()
	if err != nil {
		return nil, err
	}
	c := &Cluster{spec: s, id: randomUUID(), root: root, nodes: s.nodes()}
	if c.jars, err = store.jars(serverArtifact, s.Version); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(store.root, "logs"), 0o755); err != nil {
		return nil, err
	}
	if c.logs, err = os.MkdirTemp(filepath.Join(store.root, "logs"), name+"-"); err != nil {
		return nil, err
	}
	if err := c.layOut(store); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// layOut gives every node its ports, its properties file and its log dirs.
func (c *Cluster) layOut(store cache) error {
	if err := c.claimPorts(); err != nil {
		return err
	}
	if err := c.secure(); err != nil {
		return err
	}
	if c.spec.Relay {
		if err := c.relayBrokers(); err != nil {
			return err
		}
	}
	formatted, err := c.formattedDir(store)
	if err != nil {
		return err
	}
	for _, n := range c.nodes {
		n.home = filepath.Join(c.root, fmt.Sprintf("node-%d", n.id))
		n.log = filepath.Join(c.logs, fmt.Sprintf("node-%d.log", n.id))
		if err := n.mount(); err != nil {
			return err
		}
		if err := n.format(formatted, c.id); err != nil {
			return err
		}
		if err := os.WriteFile(n.propertiesFile(), propertiesText(c.properties(n)), 0o644); err != nil {
			return err
		}
	}
	c.judge, err = kgo.NewClient(judgeOptions(c.JudgeBootstrap())...)
	return errors.Join(err, c.writeStopScript())
}

func (c *Cluster) claimPorts() error {
	var errs []error
	claim := func() int {
		port, err := c.ports.claim()
		errs = append(errs, err)
		return port
	}
	for _, n := range c.nodes {
		if n.controller {
			n.ports.controller = claim()
		}
		if !n.broker {
			continue
		}
		n.ports.client = claim()
		n.ports.judge = n.ports.client
		if c.spec.Relay || c.spec.Security.on() {
			n.ports.judge = claim()
		}
	}
	if c.spec.ZooKeeper {
		c.zookeeperPort = claim()
	}
	return errors.Join(errs...)
}

// formattedDir is the metadata dir that every node begins with; "" in ZooKeeper
// mode, where brokers format themselves.
func (c *Cluster) formattedDir(store cache) (string, error) {
	if c.spec.ZooKeeper {
		return "", nil
	}
	return store.formatted(c.jars, c.spec.Version, c.spec.Format)
}

// up starts every server and waits until all brokers list each other.
func (c *Cluster) up(ctx context.Context) error {
	if c.spec.ZooKeeper {
		if err := c.startZooKeeper(ctx); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		if err := n.start(c.serverCommand(n)); err != nil {
			return err
		}
	}
	if err := c.waitReady(ctx); err != nil {
		return err
	}
	if err := c.learnID(ctx); err != nil {
		return err
	}
	return c.addScramUsers(ctx)
}

func (c *Cluster) serverCommand(n *node) []string {
	return javaCommand(c.jars, c.options, serverClass, n.propertiesFile())
}

// end is the cleanup of a test.
func (c *Cluster) end() {
	if c.t.Failed() {
		c.reportLogs() // before the end adds its own noise
		c.close()
		return
	}
	c.close()
	os.RemoveAll(c.logs)
}

// close kills everything that the cluster started: all at once, since each wait
// for a process that gives its memory back takes a while.
func (c *Cluster) close() {
	if c.judge != nil {
		c.judge.Close()
	}
	var killed sync.WaitGroup
	for _, n := range c.nodes {
		if p := n.process(); p != nil {
			killed.Go(p.kill)
		}
		if n.relay != nil {
			n.relay.close()
		}
	}
	if c.zookeeper != nil {
		killed.Go(c.zookeeper.kill)
	}
	killed.Wait()
	for _, n := range c.nodes {
		if err := n.unmount(); err != nil && c.t != nil {
			c.t.Logf("%v", err)
		}
	}
	c.ports.release()
}
