package executor

import (
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"drain/internal/simkafka"
)

// A broker that was drained, stopped, and started again without a restore is
// still cordoned. The second run found nothing to cordon and put the journal
// with the debt aside: no verb could lift the cordon any more.
func TestASecondRunTakesTheCordonOfTheFirstOver(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		for range 2 {
			r.maintained()
		}
		done, err := r.restore(r.Context())
		if err != nil || len(done.Owed)+len(done.Cordoned) > 0 {
			r.Fatalf("%v, done %+v", err, done)
		}
		if !r.said(EventWarn, "not yet the 6 moves of that of 2000-01-01") {
			r.Errorf("nothing was said of the first run: %q", r.texts(EventWarn))
		}
		for i, b := range r.sim.State().Brokers {
			if len(b.Configs) != len(before.Brokers[i].Configs) {
				r.Errorf("broker %d has %v, and had %v", b.ID, b.Configs, before.Brokers[i].Configs)
			}
		}
	})
}

// Two drains with no restore between them: what the first had moved could not be
// put back any more, and nobody was told.
func TestRestoresPutBackOneRunAfterTheOther(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook+"cordon: off\n", func(r *rig) {
		want := assignment(r.sim.State())
		drain := func() {
			r.maintained()
		}
		drain()
		late := simkafka.Topic{Name: "late", Partitions: []simkafka.Partition{{Replicas: []int32{1}, Bytes: 1 << 20}}}
		if err := r.sim.CreateTopic(late); err != nil {
			r.Fatal(err)
		}
		drain()
		for _, want := range []int{1, 0} {
			client := r.dial()
			_, waiting, err := Restore(r.Context(), r.config(client))
			client.Close()
			if err != nil || waiting != want {
				r.Fatalf("%v, %d runs wait, want %d", err, waiting, want)
			}
			if now := assignment(r.sim.State()); !slices.Contains(now, "late-0 [1] [] map[]") {
				r.Errorf("late-0 is not back: %q", now)
			}
		}
		for _, l := range want {
			if now := assignment(r.sim.State()); !slices.Contains(now, l) {
				r.Errorf("%s is not back: %q", l, now)
			}
		}
		if !r.said(EventWarn, "not yet the 6 moves of that of 2000-01-01") {
			r.Errorf("nothing was said of the first run: %q", r.texts(EventWarn))
		}
		if _, err := r.restore(r.Context()); err != nil || !r.said(EventSkip, "nothing to restore") {
			r.Errorf("a third restore: %v, said %q", err, r.texts(EventSkip))
		}
	})
}

// A damaged journal of long ago, or one of a newer drain, let every later run fail
// in its cordon step, after consent; and no run before it or after it could be
// restored.
func TestAnOldJournalThatCannotBeReadStopsNoRun(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		drain := func() {
			r.maintained()
		}
		drain()
		drain()
		first := r.damageOldest()
		drain()
		if r.said(EventWarn, first) {
			r.Errorf("a run read more than the journal of the one before it: %q", r.texts(EventWarn))
		}
		if _, err := r.restore(r.Context()); err != nil || !r.said(EventWarn, first+": line 1: ") {
			r.Fatalf("%v, said %q; want a word of %s", err, r.texts(EventWarn), first)
		}
		if _, err := r.restore(r.Context()); err != nil { // of the second run
			r.Fatal(err)
		}
		_, err := r.restore(r.Context()) // what there may be to do nobody can tell
		r.wants(err, ErrJournal, first, "move it away if it is not needed")
		drain()
		if !r.said(EventWarn, "what that run left cordoned is not known") {
			r.Errorf("nothing was said: %q", r.texts(EventWarn))
		}
	})
}

// damageOldest makes the journal of the first run one that cannot be read.
func (r *rig) damageOldest() (path string) {
	r.Helper()
	paths, err := r.files().closed()
	if err != nil || len(paths) == 0 {
		r.Fatalf("no dated journal (%v)", err)
	}
	path = paths[len(paths)-1]
	if err := os.WriteFile(path, []byte("{\"version\":2}\n"), 0o600); err != nil {
		r.Fatal(err)
	}
	return path
}

// A run that is refused in between moves nothing; what the one before it moved
// can be put back all the same.
func TestARestorePassesOverRunsThatMovedNothing(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.maintained()
		command := r.rb.Stop.Command
		r.rb.Stop.Command = []string{"stop-everything"}
		_, err := r.run()
		r.wants(err, ErrRefused, "unbound-stop")
		r.rb.Stop.Command = command
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
	})
}

// A list that holds a cordoned broker is refused (4.4), and so was the order
// before the drain as long as the cordon stood.
func TestTakingMovesBackLiftsTheCordonBeforeTheOrderIsPutRight(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(*rig) error{
		"cancel": func(r *rig) error {
			client := r.dial()
			defer client.Close()
			_, _, err := Cancel(r.Context(), r.config(client))
			return err
		},
		"cleanup --cancel": func(r *rig) error {
			_, err := r.cleanup(true)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := slow()
			spec.Topics = spec.Topics[1:] // lists with an order
			for i := range spec.Topics[0].Partitions {
				spec.Topics[0].Partitions[i].Bytes *= 10 // none ends before the death
			}
			simulate(t, spec, plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.dieAfterTime(10 * time.Second)
				if _, err := r.run(); err == nil {
					r.Fatal("it outlived its death")
				}
				r.disk = nil
				if err := back(r); err != nil {
					r.Fatal(err)
				}
				r.untouched(before)
			})
		})
	}
}

// dieAfterTime makes the next process die while it waits: it writes nothing any
// more and reaches nobody.
func (r *rig) dieAfterTime(d time.Duration) {
	var dead atomic.Bool
	r.disk = func(name string, flag int, perm os.FileMode) (file, error) {
		f, err := openFile(name, flag, perm)
		return &mortal{f, &dead}, err
	}
	time.AfterFunc(d, func() { dead.Store(true); r.death() })
}
