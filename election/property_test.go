package election

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// question is one random input: rules, a partition, who is live, who dies.
type question struct {
	rules Rules
	p     Partition
	live  set
	dead  []int32
}

func (q question) isLive(id int32) bool { return q.live[id] }

func (q question) String() string {
	return fmt.Sprintf("%+v %+v live %v dead %v", q.rules, q.p, q.live, q.dead)
}

// drawQuestion makes partitions as Kafka can have them, and some it should not:
// dead leaders, ISR members without a replica, everybody offline.
func drawQuestion(t *rapid.T, mode Mode) question {
	classes := ruleClasses[mode]
	q := question{rules: Rules{Mode: mode, Release: rapid.SampledFrom(classes).Draw(t, "release")}, live: set{}}
	if mode == KRaft && q.rules.Release.AtLeast(4, 0) {
		q.rules.ELR = rapid.Bool().Draw(t, "elr")
	}
	all := []int32{1, 2, 3, 4, 5, 6}
	for _, id := range all {
		q.live[id] = rapid.IntRange(0, 5).Draw(t, "alive") > 0
	}
	order := rapid.Permutation(all).Draw(t, "order")
	q.p.Replicas = order[:rapid.IntRange(1, 5).Draw(t, "replicas")]
	q.p.ISR = some(t, "isr", q.p.Replicas, 2)
	if mode == ZooKeeper && rapid.IntRange(0, 19).Draw(t, "stray") == 0 {
		q.p.ISR = append(q.p.ISR, order[5])
	}
	if q.rules.ELR {
		q.p.ELR = without(some(t, "elr", q.p.Replicas, 1), q.p.ISR...)
	}
	q.p.Offline = some(t, "offline", q.p.Replicas, 0)
	q.p.MinISR = rapid.IntRange(1, 3).Draw(t, "min")
	q.p.FirstReplicas = rapid.IntRange(0, 3).Draw(t, "first")
	q.p.Unclean = rapid.SampledFrom([]Unclean{Off, On}).Draw(t, "unclean")
	drawReassignment(t, &q.p)
	q.p.Leader = drawLeader(t, q)
	if q.p.Leader == NoLeader && q.rules.ELR {
		q.p.LastKnown = some(t, "known", q.p.Replicas[:1], 1)
	}
	dead := rapid.Permutation(all).Draw(t, "dead")
	q.dead = dead[:rapid.IntRange(0, 4).Draw(t, "dying")]
	if q.rules.Mode == ZooKeeper {
		q.dead = dead[:min(len(q.dead), 3)] // every batch of every order is many
	}
	return q
}

// some draws a subset; weight 0, 1, 2 is rare, even and likely.
func some(t *rapid.T, name string, from []int32, weight int) []int32 {
	var chosen []int32
	for _, id := range from {
		if rapid.IntRange(0, 9).Draw(t, name) < []int{1, 4, 7}[weight] {
			chosen = append(chosen, id)
		}
	}
	return chosen
}

func drawReassignment(t *rapid.T, p *Partition) {
	if len(p.Replicas) < 2 || rapid.IntRange(0, 2).Draw(t, "reassigns") > 0 {
		return
	}
	n := rapid.IntRange(0, len(p.Replicas)-1).Draw(t, "removing")
	target := len(p.Replicas) - n
	p.Removing = slices.Sorted(slices.Values(p.Replicas[target:]))
	p.Adding = some(t, "adding", p.Replicas[:target], 1)
}

func drawLeader(t *rapid.T, q question) int32 {
	if len(q.p.ISR) == 0 || rapid.IntRange(0, 9).Draw(t, "leaderless") == 0 {
		return NoLeader
	}
	return rapid.SampledFrom(q.p.ISR).Draw(t, "leader")
}

func TestALossIsWhatTheTwinSays(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{KRaft, ZooKeeper} {
		for name, f := range map[string]func(Rules, func(int32) bool, Partition, []int32) Result{"crash": Crash, "shutdown": Shutdown} {
			t.Run(fmt.Sprint(mode, " ", name), func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) {
					q := drawQuestion(t, mode)
					before := newTwin(q.rules, q.live, q.p)
					ends := before.ends(q.dead, name == "shutdown")
					got := f(q.rules, q.isLive, q.p, q.dead)
					outcome, dirty := worstOutcome(before, ends)
					if got.Outcome.String() != outcome || got.WasUnclean != dirty {
						t.Fatalf("%v\ngot %v (unclean on the way: %v), want %v (%v)", q, got.Outcome, got.WasUnclean, outcome, dirty)
					}
					if _, ok := ends[twinState(got)]; !ok {
						t.Fatalf("%v\ngot %s, which is no end: %v", q, twinState(got), ends)
					}
				})
			})
		}
	}
}

