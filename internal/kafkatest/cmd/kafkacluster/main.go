// Command kafkacluster starts a cluster of real Kafka brokers on loopback, for
// people who try the product by hand. When all brokers answer it prints one line
// of JSON that says where they are; it stops everything on SIGINT, SIGTERM or the
// end of its standard input.
//
//	go run ./internal/kafkatest/cmd/kafkacluster -brokers 5 -racks a,b,c
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"drain/internal/kafkatest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	h := &host{ctx: ctx}
	h.run(func() {
		c := kafkatest.Start(h, specFromFlags())
		if err := json.NewEncoder(os.Stdout).Encode(describe(c)); err != nil {
			h.Fatalf("%v", err)
		}
		waitForEnd(ctx)
	})
	if h.failed {
		os.Exit(1)
	}
}

func specFromFlags() kafkatest.Spec {
	brokers := flag.Int("brokers", 3, "how many brokers, with the ids from 1")
	racks := flag.String("racks", "", "racks dealt out to the brokers in turn, such as a,b,c")
	spec := kafkatest.Spec{Config: map[string]string{}}
	flag.StringVar(&spec.Version, "version", kafkatest.DefaultVersion, "release of Kafka")
	flag.IntVar(&spec.Controllers, "controllers", 1, "quorum voters: 1 or 3")
	flag.BoolVar(&spec.Combined, "combined", false, "let the first brokers be the controllers")
	flag.BoolVar(&spec.ZooKeeper, "zookeeper", false, "ZooKeeper instead of controllers (before 4.0)")
	flag.Func("config", "a server property of every node, KEY=VALUE; may be repeated", func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("want KEY=VALUE")
		}
		spec.Config[key] = value
		return nil
	})
	flag.Parse()
	if *racks == "" {
		spec.Brokers = kafkatest.Brokers(*brokers)
	} else {
		spec.Brokers = kafkatest.Brokers(*brokers, strings.Split(*racks, ",")...)
	}
	return spec
}

// description is the line of JSON.
type description struct {
	ClusterID   string   `json:"clusterId"`
	Bootstrap   []string `json:"bootstrap"`
	Brokers     []server `json:"brokers"`
	Controllers []server `json:"controllers"`
	StopCommand []string `json:"stopCommand"` // with a runbook's placeholder
}

type server struct {
	ID      int32  `json:"id"`
	PID     int    `json:"pid"`
	Address string `json:"address,omitempty"`
	LogDir  string `json:"logDir"`
	Output  string `json:"output"`
}

func describe(c *kafkatest.Cluster) description {
	d := description{ClusterID: c.ClusterID(), Bootstrap: c.Bootstrap()}
	for _, id := range c.Brokers() {
		d.Brokers = append(d.Brokers, server{id, c.PID(id), c.BootstrapOf(id), c.Dir(id), c.Log(id)})
	}
	for _, id := range c.Controllers() {
		d.Controllers = append(d.Controllers, server{ID: id, PID: c.PID(id), LogDir: c.Dir(id), Output: c.Log(id)})
	}
	d.StopCommand = []string{c.StopCommand(c.Brokers()[0])[0], "{broker}"}
	return d
}

// waitForEnd waits for a signal or the end of standard input.
func waitForEnd(ctx context.Context) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = io.Copy(io.Discard, os.Stdin) // an error ends it as well
	}()
	select {
	case <-ctx.Done():
	case <-closed:
	}
}
