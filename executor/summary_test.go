package executor

import (
	"testing"
	"time"

	"drain/plan"
	"drain/runbooks"
)

func TestAPlanInOneLine(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]plan.Plan{
		"0 moves, 0 B":   {},
		"1 move, 999 B":  {Totals: plan.Totals{Moves: 1, Bytes: 999}},
		"2 moves, 1 kB":  {Totals: plan.Totals{Moves: 2, Bytes: 1000}},
		"20 moves, 1 GB": {Totals: plan.Totals{Moves: 20, Bytes: 999_950_000}},
		"20 moves, 109 MB, 1 replica stays": {
			Totals: plan.Totals{Moves: 20, Bytes: 108_950_000}, Left: make([]plan.TopicPartition, 1)},
		"3 moves, 9.22 EB, 2 replicas stay": {
			Totals: plan.Totals{Moves: 3, Bytes: 1<<63 - 1}, Left: make([]plan.TopicPartition, 2)},
	} {
		if got := summary(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A topic that was deleted meanwhile was counted among what had been moved.
func TestWhatWasMovedIsCountedNotWhatWasPlanned(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		time.AfterFunc(15*time.Second, func() {
			if err := r.sim.DeleteTopic("pay"); err != nil {
				r.Error(err)
			}
		})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		h, end := fold(r.records()), ""
		for _, rec := range r.records() {
			if rec.Kind == KindEnd && rec.Name == runbooks.Move {
				end = rec.Text
			}
		}
		if len(h.moved) >= len(h.moves) {
			r.Fatalf("%d of %d moves were made, want fewer", len(h.moved), len(h.moves))
		}
		if want := "moved: 2 moves, 419 MB"; end != want {
			r.Errorf("got %q, want %q", end, want)
		}
	})
}

// plansAddUp fails the test unless every plan that was told or written down counts
// the moves that it has, and no others.
func (r *rig) plansAddUp() {
	r.Helper()
	for _, ev := range r.events {
		if p := ev.Plan; p != nil && summary(*p) != summary(plan.Plan{Left: p.Left, Totals: totalsOf(p.Moves)}) {
			r.Errorf("a plan of %d moves is told as %q", len(p.Moves), ev.Text)
		}
	}
	rounds, texts := map[int]plan.Plan{}, map[int]string{}
	for _, rec := range r.records() {
		if rec.Kind != KindPlan {
			continue
		}
		p := rounds[rec.Plan.Round]
		for _, m := range rec.Plan.Moves {
			p.Moves = append(p.Moves, m.move())
		}
		p.Left = append(p.Left, make([]plan.TopicPartition, len(rec.Plan.Left))...)
		rounds[rec.Plan.Round], texts[rec.Plan.Round] = p, rec.Text
	}
	if len(rounds) == 0 {
		r.Error("no plan was written down")
	}
	for round, p := range rounds {
		if want := summary(plan.Plan{Left: p.Left, Totals: totalsOf(p.Moves)}); texts[round] != want {
			r.Errorf("plan %d is written down as %q, want %q", round, texts[round], want)
		}
	}
}
