package main

import (
	"context"
	"net"
	"slices"

	"drain/executor"
	"drain/internal/kafka"
	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// observer is the adapter in the executor's words.
type observer struct {
	*kafka.Client
	sizes bool // of every log: helper moves may be planned
}

func (o observer) Snapshot(ctx context.Context, s executor.Scope) (plan.Cluster, error) {
	c, err := o.Client.Snapshot(ctx, kafka.Scope{Brokers: s.Brokers, Via: s.Via, Space: s.Space, Sizes: o.sizes})
	if err != nil || !s.Space {
		return c, err
	}
	rights, err := o.Rights(ctx) // a plan is made from this picture
	c.Notes = append(c.Notes, missingRights(rights, &c, s.Brokers)...)
	return c, err
}

// watch is the adapter as the circuit breaker asks it: everything that says what
// is healthy, and no disks.
type watch struct{ *kafka.Client }

func (w watch) Look(ctx context.Context) (plan.Cluster, error) {
	return w.Snapshot(ctx, kafka.Scope{Via: -1})
}

// mover is the driver in the executor's words.
type mover struct {
	*reassign.Driver
}

// Settle gives back what covers no move in flight.
func (m mover) Settle(ctx context.Context) error { return m.Driver.Settle(ctx) }

// newMover makes drivers that talk to the cluster as the runbook says.
func newMover(c *kafka.Client, rb runbooks.Runbook) func(executor.MoverInput) executor.Mover {
	return func(in executor.MoverInput) executor.Mover {
		options := reassign.Options{
			BytesPerSec: in.BytesPerSec, MaxInFlight: rb.MaxInFlight, MaxInFlightPerBroker: rb.MaxInFlightPerBroker,
			Poll: rb.Poll, StallAfter: rb.StallAfter, WaitForForeign: rb.WaitForForeign,
			AcceptForeignThrottle: accepts(rb, "foreign-throttle"),
			ForgetHiddenThrottle:  accepts(rb, "hidden-throttle"),
			Adaptive:              rb.Throttle.Adaptive,
			DiskHeadroom:          rb.DiskHeadroom,
			ZooKeeper:             c.Mode() == plan.ZooKeeper,
			Own:                   in.Own,
			Start:                 in.Start,
			Replan:                in.Replan,
		}
		ports := reassign.Ports{Mover: c, Configs: c, Disks: c, Health: c, Coordinators: c, Watch: watch{c}, Probe: c}
		return mover{reassign.New(ports, in.Ledger, in.Debts, options, in.Report)}
	}
}

// helpers says that moves which only make room may be planned.
func helpers(rb runbooks.Runbook) bool { return accepts(rb, "helper-moves") }

func accepts(rb runbooks.Runbook, risk string) bool { return slices.Contains(rb.AcceptRisks, risk) }

// dialTCP tells whether something accepts connections at an address.
func dialTCP(ctx context.Context, address string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
