package plan_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drain/plan"
)

// topicNamed picks one topic.
type topicNamed string

func (n topicNamed) Match(topic string) bool { return topic == string(n) }
func (n topicNamed) String() string          { return string(n) }

// A plan that is read back and computed on the cluster that it was made for is
// the same plan, and nothing differs.
func TestASavedPlanIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		if rapid.Bool().Draw(rt, "at risk") {
			r.Mode = plan.AtRisk
		}
		if rapid.Bool().Draw(rt, "helpers") {
			r.AcceptRisks = []string{"helper-moves", "space-unknown"}
		}
		p, err := plan.Compute(c, r)
		if err != nil {
			rt.Fatal(err)
		}
		if len(p.Blocked()) > 0 {
			return // nobody may carry it out
		}
		q, err := plan.Saved(reread(rt, p))(c, r)
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := listed(q), listed(p); got != want {
			rt.Errorf("got\n%swant\n%s", got, want)
		}
		if found := mismatches(q); len(found) > 0 {
			rt.Errorf("differs: %v", found)
		}
	})
}

// What is planned on another cluster than the plan was made for keeps every
// constraint, or is refused.
func TestASavedPlanKeepsTheConstraintsOfAnotherCluster(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		p, err := plan.Compute(c, randomRequest(rt, c))
		if err != nil {
			rt.Fatal(err)
		}
		other := randomCluster(rt)
		r := randomRequest(rt, other)
		q, err := plan.Saved(p)(other, r)
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range q.Moves {
			checkMove(rt, other, r, m)
		}
		for _, m := range q.Moves {
			i := slices.IndexFunc(p.Moves, func(s plan.Move) bool { return s.TopicPartition == m.TopicPartition })
			if (i < 0 || !slices.Equal(p.Moves[i].After, m.After)) && len(mismatches(q)) == 0 && !partlyDone(other, p) {
				rt.Errorf("%v is not as planned, and no finding says so", m.TopicPartition)
			}
		}
	})
}

// Half of the moves being done, the rest is carried out as it was planned.
func TestASavedPlanIsGoneOnWith(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		p, err := plan.Compute(c, r)
		if err != nil {
			rt.Fatal(err)
		}
		if len(p.Moves) < 2 || len(p.Left) > 0 {
			return
		}
		half := p
		half.Moves = p.Moves[:len(p.Moves)/2]
		q, err := plan.Saved(p)(carriedOut(rt, c, half), r)
		if err != nil {
			rt.Fatal(err)
		}
		if found := mismatches(q); len(found) > 0 {
			rt.Errorf("differs: %v", found)
		}
		for _, m := range q.Moves {
			if slices.ContainsFunc(half.Moves, func(d plan.Move) bool { return d.TopicPartition == m.TopicPartition }) {
				rt.Errorf("%v is moved again", m.TopicPartition)
			}
		}
	})
}

func partlyDone(c plan.Cluster, p plan.Plan) bool {
	return slices.ContainsFunc(p.Moves, func(m plan.Move) bool {
		i, ok := c.Find(m.TopicPartition)
		return ok && slices.Equal(slices.Sorted(slices.Values(c.Partition(i).Replicas)), slices.Sorted(slices.Values(m.After)))
	})
}

func reread(tb interface{ Fatal(...any) }, p plan.Plan) plan.Plan {
	text, err := json.Marshal(p)
	if err != nil {
		tb.Fatal(err)
	}
	var back plan.Plan
	if err := json.Unmarshal(text, &back); err != nil {
		tb.Fatal(err)
	}
	return back
}

// listed is the moves of a plan and what stays, a line each.
func listed(p plan.Plan) string {
	p.Findings, p.Totals, p.Instead = nil, plan.Totals{}, nil
	return p.String()
}

// mismatches are the messages of the findings that say how a cluster differs.
func mismatches(p plan.Plan) []string {
	var found []string
	for _, f := range p.Findings {
		if f.Risk == "plan-mismatch" {
			found = append(found, f.Message)
		}
	}
	return found
}

