package election

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// dies draws a broker of the partition.
func dies(t *rapid.T, q question) int32 { return rapid.SampledFrom(q.p.Replicas).Draw(t, "dies") }

func TestFencingAfterAControlledShutdownChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, KRaft)
		id := dies(t, q)
		once := q.rules.Leave(q.p, q.isLive, id)
		stopping := func(b int32) bool { return b != id && q.live[b] }
		if again := q.rules.Leave(once, stopping, id); stateOf(again) != stateOf(once) {
			t.Fatalf("%v\n%s, then %s", q, stateOf(once), stateOf(again))
		}
	})
}

func TestWithoutELRTheLastMemberStays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, rapid.SampledFrom([]Mode{KRaft, ZooKeeper}).Draw(t, "mode"))
		if q.rules.ELR || len(q.p.ISR) == 0 {
			return
		}
		for _, res := range Crashes(q.rules, q.isLive, q.p, q.dead) {
			if len(res.ISR) == 0 {
				t.Fatalf("%v\nleaves an empty ISR", q)
			}
		}
	})
}

func TestNobodyIsInSyncAndEligibleAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, KRaft)
		res := Crash(q.rules, q.isLive, q.p, q.dead)
		if overlaps(res.ISR, res.ELR) {
			t.Fatalf("%v\nISR %v and ELR %v", q, res.ISR, res.ELR)
		}
		if !q.rules.ELR && res.Touched && len(res.ELR)+len(res.LastKnown) > 0 {
			t.Fatalf("%v\nELR %v and last known %v without the feature", q, res.ELR, res.LastKnown)
		}
	})
}

func TestABrokerThatComesBackTakesNoLeaderAway(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, KRaft)
		got := q.rules.Unfence(q.p, q.isLive, dies(t, q))
		if q.p.Leader != NoLeader && stateOf(got) != stateOf(q.p) {
			t.Fatalf("%v\nbecomes %s", q, stateOf(got))
		}
	})
}

func TestALostPartitionReturnsCleanWithItsLastMember(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, rapid.SampledFrom([]Mode{KRaft, ZooKeeper}).Draw(t, "mode"))
		res := Crash(q.rules, q.isLive, q.p, q.dead)
		keeps := slices.Concat(res.ISR, res.ELR)
		if res.Outcome != Leaderless || res.WasUnclean || len(keeps) != 1 || !slices.Contains(res.Replicas, keeps[0]) {
			return
		}
		p := q.p
		p.Leader, p.Replicas, p.ISR, p.ELR, p.LastKnown = res.Leader, res.Replicas, res.ISR, res.ELR, res.LastKnown
		p.Adding, p.Removing, p.Offline, p.Recovering = res.Adding, res.Removing, nil, false
		back := func(id int32) bool { return id == keeps[0] }
		again := q.rules.Online(p, back)
		if q.rules.Mode == KRaft {
			again = q.rules.Unfence(p, func(int32) bool { return false }, keeps[0])
		}
		if again.Leader != keeps[0] || again.Recovering {
			t.Fatalf("%v\nlost as %s, returns as %s", q, stateOf(p), stateOf(again))
		}
	})
}

func TestAnUncleanLeaderIsAloneInSyncAndMarked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t, KRaft)
		for _, res := range Crashes(q.rules, q.isLive, q.p, q.dead) {
			if res.Outcome != UncleanLeader {
				continue
			}
			if !res.Recovering || !slices.Equal(res.ISR, []int32{res.Leader}) || len(res.ELR) > 0 {
				t.Fatalf("%v\n%s", q, twinState(res))
			}
		}
	})
}
