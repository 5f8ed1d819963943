package reassign

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRamp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		age        time.Duration
		rate, want int64
	}{
		{0, 1_500_000, 136_363},
		{999 * time.Millisecond, 1_500_000, 136_363},
		{time.Second, 1_500_000, 272_727},
		{9999 * time.Millisecond, 1_500_000, 1_363_636},
		{10 * time.Second, 1_500_000, 1_500_000},
		{48 * time.Hour, 1_500_000, 1_500_000},
		{0, 1, 1},
		{0, 1_100_000_000_000, 100_000_000_000},
	} {
		if got := ramp(c.rate, c.age); got != c.want {
			t.Errorf("%d after %v: got %d, want %d", c.rate, c.age, got, c.want)
		}
	}
}

// However fast the links are, a broker sends evenly from the start: it never
// pauses for longer than a step of the ramp and a look while it has copies to
// feed, and over any fifteen seconds it stays under 1.2 of its throttle.
func TestCopiesFlowEvenly(t *testing.T) {
	play(t, 5, func(s *scene) {
		const rate = 1e6
		for i := range int32(12) {
			s.moves("log", i, 5e6, 3, 1+i%2, 3)
		}
		var sent []float64 // at each step of the model, of 50 ms at most
		var at []time.Time
		var total, last float64
		moved := time.Now()
		s.watch = func() {
			total = 0
			for _, p := range s.parts {
				for _, b := range p.replicas {
					total += p.copied[b]
				}
			}
			busy := false
			for _, p := range s.parts {
				busy = busy || len(p.adding) > 0
			}
			now := s.model.last
			if total > last || !busy {
				moved = now
			}
			if pause := now.Sub(moved); pause > 2500*time.Millisecond {
				s.Fatalf("nothing was copied for %v", pause)
			}
			last = total
			sent, at = append(sent, total), append(at, now)
			from := 0
			for now.Sub(at[from]) > 15*time.Second {
				from++
			}
			if over := total - sent[from]; over > 1.2*15*rate {
				s.Fatalf("%.1f MB within 15 s", over/1e6)
			}
		}
		if err := s.driver(Options{BytesPerSec: rate}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// What stands is not lowered for the ramp, be it our own of a run before or
// what an operator has set; what an operator has set is not exceeded either.
func TestASoftRate(t *testing.T) {
	t.Parallel()
	ours := Debt{Resource: OfBroker(1), Key: LeaderRate, Set: "1000", Was: []string{"200"}}
	for _, c := range []struct {
		name  string
		value string // empty: none
		owed  bool
		soft  int64
		want  ruling
	}{
		{"nothing stands", "", false, 200, ruling{set: "200", stands: 200}},
		{"it has risen so far", "200", true, 200, ruling{stands: 200}},
		{"it rises", "200", true, 400, ruling{set: "400", stands: 400}},
		{"it has risen wholly", "200", true, 1000, ruling{set: "1000", stands: 1000}},
		{"a run before has risen", "1000", true, 200, ruling{stands: 1000}},
		{"an operator's lower rate stays", "300", false, 200, ruling{stands: 300, yielded: true}},
		{"an operator has set the same", "1000", false, 200, ruling{stands: 1000}},
		{"an operator's higher rate is replaced", "9000", false, 200, ruling{set: "200", stands: 200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have := broker()
			if c.value != "" {
				have = broker(Entry{Key: LeaderRate, Value: c.value, Layer: DynamicBroker})
			}
			got := ruleRate(have, LeaderRate, 1000, ours, c.owed, false).softly(c.soft, have, LeaderRate, ours, c.owed)
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// A rate that rises is told once; that it goes on rising is no news.
func TestARiseIsToldOnce(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("log", 0, 15e6, 3, 1, 3)
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		var said []string
		for _, text := range s.said(Owed) {
			if strings.Contains(text, LeaderRate) {
				said = append(said, text)
			}
		}
		want := []string{"set broker 3 leader.replication.throttled.rate to 90909, which rises to 1000000 within 11 s"}
		if !slices.Equal(said, want) {
			s.Errorf("got %q, want %q", said, want)
		}
		s.done()
	})
}