// A replica whose place would have mended an old violation of the racks, had there
// been room, goes where the plan says in the rack that it is in.
func TestASavedPlaceInTheOwnRackIsKept(t *testing.T) {
	t.Parallel()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1}}
	for id, rack := range []string{1: "a", 2: "a", 3: "a", 4: "a", 5: "b"} {
		if rack != "" {
			b.Broker(plan.Broker{ID: int32(id), Rack: rack, CapacityBytes: 1000, UsableBytes: plan.Unknown})
		}
	}
	b.Broker(plan.Broker{ID: 6, Rack: "c", CapacityBytes: 1000, UsableBytes: 50})
	b.Topic(plan.Topic{Name: "t"})
	b.Partition(plan.PartitionView{Leader: 3, Replicas: []int32{3, 1, 5}, ISR: []int32{3, 1, 5}, SizeBytes: 60})
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Request{Brokers: []int32{3}}
	for _, k := range []struct {
		to   int32
		room bool
	}{{2, true}, {4, true}, {6, false}} {
		after := []int32{k.to, 1, 5}
		made := plan.Plan{Brokers: []int32{3}, Moves: []plan.Move{{
			TopicPartition: plan.TopicPartition{Topic: "t"}, Before: []int32{3, 1, 5}, After: after,
			From: []int32{3}, To: []int32{k.to}, Leader: 3, LeadsDuring: 5, LeadsFirst: k.to,
		}}}
		p, err := plan.Saved(made)(c, r)
		if err != nil || len(p.Moves) != 1 || slices.Equal(p.Moves[0].After, after) != k.room || (len(mismatches(p)) == 0) != k.room {
			t.Errorf("to %d: got %v, %v", k.to, p, err)
		}
	}
}

