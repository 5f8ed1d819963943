package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"drain/executor"
	"drain/internal/kafka"
	"drain/internal/simkafka"
	"drain/plan"
	"drain/runbooks"
)

// target is the cluster that a verb talks to: a real one, or one that is
// simulated in this process. Everything goes through the same client.
type target struct {
	*kafka.Client
	sim *simkafka.Cluster // nil on a real cluster
}

func (s *session) dial(ctx context.Context, rb runbooks.Runbook) (*target, error) {
	t := &target{}
	options := kafka.Options{Bootstrap: rb.Cluster.Bootstrap, ClientID: "drain", Logger: s.log}
	if rb.Cluster.Simulated != "" {
		sim, err := startSimulated(rb.Cluster.Simulated)
		if err != nil {
			return nil, err
		}
		t.sim = sim
		options.Bootstrap, options.Dialer = sim.Bootstrap(), sim.Dial
	}
	if len(options.Bootstrap) == 0 {
		return nil, usageError{"which cluster? Give a runbook, --bootstrap host:port or DRAIN_BOOTSTRAP, or --snapshot FILE where the verb takes it"}
	}
	options.TLS, options.SASL = s.security(rb.Cluster)
	client, err := kafka.Dial(ctx, options)
	if err != nil {
		t.close()
		return nil, err
	}
	t.Client = client
	if err := belongs(rb, t.ClusterID()); err != nil {
		t.close()
		return nil, err
	}
	client.Avoid(rb.Brokers...)
	return t, nil
}

// belongs refuses a cluster that the runbook does not mean.
func belongs(rb runbooks.Runbook, id string) error {
	if want := rb.Cluster.ID; want != "" && want != id {
		return usageError{fmt.Sprintf("cluster.id: the runbook is for cluster %s, and this is %s; check cluster.bootstrap, or which snapshot it is", want, cmp.Or(id, "one without an id"))}
	}
	return nil
}

func (t *target) close() {
	if t.Client != nil {
		t.Client.Close()
	}
	if t.sim != nil {
		t.sim.Close()
	}
}

// snapshot is a picture in which the brokers to be drained are seen in full, and
// all that a plan may ask for.
func (t *target) snapshot(ctx context.Context, rb runbooks.Runbook) (plan.Cluster, error) {
	return t.Snapshot(ctx, executor.PlanRequest(rb).Scope())
}

// startSimulated starts the embedded cluster of that name, or the twin of a
// snapshot file.
func startSimulated(name string) (*simkafka.Cluster, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".json") {
		c, err := readSnapshotFile(name)
		if err != nil {
			return nil, err
		}
		return simkafka.Start(simkafka.FromCluster(c))
	}
	spec, err := simkafka.Named(name)
	if err != nil {
		return nil, usageError{"cluster.simulated: " + err.Error()}
	}
	return simkafka.Start(spec)
}

// security translates how the runbook logs in. The secret is fetched at each
// login, so that one that was changed meanwhile is found.
func (s *session) security(c runbooks.Cluster) (*kafka.TLS, *kafka.SASL) {
	var tls *kafka.TLS
	if c.TLS != nil {
		tls = &kafka.TLS{CAFile: c.TLS.CAFile, CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile, ServerName: c.TLS.ServerName}
	}
	if c.SASL == nil {
		return tls, nil
	}
	return tls, &kafka.SASL{
		Mechanism: c.SASL.Mechanism, Username: c.SASL.Username,
		Secret: func(ctx context.Context) (string, error) { return s.secret(ctx, *c.SASL) },
	}
}

var errNoSecret = errors.New("cluster.sasl: no password: give passwordFile, passwordEnv or passwordCommand")

// dialTCP tells whether something accepts connections at an address.
func dialTCP(ctx context.Context, address string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
