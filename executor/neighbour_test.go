package executor

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"drain/reassign"
)

func TestRunsOnOneBrokerExcludeEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, err := lockBrokers(dir, "c/1", []int32{1, 2}, "/one.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockBrokers(dir, "c/1", []int32{3, 2}, "/two.yaml"); !errors.Is(err, ErrJournal) {
		t.Errorf("broker 2 is locked: got %v, want ErrJournal", err)
	}
	// None is kept after a failure, and another cluster is another matter.
	three, err := lockBrokers(dir, "c/1", []int32{3}, "/three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	other, err := lockBrokers(dir, "d", []int32{1}, "/other.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen, err := three.others()
	want := []holder{{1, "/one.yaml", os.Getpid()}, {2, "/one.yaml", os.Getpid()}}
	if err != nil || !slices.Equal(seen, want) {
		t.Errorf("got %+v, %v; want %+v", seen, err, want)
	}
	if err := errors.Join(one.release(), other.release()); err != nil {
		t.Fatal(err)
	}
	if seen, err := three.others(); len(seen) > 0 || err != nil {
		t.Errorf("after their end: %+v, %v", seen, err)
	}
	if err := three.release(); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyOneRunOfAHostStopsABrokerAtATime(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		other := &run{cfg: Config{Runbook: r.rb, Sink: r}, locks: &hostLocks{dir: r.dir, cluster: "rig"}, log: slog.New(slog.DiscardHandler)}
		if err := other.takeTurn(r.Context()); err != nil {
			r.Fatal(err)
		}
		time.AfterFunc(time.Hour, func() {
			if r.runner.stops() > 0 {
				r.Error("a broker was stopped while another run was at it")
			}
			other.yieldTurn()
		})
		if _, err := r.run(); err != nil || r.runner.stops() != 1 || !r.said(EventWait, "another run on this host") {
			r.Errorf("%v, %d stops, waits %q", err, r.runner.stops(), r.texts(EventWait))
		}
	})
}

func TestLeftoverThrottlesAreToldAndKept(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		rate := "5000000"
		if err := r.sim.SetBrokerConfig(2, reassign.LeaderRate, &rate); err != nil {
			r.Fatal(err)
		}
		before := r.sim.State()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
		found := false
		for _, ev := range r.events {
			for _, f := range ev.Findings {
				found = found || f.Risk == "leftover-throttle" && f.Broker == 2
			}
		}
		if !found {
			r.Error("nothing was said of it")
		}
	})
}

// What another run on this host drains is no destination, and it is said.
func TestABrokerThatAnotherRunDrainsReceivesNothing(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		other, err := lockBrokers(r.dir, "rig", []int32{5}, "/other.yaml")
		if err != nil {
			r.Fatal(err)
		}
		defer other.release()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		for _, topic := range r.sim.State().Topics {
			for _, p := range topic.Partitions {
				if holds(p, 5) {
					r.Errorf("%s-%d went to broker 5", topic.Name, p.Number)
				}
			}
		}
		found := false
		for _, ev := range r.events {
			for _, f := range ev.Findings {
				found = found || f.Risk == "another-drain" && f.Broker == 5
			}
		}
		if !found {
			r.Error("nothing was said of the other drain")
		}
	})
}