func TestEveryEndOfALossIsListed(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{KRaft, ZooKeeper} {
		for name, f := range map[string]func(Rules, func(int32) bool, Partition, []int32) []Result{"crash": Crashes, "shutdown": Shutdowns} {
			t.Run(fmt.Sprint(mode, " ", name), func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) {
					q := drawQuestion(t, mode)
					ends := newTwin(q.rules, q.live, q.p).ends(q.dead, name == "shutdown")
					got := f(q.rules, q.isLive, q.p, q.dead)
					listed := map[string]bool{}
					for i, res := range got {
						listed[twinState(res)] = true
						if _, ok := ends[twinState(res)]; !ok {
							t.Fatalf("%v\nlists %s, which is no end: %v", q, twinState(res), ends)
						}
						if i > 0 && res.Worse(&got[i-1]) {
							t.Fatalf("%v\n%v comes before the worse %v", q, got[i-1].Outcome, res.Outcome)
						}
					}
					for end := range ends {
						if !listed[end] {
							t.Fatalf("%v\ndoes not list %s, only %v", q, end, listed)
						}
					}
				})
			})
		}
	}
}

// twinState spells a Result as the twin spells itself.
func twinState(res Result) string {
	return twin{
		leader: res.Leader, replicas: res.Replicas, isr: setOf(res.ISR), elr: setOf(res.ELR), known: res.LastKnown,
		adding: setOf(res.Adding), removing: setOf(res.Removing), recovering: res.Recovering,
		dirty: res.WasUnclean, held: res.StillLed,
	}.String()
}

func TestALossIsTheSameForEveryOrderOfItsInput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, rapid.SampledFrom([]Mode{KRaft, ZooKeeper}).Draw(t, "mode"))
		want := Crash(q.rules, q.isLive, q.p, q.dead)
		p := q.p
		p.ISR = rapid.Permutation(p.ISR).Draw(t, "isr order")
		dead := rapid.Permutation(append(slices.Clone(q.dead), q.dead...)).Draw(t, "dead order")
		got := Crash(q.rules, q.isLive, p, dead)
		if twinState(got) != twinState(want) || got.Outcome != want.Outcome {
			t.Fatalf("%v\nwith ISR %v and dead %v: %v, want %v", q, p.ISR, dead, twinState(got), twinState(want))
		}
	})
}

func TestALossChangesNoInput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, rapid.SampledFrom([]Mode{KRaft, ZooKeeper}).Draw(t, "mode"))
		before := q.String()
		_ = Crash(q.rules, q.isLive, q.p, q.dead).Reason()
		_ = Shutdown(q.rules, q.isLive, q.p, q.dead).Reason()
		_ = Crashes(q.rules, q.isLive, q.p, q.dead)
		if after := q.String(); after != before {
			t.Fatalf("got %s, want %s", after, before)
		}
	})
}

func TestABrokerInNoListCannotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, KRaft)
		got := Crash(q.rules, q.isLive, q.p, []int32{77, 78})
		if got.Outcome != Unaffected || got.Touched || twinState(got) != newTwin(q.rules, q.live, q.p).String() {
			t.Fatalf("%v\ngot %v %v", q, got.Outcome, twinState(got))
		}
	})
}

func TestALeaderIsAReplicaThatIsLeft(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, rapid.SampledFrom([]Mode{KRaft, ZooKeeper}).Draw(t, "mode"))
		got := Crash(q.rules, q.isLive, q.p, q.dead)
		if !got.Touched || got.Leader == NoLeader || got.Leader == q.p.Leader {
			return
		}
		if !slices.Contains(got.Replicas, got.Leader) || slices.Contains(q.dead, got.Leader) || !q.live[got.Leader] || slices.Contains(q.p.Offline, got.Leader) {
			t.Fatalf("%v\nelects %d", q, got.Leader)
		}
		if !slices.Contains(got.ISR, got.Leader) {
			t.Fatalf("%v\nleader %d is not in ISR %v", q, got.Leader, got.ISR)
		}
	})
}
