package reassign

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPace(t *testing.T) {
	t.Parallel()
	const most = 200e6
	used := signals{achieved: 95e6, busy: true, slowness: 1}
	calm := pace{rate: 100e6, aim: 100e6, calm: 5}
	for _, c := range []struct {
		name   string
		from   pace
		signal signals
		want   int64
		why    string
	}{
		{"it is used, and nobody suffers", pace{rate: 90e6, calm: 5}, signals{achieved: 85e6, slowness: 1}, 100e6, "it is used"},
		{"a step of a tenth is kept for later", calm, used, 100e6, ""},
		{"until it is worth a change", pace{rate: 100e6, aim: 110e6, calm: 5}, used, 120e6, "it is used"},
		{"and forgotten when others suffer", pace{rate: 100e6, aim: 110e6, calm: 5}, signals{shrunk: true}, 50e6, "left its ISR"},
		{"the step is five megabytes at least", pace{rate: 40e6, calm: 5}, signals{achieved: 39e6, slowness: 1}, 50e6, "it is used"},
		{"not without two calm periods", pace{rate: 100e6, calm: 0}, used, 100e6, ""},
		{"not while requests are slower", calm, signals{achieved: 95e6, slowness: 1.5}, 100e6, ""},
		{"never over the maximum", pace{rate: 185e6, calm: 5}, signals{achieved: 180e6, slowness: 1}, 185e6, ""},
		{"a replica left its ISR", calm, signals{achieved: 95e6, shrunk: true, slowness: 1}, 50e6, "left its ISR"},
		{"slow answers once", calm, signals{achieved: 95e6, slowness: 4}, 100e6, ""},
		{"slow answers twice", pace{rate: 100e6, calm: 5, slow: 1}, signals{achieved: 95e6, slowness: 4}, 50e6, "4.0 times as long"},
		{"held after a cut", pace{rate: 100e6, calm: 5, hold: 3}, used, 100e6, ""},
		{"a cut comes also while held", pace{rate: 100e6, hold: 3}, signals{shrunk: true}, 50e6, "left its ISR"},
		{"what is not used is trimmed", calm, signals{achieved: 50e6, busy: true, slowness: 1}, 60e6, "only 50 MB/s"},
		{"not if there is little to do", calm, signals{achieved: 50e6, slowness: 1}, 100e6, ""},
		{"the floor", pace{rate: 10e6, calm: 5}, signals{achieved: 8e6, floor: 30e6, slowness: 1}, 30e6, "need 30 MB/s"},
		{"a cut stops at the floor", calm, signals{shrunk: true, floor: 80e6}, 80e6, "need 80 MB/s"},
		{"a floor over the maximum", calm, signals{achieved: 80e6, floor: 300e6}, most, "need 300 MB/s"},
		{"no answer: it holds", calm, signals{mute: true, shrunk: true}, 100e6, ""},
		{"no answer twice: the floor", pace{rate: 100e6, muted: 1}, signals{mute: true, floor: 5e6}, 5e6, "does not answer"},
		{"a tenth is not worth a change", calm, signals{achieved: 69e6, busy: true, floor: 91e6, slowness: 1}, 100e6, ""},
		{"the maximum was lowered", pace{rate: 210e6}, signals{achieved: 190e6, slowness: 1}, most, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, why := c.from.next(c.signal, most)
			if got.rate != c.want || !strings.Contains(why, c.why) || c.why == "" && c.want == c.from.rate && why != "" {
				t.Errorf("got %d because %q, want %d because %q", got.rate, why, c.want, c.why)
			}
		})
	}
}

// After a cut it takes a minute of calm until the rate rises again.
func TestPaceHoldsAfterACut(t *testing.T) {
	t.Parallel()
	p, _ := pace{rate: 100e6, calm: 9}.next(signals{shrunk: true}, 200e6)
	periods := 0
	for p.rate == 50e6 {
		p, _ = p.next(signals{achieved: p.rate * 95 / 100, slowness: 1}, 200e6)
		periods++
	}
	if periods != holdPeriods || p.rate != 60e6 {
		t.Errorf("rose to %d after %d periods, want 60000000 after %d", p.rate, periods, holdPeriods)
	}
}

// Whatever is signalled: never over the maximum, never under what the moves
// need unless that is over it, and no change without a reason.
func TestPaceKeepsItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Int64Range(1, 1e9).Draw(t, "most")
		p := firstPace(most)
		for range rapid.IntRange(1, 30).Draw(t, "periods") {
			s := signals{
				achieved: rapid.Int64Range(0, 2e9).Draw(t, "achieved"), busy: rapid.Bool().Draw(t, "busy"),
				slowness: rapid.Float64Range(0, 10).Draw(t, "slowness"), shrunk: rapid.Bool().Draw(t, "shrunk"),
				mute: rapid.Bool().Draw(t, "mute"), floor: rapid.Int64Range(0, 2e9).Draw(t, "floor"),
			}
			next, why := p.next(s, most)
			if next.rate > most || next.rate < min(s.floor, most) {
				t.Fatalf("%d is not between %d and %d", next.rate, s.floor, most)
			}
			if next.rate != p.rate && why == "" {
				t.Fatalf("%d became %d without a reason", p.rate, next.rate)
			}
			if next.rate > p.rate && s.shrunk && next.rate != s.floor && next.rate != most {
				t.Fatalf("raised from %d to %d although others suffer", p.rate, next.rate)
			}
			p = next
		}
	})
}
