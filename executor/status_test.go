package executor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/runbooks"
)

func TestStatusTellsWhereARunStands(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		if s, err := ReadStatus(r.Context(), Config{Runbook: r.rb, Path: "/runbooks/broker-1.yaml", StateDir: r.dir}); err != nil || s.Found {
			r.Errorf("before any run: %+v, %v", s, err)
		}
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		s, err := r.status()
		if err != nil {
			r.Fatal(err)
		}
		if !s.Found || s.Alive || s.Ended != "" || s.Next != runbooks.Check || s.Moves != 6 || len(s.InFlight) == 0 || len(s.Owed) == 0 {
			r.Errorf("after an interrupt: %+v", s)
		}
		if got := s.Steps[2]; got.Kind != runbooks.Move || got.State != "begun" {
			r.Errorf("the move is %+v", got)
		}
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		s, err = r.status()
		if err != nil || s.Ended != "done" || s.MovesDone != s.Moves || len(s.InFlight) > 0 || len(s.Differences) > 0 || !slices.Equal(s.Done.Stopped, []int32{1}) {
			r.Errorf("after the end: %+v, %v", s, err)
		}
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		s, err = r.status()
		if want := []string{"broker 1 was stopped, and is alive"}; err != nil || !slices.Equal(s.Differences, want) {
			r.Errorf("differences %q, %v; want %q", s.Differences, err, want)
		}
	})
}

// A login without the rights to look hid the journal, which needs none.
func TestStatusSaysWhatOfTheClusterCouldNotBeRead(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		client := r.dial()
		defer client.Close()
		cfg := r.config(client)
		blind := &deaf{Observer: cfg.Observer}
		blind.how.Store(true)
		cfg.Observer = blind
		s, err := ReadStatus(r.Context(), cfg)
		if err != nil || !s.Found || s.Moves != 6 || len(s.Owed) == 0 || !slices.Equal(s.Unread, []string{"the cluster: " + errDeaf.Error()}) {
			r.Errorf("nothing can be read: %+v, %v", s, err)
		}
		if err := r.sim.HideTopic("pay", true); err != nil {
			r.Fatal(err)
		}
		s, err = r.status()
		if err != nil || len(s.Unread) == 0 || !strings.Contains(s.Unread[0], "hidden-topic: ") {
			r.Errorf("a topic is hidden: %q, %v", s.Unread, err)
		}
		if _, err := ReadStatus(ctx, cfg); !errors.Is(err, errDeaf) {
			r.Errorf("interrupted: %v", err)
		}
	})
}
