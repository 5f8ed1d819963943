package kafkatest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// node is one Kafka server: a broker, a controller, or both.
type node struct {
	id                 int32
	broker, controller bool
	rack               string
	logDirs            int
	volume             int64 // bytes; 0: none of its own
	config             map[string]string

	home  string // holds server.properties and the log dirs
	log   string // the file that its output goes to
	ports nodePorts
	relay *Relay // nil without one

	paused atomic.Bool // frozen by Stop

	mu   sync.Mutex // guards proc; tests restart brokers from goroutines of their own
	proc *process
}

// nodePorts are where a node listens; 0 where it does not.
type nodePorts struct {
	client     int // what Bootstrap names; relayed if there is a relay
	judge      int // plain text, never relayed; the same as client where that is so too
	controller int
}

// dirs are the node's log dirs. The first also holds the metadata log.
func (n *node) dirs() []string {
	var dirs []string
	for i := range n.logDirs {
		dirs = append(dirs, filepath.Join(n.home, fmt.Sprintf("data-%d", i)))
	}
	return dirs
}

func (n *node) propertiesFile() string { return filepath.Join(n.home, "server.properties") }

// process is the last one started, or nil.
func (n *node) process() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.proc
}

func (n *node) alive() bool {
	p := n.process()
	return p != nil && p.alive()
}

// answers tells whether the node runs and is not frozen.
func (n *node) answers() bool { return n.alive() && !n.paused.Load() }

// start runs the node's server, appending its output to its log.
func (n *node) start(argv []string) error {
	out, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close() // the child has its own descriptor
	p, err := startProcess(n.home, argv, out, out)
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.proc = p
	n.mu.Unlock()
	return os.WriteFile(filepath.Join(n.home, "pid"), fmt.Append(nil, p.pid()), 0o644)
}