// drainOfThree is a cluster of five brokers of which broker 3 is to be drained,
// with what a row changes in it.
func drainOfThree(t *testing.T, change func(*plan.Builder, map[int32]*plan.Broker)) (plan.Cluster, plan.Request) {
	t.Helper()
	b := plan.Builder{Head: plan.Cluster{ID: "c", MinISRDefault: 1}}
	brokers := map[int32]*plan.Broker{}
	for id := int32(1); id <= 5; id++ {
		brokers[id] = &plan.Broker{ID: id, CapacityBytes: 1000, UsableBytes: plan.Unknown}
	}
	topic := plan.Topic{Name: "t", ID: [16]byte{1}}
	parts := []plan.PartitionView{
		{Number: 0, Leader: 3, Replicas: []int32{3, 1}, ISR: []int32{3, 1}, SizeBytes: 100},
		{Number: 1, Leader: 2, Replicas: []int32{2, 3}, ISR: []int32{3, 2}, SizeBytes: 50},
		{Number: 2, Leader: 4, Replicas: []int32{4}, ISR: []int32{4}, SizeBytes: 10},
	}
	b.Topic(topic)
	for _, v := range parts {
		b.Partition(v)
	}
	if change != nil {
		change(&b, brokers)
	}
	for id := int32(1); id <= 5; id++ {
		if brokers[id] != nil {
			b.Broker(*brokers[id])
		}
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c, plan.Request{Brokers: []int32{3}}
}

func TestASavedPlanSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	c, r := drainOfThree(t, nil)
	made, err := plan.Compute(c, r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listed(made), "drain 3, evacuate: 0 moves, 0 B\n  t-0 [3 1] -> [5 1], 100 B, led by 1 meanwhile\n  t-1 [2 3] -> [2 4], 50 B\n"; got != want {
		t.Fatalf("the plan is\n%swant\n%s", got, want)
	}
	for _, tc := range []struct {
		name   string
		change func(*plan.Builder, map[int32]*plan.Broker)
		ask    func(*plan.Request)
		want   []string
	}{
		{name: "nothing"},
		{name: "sizes, of which all have room", change: func(b *plan.Builder, _ map[int32]*plan.Broker) {
			b.Topic(plan.Topic{Name: "u"})
			b.Partition(plan.PartitionView{Leader: 5, Replicas: []int32{5}, ISR: []int32{5}, SizeBytes: 600})
		}},
		{name: "another cluster", change: func(b *plan.Builder, _ map[int32]*plan.Broker) { b.Head.ID = "d" },
			want: []string{"the plan is for cluster c, and this is d"}},
		{name: "other brokers", ask: func(r *plan.Request) { r.Brokers = []int32{2, 3} },
			want: []string{"the plan drains brokers 3, and the runbook 2, 3"}},
		{name: "another mode", ask: func(r *plan.Request) { r.Mode = plan.AtRisk },
			want: []string{"the plan is of mode evacuate, and the runbook says at-risk"}},
		{name: "a destination that is gone", change: func(_ *plan.Builder, brokers map[int32]*plan.Broker) { delete(brokers, 5) },
			want: []string{"t-0 was to go to broker 5, which is not known"}},
		{name: "a destination that is down", change: func(_ *plan.Builder, brokers map[int32]*plan.Broker) { brokers[5].State = plan.Down },
			want: []string{"t-0 was to go to broker 5, which is not alive"}},
		{name: "a destination that is cordoned", change: func(_ *plan.Builder, brokers map[int32]*plan.Broker) { brokers[4].Cordoned = true },
			want: []string{"t-1 was to go to broker 4, which is cordoned"}},
		{name: "a destination that another run drains", ask: func(r *plan.Request) { r.Draining = []int32{4} },
			want: []string{"t-1 was to go to broker 4, which is drained itself"}},
		{name: "a destination that is excluded", ask: func(r *plan.Request) { r.Exclude = []int32{5} },
			want: []string{"t-0 was to go to broker 5, which may not receive by the runbook"}},
		{name: "a destination without room", change: func(_ *plan.Builder, brokers map[int32]*plan.Broker) { brokers[5].UsableBytes = 99 },
			want: []string{"t-0 does not go to 5 as the plan says: there is no room, or its racks are others now; it would go to 2"}},
		{name: "a topic that was excluded", ask: func(r *plan.Request) { r.ExcludeTopics = []plan.Pattern{topicNamed("t")} },
			want: []string{"t-0 was to go to 5, and has to stay", "t-1 was to go to 4, and has to stay"}},
		{name: "a partition more", change: func(b *plan.Builder, _ map[int32]*plan.Broker) {
			b.Topic(plan.Topic{Name: "u"})
			b.Partition(plan.PartitionView{Leader: 3, Replicas: []int32{3}, ISR: []int32{3}, SizeBytes: 1})
		}, want: []string{"u-0 is not in the plan, and would be moved now"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, r := drainOfThree(t, tc.change)
			if tc.ask != nil {
				tc.ask(&r)
			}
			p, err := plan.Saved(made)(c, r)
			if err != nil {
				t.Fatal(err)
			}
			if got := mismatches(p); !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
			if tc.want == nil {
				if got, want := listed(p), listed(made); got != want {
					t.Errorf("got\n%swant\n%s", got, want)
				}
				return
			}
			for _, f := range p.Blocked() {
				if f.Risk == "plan-mismatch" && !strings.Contains(f.Remedy, "make a new plan with drain plan") {
					t.Errorf("the remedy is %q", f.Remedy)
				}
			}
			r.AcceptRisks = []string{"plan-mismatch", "excluded-topics"}
			if p, _ = plan.Saved(made)(c, r); len(p.Blocked()) > 0 {
				t.Errorf("the risk is accepted, and %v blocks", p.Blocked())
			}
		})
	}
}

// The plan of a person, or of another release, sends replicas where this one would
// not. It is followed, but where its partition is another by now.
func TestASavedPlanIsFollowedWhereItDecidesOtherwise(t *testing.T) {
	t.Parallel()
	c, r := drainOfThree(t, nil)
	made, err := plan.Compute(c, r)
	if err != nil {
		t.Fatal(err)
	}
	made.Moves = slices.Clone(made.Moves)
	made.Moves[0].To, made.Moves[0].After, made.Moves[0].LeadsFirst = []int32{2}, []int32{2, 1}, 2
	made.Moves[1].To, made.Moves[1].After = []int32{1}, []int32{2, 1}
	for _, tc := range []struct {
		name string
		edit func(*plan.Move) // of t-0
		want string
	}{
		{"as it is", nil, "  t-0 [3 1] -> [2 1], 100 B, led by 1 meanwhile\n  t-1 [2 3] -> [2 1], 50 B\n"},
		{"of a topic made again", func(m *plan.Move) { m.TopicID = [16]byte{2} },
			"  t-0 [3 1] -> [5 1], 100 B, led by 1 meanwhile\n  t-1 [2 3] -> [2 1], 50 B\n"},
		{"of other replicas", func(m *plan.Move) { m.Before = []int32{1, 3} },
			"  t-0 [3 1] -> [5 1], 100 B, led by 1 meanwhile\n  t-1 [2 3] -> [2 1], 50 B\n"},
		{"with a leader that is no replica", func(m *plan.Move) { m.LeadsFirst = 4 },
			"  t-0 [3 1] -> [1 2], 100 B, led by 1 meanwhile\n  t-1 [2 3] -> [2 1], 50 B\n"},
		{"with a leader that nobody knows", func(m *plan.Move) { m.LeadsFirst = 9 },
			"  t-0 [3 1] -> [1 2], 100 B, led by 1 meanwhile\n  t-1 [2 3] -> [2 1], 50 B\n"},
	} {
		saved := made
		saved.Moves = slices.Clone(made.Moves)
		if tc.edit != nil {
			tc.edit(&saved.Moves[0])
		}
		p, err := plan.Saved(saved)(c, r)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := listed(p), "drain 3, evacuate: 0 moves, 0 B\n"+tc.want; got != want {
			t.Errorf("%s: got\n%swant\n%s", tc.name, got, want)
		}
	}
}

// What happens to partitions themselves needs another topic than the rows above.
func TestASavedPlanKnowsItsPartitions(t *testing.T) {
	t.Parallel()
	c, r := drainOfThree(t, nil)
	made, _ := plan.Compute(c, r)
	for _, tc := range []struct {
		name  string
		topic plan.Topic
		first []int32 // replicas of t-0; nil: the partition is gone
		want  []string
	}{
		{"other replicas", plan.Topic{Name: "t", ID: [16]byte{1}}, []int32{3, 2}, []string{"t-0 has the replicas [3 2], and had [3 1] when the plan was made"}},
		{"another order", plan.Topic{Name: "t", ID: [16]byte{1}}, []int32{1, 3}, []string{"t-0 has the replicas [1 3], and had [3 1] when the plan was made"}},
		{"moved by hand", plan.Topic{Name: "t", ID: [16]byte{1}}, []int32{4, 1}, []string{"t-0 has the replicas [4 1], and had [3 1] when the plan was made"}},
		{"done as planned", plan.Topic{Name: "t", ID: [16]byte{1}}, []int32{5, 1}, nil},
		{"gone", plan.Topic{Name: "t", ID: [16]byte{1}}, nil, []string{"t-0 is in the plan and no longer in the cluster"}},
		{"made again", plan.Topic{Name: "t", ID: [16]byte{2}}, []int32{3, 1}, []string{
			"t-0 is of a topic that was deleted since the plan, and made again", "t-1 is of a topic that was deleted since the plan, and made again",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := plan.Builder{Head: plan.Cluster{ID: "c", MinISRDefault: 1}}
			for id := int32(1); id <= 5; id++ {
				b.Broker(plan.Broker{ID: id, CapacityBytes: 1000, UsableBytes: plan.Unknown})
			}
			b.Topic(tc.topic)
			if tc.first != nil {
				b.Partition(plan.PartitionView{Number: 0, Leader: tc.first[0], Replicas: tc.first, ISR: tc.first, SizeBytes: 100})
			}
			b.Partition(plan.PartitionView{Number: 1, Leader: 2, Replicas: []int32{2, 3}, ISR: []int32{3, 2}, SizeBytes: 50})
			c, err := b.Cluster()
			if err != nil {
				t.Fatal(err)
			}
			p, err := plan.Saved(made)(c, r)
			if err != nil {
				t.Fatal(err)
			}
			if got := mismatches(p); !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// Later rounds: a destination has failed, and replicas came to the broker. What
// the plan says of the rest is kept.
func TestASavedPlanGivesWayOnceItIsBegun(t *testing.T) {
	t.Parallel()
	c, r := drainOfThree(t, nil)
	made, _ := plan.Compute(c, r)
	c, r = drainOfThree(t, func(b *plan.Builder, brokers map[int32]*plan.Broker) {
		brokers[4].State = plan.Down
		b.Topic(plan.Topic{Name: "u"})
		b.Partition(plan.PartitionView{Leader: 3, Replicas: []int32{3}, ISR: []int32{3}, SizeBytes: 1})
	})
	r.Own = made.Moves[:1]
	p, err := plan.Saved(made)(c, r)
	if err != nil || len(p.Blocked()) > 0 {
		t.Fatal(err, p.Blocked())
	}
	want := "drain 3, evacuate: 0 moves, 0 B\n  t-0 [3 1] -> [5 1], 100 B, led by 1 meanwhile\n  t-1 [2 3] -> [2 1], 50 B\n  u-0 [3] -> [2], 1 B\n"
	if got := listed(p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
