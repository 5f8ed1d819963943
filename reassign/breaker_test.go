package reassign

import (
	"slices"
	"testing"
	"time"

	"drain/plan"
)

// picture makes a cluster of brokers 1 to 3 from its partitions, by topic.
func picture(t *testing.T, quorum *plan.Quorum, parts map[string]plan.PartitionView) *plan.Cluster {
	t.Helper()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 2, Quorum: quorum}}
	for id := range int32(3) {
		b.Broker(plan.Broker{ID: id + 1, CapacityBytes: plan.Unknown, UsableBytes: plan.Unknown})
	}
	for name, p := range parts {
		b.Topic(plan.Topic{Name: name})
		b.Partition(p)
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func part(leader int32, isr ...int32) plan.PartitionView {
	return plan.PartitionView{Leader: leader, Replicas: []int32{1, 2, 3}, ISR: isr}
}

func TestWorse(t *testing.T) {
	t.Parallel()
	type parts = map[string]plan.PartitionView
	single := plan.PartitionView{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}
	grown := plan.PartitionView{Leader: 1, Replicas: []int32{1, 2}, Adding: []int32{2}, ISR: []int32{1}}
	voters := func(lagging ...int32) *plan.Quorum {
		return &plan.Quorum{LeaderID: 1, Voters: []plan.Voter{{ID: 1}, {ID: 2}, {ID: 3}}, Lagging: lagging}
	}
	for _, c := range []struct {
		name       string
		start, now parts
		then, here *plan.Quorum
		want       []string
	}{
		{name: "all is well", start: parts{"a": part(1, 1, 2, 3)}, now: parts{"a": part(1, 1, 2, 3)}},
		{name: "one is short, but not under its minimum", start: parts{"a": part(1, 1, 2, 3)}, now: parts{"a": part(1, 1, 2)}},
		{name: "one is under its minimum", start: parts{"a": part(1, 1, 2, 3)}, now: parts{"a": part(1, 1)}, want: []string{"a-0 is under min ISR"}},
		{name: "it was before", start: parts{"a": part(1, 1)}, now: parts{"a": part(1, 1)}},
		{name: "one has lost its leader", start: parts{"a": part(1, 1)}, now: parts{"a": part(plan.NoLeader, 1)}, want: []string{"a-0 has no leader"}},
		{name: "it had none before", start: parts{"a": part(plan.NoLeader, 1)}, now: parts{"a": part(plan.NoLeader, 1)}},
		{name: "a new topic is born sick", start: parts{}, now: parts{"a": part(plan.NoLeader, 1)}, want: []string{"a-0 has no leader"}},
		{name: "a topic is gone", start: parts{"a": part(1, 1, 2, 3)}, now: parts{}},
		{name: "ours does not count", start: parts{"own": part(1, 1, 2, 3)}, now: parts{"own": part(plan.NoLeader)}},
		{name: "one replica is its own minimum", start: parts{"a": single}, now: parts{"a": single}},
		{name: "also while it is moved by somebody", start: parts{"a": single}, now: parts{"a": grown}},
		{
			name: "several, counted and named", start: parts{"a": part(1, 1, 2), "b": part(1, 1, 2), "c": part(1, 1, 2)},
			now:  parts{"a": part(1, 1), "b": part(plan.NoLeader, 1), "c": part(1, 1)},
			want: []string{"b-0 has no leader", "a-0, c-0 are under min ISR"},
		},
		{name: "a voter lags", then: voters(), here: voters(3), want: []string{"voter 3 of the quorum is away"}},
		{name: "it lagged before", then: voters(3), here: voters(3)},
		{name: "a voter is no member any more", then: voters(), here: &plan.Quorum{Voters: []plan.Voter{{ID: 1}, {ID: 2}}}, want: []string{"voter 3 of the quorum is away"}},
		{name: "the quorum could not be asked", then: voters(), here: nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			own := func(tp plan.TopicPartition) bool { return tp.Topic == "own" }
			got := worse(StartOf(picture(t, c.then, c.start)), picture(t, c.here, c.now), own)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDeparted(t *testing.T) {
	t.Parallel()
	got := departed([]int32{1, 2, 3, 4}, []int32{2, 5}, []int32{4})
	if want := []string{"broker 1 is away", "broker 3 is away"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShrunk(t *testing.T) {
	t.Parallel()
	before := picture(t, nil, map[string]plan.PartitionView{"a": part(1, 1, 2, 3), "own": part(1, 1, 2, 3), "b": part(2, 2, 1)})
	now := picture(t, nil, map[string]plan.PartitionView{"a": part(1, 1, 2), "own": part(1, 1), "b": part(2, 2, 1, 3), "c": part(1, 1)})
	own := func(tp plan.TopicPartition) bool { return tp.Topic == "own" }
	if got, want := shrunk(before, now, own), []int32{3, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: the replica that left, and its leader", got, want)
	}
}

// A run that goes on after another has died judges by the cluster before both:
// who left in between is missed, and what was sick before is not.
func TestBreakerJudgesByTheStartOfTheRun(t *testing.T) {
	play(t, 5, func(s *scene) {
		p := s.moves("t", 0, 1e6, 3, 4, 3, 1)
		sick := s.part("old", 0, 1, 2, 5)
		sick.isr, sick.leader = []int32{5}, plan.NoLeader
		s.kill(5)
		start := Start{Live: []int32{1, 2, 3, 4, 5}, Leaderless: []plan.TopicPartition{tp("old", 0)}}
		s.at(30*time.Second, func() {
			s.want(len(p.adding), 0)
			s.revive(5)
		})
		d, _ := s.watched(Options{Start: &start})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(s.said(Paused), []string{"nothing new starts while broker 5 is away"})
		s.done()
	})
}
