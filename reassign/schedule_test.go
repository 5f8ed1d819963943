package reassign

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// limits are those of a cluster with one throttle.
func limits(rate int64) Limits {
	return Limits{
		Rate: func(Lane) int64 { return rate },
		Min:  minInFlight, Max: defaultPort, Cluster: defaultCluster, Window: window,
	}
}

func load(source, dest int32, megabytes int64) Load {
	return Load{Source: source, Dests: []int32{dest}, Left: megabytes * 1e6}
}

func few(source, dest int32, megabytes int64) Load {
	l := load(source, dest, megabytes)
	l.Few = true
	return l
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	const mb = 1e6
	many := func(n int, l Load) []Load { return slices.Repeat([]Load{l}, n) }
	for _, c := range []struct {
		name     string
		waiting  []Load
		inFlight []Load
		limits   func(*Limits)
		rate     int64
		want     []int
	}{
		{
			name:    "the lane that is busy longest goes first, then size",
			waiting: []Load{load(1, 9, 10), load(2, 8, 30), load(1, 9, 40), load(2, 8, 5)},
			rate:    10 * mb, want: []int{2, 0, 1, 3},
		},
		{
			name:    "a lane closes once a window of bytes is in flight",
			waiting: []Load{load(1, 9, 60), load(2, 9, 50), load(3, 9, 40), load(4, 9, 30)},
			rate:    10 * mb, want: []int{0, 1},
		},
		{
			name:    "two are in flight however large they are",
			waiting: []Load{load(1, 9, 600), load(2, 9, 500), load(3, 9, 400)},
			rate:    10 * mb, want: []int{0, 1},
		},
		{
			name:    "what is in flight counts",
			waiting: []Load{load(1, 9, 60)}, inFlight: []Load{load(2, 9, 90), load(3, 9, 30)},
			rate: 10 * mb, want: nil,
		},
		{
			name:    "another destination is another lane",
			waiting: []Load{load(1, 9, 60), load(1, 8, 50)}, inFlight: []Load{load(2, 9, 90), load(3, 9, 30)},
			rate: 10 * mb, want: []int{1},
		},
		{
			name:    "the lane that sends closes too",
			waiting: []Load{load(1, 9, 60), load(1, 8, 50), load(1, 7, 40), load(2, 6, 30)},
			rate:    10 * mb, want: []int{0, 1, 3},
		},
		{
			name:    "few are in flight when the rate is low",
			waiting: many(9, load(1, 9, 0)), inFlight: []Load{{Source: 1, Dests: []int32{9}, Left: 1000}},
			limits: func(l *Limits) { l.Max = 3 }, rate: mb, want: []int{0, 1},
		},
		{
			name:    "at a low rate two copy at once, whatever the window of bytes",
			waiting: many(9, Load{Source: 1, Dests: []int32{9}, Left: 1000}),
			rate:    mb, want: []int{0, 1},
		},
		{
			name:    "what has nothing left to copy takes no turn of the quota",
			waiting: many(2, Load{Source: 1, Dests: []int32{9}, Left: 1000}), inFlight: many(4, load(1, 9, 0)),
			rate: mb, want: []int{0, 1},
		},
		{
			name:    "nothing runs beside the move that sets the bound",
			waiting: []Load{load(1, 9, 1000), load(2, 9, 50)},
			rate:    10 * mb, want: []int{0},
		},
		{
			name:    "nor while it is in flight",
			waiting: []Load{load(2, 9, 50)}, inFlight: []Load{load(1, 9, 1000)},
			rate: 10 * mb, want: nil,
		},
		{
			name:    "but elsewhere",
			waiting: []Load{load(1, 9, 1000), load(2, 8, 50)},
			rate:    10 * mb, want: []int{0, 1},
		},
		{
			name:    "a bound within the window is not worth the care",
			waiting: []Load{load(1, 9, 95), load(2, 9, 1)},
			rate:    10 * mb, want: []int{0, 1},
		},
		{
			name:    "a tiny move goes beside a full window",
			waiting: []Load{load(1, 9, 80), load(2, 9, 70), load(3, 9, 60), load(4, 9, 0)},
			rate:    10 * mb, want: []int{0, 1, 3},
		},
		{
			name:     "tiny moves go beside a full window in half of the places",
			waiting:  many(5, Load{Source: 3, Dests: []int32{9}, Left: mb / 2}),
			inFlight: []Load{load(1, 9, 60), load(2, 9, 60)},
			rate:     10 * mb, want: []int{0, 1},
		},
		{
			name:     "no tiny one goes beside the move that sets the bound, and what was begun with it",
			waiting:  []Load{load(2, 9, 0)},
			inFlight: []Load{load(1, 9, 1000), load(3, 9, 1)},
			rate:     10 * mb, want: nil,
		},
		{
			name:    "a lane that idles although its window is full opens for one more",
			waiting: []Load{load(1, 9, 60), load(2, 9, 50), load(3, 9, 40)}, inFlight: []Load{load(4, 9, 90), load(5, 9, 90)},
			limits: func(l *Limits) { l.Idle = func(at Lane) bool { return at == Lane{9, false} } },
			rate:   10 * mb, want: []int{0},
		},
		{
			name:    "a lane that is far ahead of the others takes one at a time",
			waiting: []Load{load(1, 9, 400), load(2, 9, 390), load(3, 8, 150), load(4, 8, 140)},
			rate:    10 * mb, want: []int{0, 1, 2},
		},
		{
			name:    "or a small window of bytes",
			waiting: []Load{load(1, 9, 400), load(2, 9, 390), load(3, 8, 15), load(4, 8, 14), load(5, 8, 13)},
			rate:    10 * mb, want: []int{0, 1, 2},
		},
		{
			name:    "it does not open for being idle",
			waiting: []Load{load(1, 9, 400), load(2, 9, 390), load(4, 8, 140)}, inFlight: []Load{load(3, 8, 150)},
			limits: func(l *Limits) { l.Idle = func(Lane) bool { return true } }, rate: 10 * mb, want: []int{0, 1},
		},
		{
			name:    "the cluster has a limit",
			waiting: []Load{load(1, 9, 3), load(2, 8, 2), load(3, 7, 1)}, inFlight: []Load{load(4, 6, 1)},
			limits: func(l *Limits) { l.Cluster = 3 }, rate: 10 * mb, want: []int{0, 1},
		},
		{
			name:     "no more sources feed one destination than their bursts fit into its rate",
			waiting:  []Load{load(5, 9, 1), load(1, 9, 1)},
			inFlight: []Load{load(1, 9, 0), load(2, 9, 0), load(3, 9, 0), load(4, 9, 0)},
			rate:     4 * mb, want: []int{1},
		},
		{
			name:    "without a throttle only the number counts",
			waiting: many(70, load(1, 9, 100_000)), rate: 0, want: upTo(64),
		},
		{
			name:    "without one, too, the lane with most to do goes first",
			waiting: []Load{load(2, 8, 20), load(1, 9, 10), load(1, 9, 10), load(1, 9, 10)}, rate: 0, want: []int{1, 2, 3, 0},
		},
		{
			name:     "those that go a few at a time go before all others, and wait for each other",
			waiting:  []Load{load(2, 8, 20), few(1, 9, 1), few(3, 7, 2)},
			inFlight: []Load{few(4, 6, 1)},
			limits:   func(l *Limits) { l.Few = 2 }, rate: 10 * mb, want: []int{2, 0},
		},
		{
			name:    "a move to two brokers is sent twice",
			waiting: []Load{{Source: 1, Dests: []int32{8, 9}, Left: 60 * mb}, load(1, 7, 20), load(1, 6, 10)},
			rate:    10 * mb, want: []int{0, 1},
		},
		{
			name:    "what is weak already goes last",
			waiting: []Load{{Source: 1, Dests: []int32{9}, Left: 9 * mb, Last: true}, load(1, 9, 1)},
			rate:    10 * mb, want: []int{1, 0},
		},
		{
			name:     "a move to two brokers uses three lanes",
			waiting:  []Load{{Source: 1, Dests: []int32{8, 9}, Left: 110 * mb}, load(1, 7, 50), load(2, 9, 50)},
			inFlight: []Load{load(2, 6, 1), load(3, 9, 1)},
			rate:     10 * mb, want: []int{0, 1},
		},
		{name: "nothing waits", rate: mb, want: nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := limits(c.rate)
			if c.limits != nil {
				c.limits(&l)
			}
			before := slices.Clone(c.waiting)
			if got := Admit(c.waiting, c.inFlight, l); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			for i := range before {
				if c.waiting[i].Left != before[i].Left || c.waiting[i].Source != before[i].Source {
					t.Errorf("argument %d was changed", i)
				}
			}
		})
	}
}

