package reassign

import (
	"context"
	"errors"
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

func TestARateStaysWithinItsThrottle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ throttle, want int64 }{
		{0, 0},
		{1, 1},
		{100_000, 95_000},
		{1_000_000, 950_000},
		{1_500_000, 1_430_095}, // a fetch in 15 s less
		{2_330_000, 2_260_095},
		{2_331_000, 2_331_000}, // as it was written
		{200_000_000, 200_000_000},
	} {
		if got := within(c.throttle); got != c.want {
			t.Errorf("%d: got %d, want %d", c.throttle, got, c.want)
		}
	}
}

// For as many seconds as a broker feeds no copies its ramp goes back.
func TestARampGoesBackInALull(t *testing.T) {
	t.Parallel()
	r := stretching(5e6)
	var shares []int64
	for i := range 40 {
		if r.tracks[0].stage = moving; i >= 15 && i < 21 || i >= 30 {
			r.tracks[0].stage = waiting
		}
		r.feed(time.Second)
		shares = append(shares, (r.soft(Lane{1, true})*11+5e5)/1e6)
	}
	want := []int64{
		2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11, 11, 11, 11, // elevenths: the seconds fed, and the one under way
		11, 10, 9, 8, 7, 6, // six seconds of lull
		7, 8, 9, 10, 11, 11, 11, 11, 11,
		11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
	}
	if !slices.Equal(shares, want) {
		t.Errorf("got %v, want %v", shares, want)
	}
	if got := r.soft(Lane{1, false}); got != 1e6 {
		t.Errorf("what is received has the rate %d, want all of it", got)
	}
}

// What stands is lowered where sending begins again, and nowhere else.
func TestOnlyWhatBeginsIsLowered(t *testing.T) {
	t.Parallel()
	r := stretching(5e6, 5e6)
	r.tracks[1].stage, r.tracks[1].state.Leader = waiting, 2
	anew := r.anew(r.tracks[1:])
	for at, want := range map[Lane]bool{{1, true}: false, {2, true}: true, {2, false}: false, {9, false}: false} {
		if got := anew(at); got != want {
			t.Errorf("%+v: got %v, want %v", at, got, want)
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
		anew  bool
		want  ruling
	}{
		{"nothing stands", "", false, 200, false, ruling{set: "200", stands: 200}},
		{"it has risen so far", "200", true, 200, false, ruling{stands: 200}},
		{"it rises", "200", true, 400, false, ruling{set: "400", stands: 400}},
		{"it has risen wholly", "200", true, 1000, false, ruling{set: "1000", stands: 1000}},
		{"a run before has risen", "1000", true, 200, false, ruling{stands: 1000}},
		{"it begins anew after a lull", "1000", true, 200, true, ruling{set: "200", stands: 200}},
		{"an operator's lower rate stays", "300", false, 200, true, ruling{stands: 300, yielded: true}},
		{"an operator's lower rate stays that came while ours was rising", "300", true, 200, false, ruling{stands: 300, yielded: true}},
		{"an operator has set the same", "1000", false, 200, true, ruling{stands: 1000}},
		{"an operator's higher rate is replaced", "9000", false, 200, false, ruling{set: "200", stands: 200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have := broker()
			if c.value != "" {
				have = broker(Entry{Key: LeaderRate, Value: c.value, Layer: DynamicBroker})
			}
			got := ruleRate(have, LeaderRate, 1000, ours, c.owed, false).softly(want{soft: c.soft, anew: c.anew}, have, LeaderRate, ours, c.owed)
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// A run that was interrupted while a rate still rose left its moves at a part of
// it until somebody went on with them. They have the whole of it; a lower one of an
// operator stays.
func TestWhatGoesOnWithoutUsHasTheWholeRate(t *testing.T) {
	for _, c := range []struct {
		name, theirs, want string
		stop               error
	}{
		{"after an interrupt", "", "950000", nil},
		{"after a deadline", "", "950000", context.DeadlineExceeded},
		{"beside an operator's", "300000", "300000", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, 4, func(s *scene) {
				s.moves("t", 0, 30e6, 3, 4, 3, 1)
				if c.theirs != "" {
					s.brokers[1].configs[LeaderRate] = c.theirs
				}
				ctx, cancel := context.WithCancelCause(s.Context())
				s.at(3*time.Second, func() { cancel(c.stop) })
				err := s.driver(Options{BytesPerSec: 1e6}).Move(ctx, s.plan)
				if _, ok := errors.AsType[*InFlightError](err); !ok {
					s.Fatalf("got %v", err)
				}
				s.want(s.brokers[1].configs[LeaderRate], c.want)
				s.want(s.brokers[4].configs[FollowerRate], "950000")
				if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
					s.Fatal(err)
				}
				s.done()
			})
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
		want := []string{"set broker 3 leader.replication.throttled.rate to 86363, which rises to 950000 within 11 s"}
		if !slices.Equal(said, want) {
			s.Errorf("got %q, want %q", said, want)
		}
		s.done()
	})
}
