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
		ports := reassign.Ports{Mover: c, Configs: c, Disks: c, Health: c, Coordinators: c, Watch: c, Probe: c}
		return reassign.New(ports, in.Ledger, in.Debts, options, in.Report)
	}
}

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