func drawLoads(t *rapid.T, label string, most int) []Load {
	loads := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Load {
		source := rapid.Int32Range(1, 8).Draw(t, "source")
		dests := []int32{rapid.Int32Range(9, 12).Draw(t, "dest")}
		if rapid.Bool().Draw(t, "two") {
			dests = append(dests, 13)
		}
		return Load{Source: source, Dests: dests, Left: rapid.Int64Range(0, 1e9).Draw(t, "left"), Last: rapid.Bool().Draw(t, "last")}
	}), 0, most).Draw(t, label)
	return loads
}

// Whatever waits: no window is exceeded, nothing starts twice, and nothing that
// could start is left out while its lanes are empty.
func TestAdmitKeepsTheWindows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		waiting, inFlight := drawLoads(t, "waiting", 60), drawLoads(t, "inFlight", 8)
		l := limits(rapid.Int64Range(0, 100e6).Draw(t, "rate"))
		l.Max, l.Cluster = rapid.IntRange(1, 64).Draw(t, "max"), rapid.IntRange(0, 80).Draw(t, "cluster")
		picked := Admit(waiting, inFlight, l)

		if len(picked) > 0 && len(picked)+len(inFlight) > l.Cluster {
			t.Fatalf("%d in flight, the cluster may have %d", len(picked)+len(inFlight), l.Cluster)
		}
		if sorted := slices.Sorted(slices.Values(picked)); len(slices.Compact(sorted)) != len(picked) {
			t.Fatalf("a move starts twice: %v", picked)
		}
		moves, bytes := map[Lane]int{}, map[Lane]int64{}
		add := func(load Load) {
			load.lanes(func(at Lane, n int64) {
				moves[at]++
				bytes[at] += n
			})
		}
		for _, load := range inFlight {
			add(load)
		}
		for _, i := range picked {
			waiting[i].lanes(func(at Lane, n int64) {
				rate := l.Rate(at)
				if moves[at] >= l.Max {
					t.Fatalf("%v has %d moves, may have %d", at, moves[at], l.Max)
				}
				tiny := seconds(n, rate) < 0.1
				if rate > 0 && moves[at] >= l.Min && bytes[at] >= l.bytes(rate) && !tiny {
					t.Fatalf("%v has %d bytes in flight, a window is %d", at, bytes[at], l.bytes(rate))
				}
			})
			add(waiting[i])
		}
		for i, load := range waiting {
			free := len(inFlight)+len(picked) < l.Cluster
			load.lanes(func(at Lane, _ int64) { free = free && moves[at] == 0 })
			if free && !slices.Contains(picked, i) {
				t.Fatalf("move %d could start: %+v", i, load)
			}
		}
	})
}

// The same moves in any order give the same answer.
func TestAdmitDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		waiting := drawLoads(t, "waiting", 30)
		for i := range waiting {
			waiting[i].Left = waiting[i].Left*64 + int64(i) // no two alike
		}
		l := limits(10e6)
		want := pick(waiting, Admit(waiting, nil, l))
		shuffled := rapid.Permutation(waiting).Draw(t, "shuffled")
		if got := pick(shuffled, Admit(shuffled, nil, l)); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// pick names the loads by their bytes.
func pick(loads []Load, of []int) []int64 {
	var left []int64
	for _, i := range of {
		left = append(left, loads[i].Left)
	}
	return left
}

func BenchmarkAdmit(b *testing.B) {
	loads, _ := drains[4].loads(b, rate)
	l := limits(rate)
	start := time.Now()
	for b.Loop() {
		Admit(loads, nil, l)
	}
	b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(b.N)/float64(len(loads)), "ns/move")
}
