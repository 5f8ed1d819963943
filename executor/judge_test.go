package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drain/plan"
	"drain/reassign"
)

// small is a cluster from text: "orders-0 1,2,3 isr=1,2 leader=2" for each
// partition.
func small(t *testing.T, brokers []int32, partitions ...string) *plan.Cluster {
	t.Helper()
	var b plan.Builder
	b.Head = plan.Cluster{ID: "c", MinISRDefault: 1}
	for _, id := range brokers {
		b.Broker(plan.Broker{ID: id, CapacityBytes: plan.Unknown, UsableBytes: plan.Unknown})
	}
	for _, text := range partitions {
		words := strings.Fields(text)
		var name Partition
		if err := name.UnmarshalText([]byte(words[0])); err != nil {
			t.Fatal(err)
		}
		v := plan.PartitionView{Number: name.Partition, Replicas: ids(t, words[1]), SizeBytes: 1}
		v.ISR, v.Leader = v.Replicas, v.Replicas[0]
		configs := map[string]string{}
		for _, w := range words[2:] {
			key, value, _ := strings.Cut(w, "=")
			switch key {
			case "isr":
				v.ISR = ids(t, value)
			case "leader":
				v.Leader = ids(t, value)[0]
			case "adding":
				v.Adding = ids(t, value)
			case "removing":
				v.Removing = ids(t, value)
			case "min":
				configs["min.insync.replicas"] = value
			}
		}
		b.Topic(plan.Topic{Name: name.Topic, Configs: configs})
		b.Partition(v)
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func ids(t *testing.T, text string) []int32 {
	t.Helper()
	s := &story{t: t}
	var all []int32
	for w := range strings.SplitSeq(text, ",") {
		all = append(all, s.id(w))
	}
	return all
}

// TestTheGate asks about broker 1. Each row is what the two scans show, what is
// known beside them, and the blocks that must come of it, in part.
func TestTheGate(t *testing.T) {
	t.Parallel()
	all := []int32{1, 2, 3}
	well := []string{"a-0 2,3", "b-0 3,2"}
	tp := func(topic string, n int32) plan.TopicPartition {
		return plan.TopicPartition{Topic: topic, Partition: n}
	}
	for _, tc := range []struct {
		name   string
		live   []int32
		first  []string
		second []string // nil: as the first
		with   func(*question)
		want   []string // nil: it may be stopped
	}{
		{name: "an empty broker may be stopped", first: well},
		{name: "a replica in the first scan", first: []string{"a-0 1,2"}, second: well, want: []string{"a-0 has a replica on broker 1"}},
		{name: "a replica in the second scan only", first: well, second: append([]string{"late-0 3,1"}, well...), want: []string{"late-0 has a replica on broker 1"}},
		{name: "a replica that the plan leaves", first: []string{"a-0 2,1 min=1"}, with: func(q *question) { q.left = map[Partition]bool{{"a", 0}: true} }},
		{name: "one that it leaves, and another", first: []string{"a-0 2,1", "b-0 2,1"}, with: func(q *question) { q.left = map[Partition]bool{{"a", 0}: true} }, want: []string{"b-0 has a replica"}},
		{
			name: "what is left would be leaderless", first: []string{"a-0 2,1 isr=1 leader=1"},
			with: func(q *question) {
				q.left = map[Partition]bool{{"a", 0}: true}
				q.before.sick[Partition{"a", 0}] = Health{Missing: 1}
			},
			want: []string{"a-0 would be leaderless"},
		},
		{
			name: "what is left would be under its min ISR", first: []string{"a-0 2,1 min=2"},
			with: func(q *question) { q.left = map[Partition]bool{{"a", 0}: true} }, want: []string{"a-0 would be underMinIsr"},
		},
		{
			name: "a risk that was accepted", first: []string{"a-0 2,1 min=2"},
			with: func(q *question) {
				q.left = map[Partition]bool{{"a", 0}: true}
				q.accept = []string{"under-min-isr"}
			},
		},
		{name: "a move in flight that names the broker", first: []string{"a-0 2,3,1 removing=1 isr=2,3,1"}, want: []string{"a-0 that names broker 1 is in flight", "a-0 has a replica"}},
		{name: "a move in flight elsewhere", first: []string{"a-0 2,3 adding=3"}},
		{name: "a partition lost its leader", first: []string{"a-0 2,3 leader=-1 isr=2"}, want: []string{"a-0 has no leader, and had one before"}},
		{
			name: "a partition that had none before", first: []string{"a-0 2,3 leader=-1 isr=2"},
			with: func(q *question) {
				q.before.sick[Partition{"a", 0}] = Health{Leaderless: true, UnderMin: true, Missing: 2}
			},
		},
		{name: "a replica fell out of sync", first: []string{"a-0 2,3 isr=2"}, want: []string{"a-0 has fewer replicas in sync than before"}},
		{
			name: "one that was out of sync before", first: []string{"a-0 2,3 isr=2"},
			with: func(q *question) { q.before.sick[Partition{"a", 0}] = Health{Missing: 1} },
		},
		{
			name: "and is now under its min ISR", first: []string{"a-0 2,3 isr=2 min=2"},
			with: func(q *question) { q.before.sick[Partition{"a", 0}] = Health{Missing: 1} }, want: []string{"a-0 is under its min ISR, and was not before"},
		},
		{name: "a setting that is owed", first: well, with: func(q *question) {
			q.debts = []reassign.Debt{{Resource: reassign.OfBroker(1), Key: reassign.LeaderRate, Set: "1"}}
		}, want: []string{"broker 1 leader.replication.throttled.rate has not been given back"}},
		{name: "a log of a hidden topic", first: well, with: func(q *question) { q.logs = []plan.TopicPartition{tp("hidden", 0)} }, want: []string{"hidden-0 lies on broker 1, and the metadata does not show the topic"}},
		{name: "a hidden topic cannot be accepted", first: well, with: func(q *question) {
			q.logs = []plan.TopicPartition{tp("hidden", 0)}
			q.accept = []string{"stray-log", "hidden-topic", ""}
		}, want: []string{"hidden-0 lies on broker 1"}},
		{name: "a stray log of a topic that is seen", first: well, with: func(q *question) { q.logs = []plan.TopicPartition{tp("a", 7)} }, want: []string{"a-7 lies on broker 1, and no replica list places it there"}},
		{name: "a stray log of a partition that is elsewhere", first: well, with: func(q *question) { q.logs = []plan.TopicPartition{tp("a", 0)} }, want: []string{"a-0 lies on broker 1, and no replica list places it there"}},
		{name: "a stray log of a topic that the second scan does not show", first: append([]string{"gone-0 2,3"}, well...), second: well, with: func(q *question) {
			q.logs = []plan.TopicPartition{tp("gone", 0)}
		}, want: []string{"gone-0 lies on broker 1, and no replica list places it there"}},
		{name: "the log of a replica that the plan leaves is none", first: []string{"a-0 2,1"}, with: func(q *question) {
			q.left = map[Partition]bool{{"a", 0}: true}
			q.logs = []plan.TopicPartition{tp("a", 0)}
		}},
		{name: "a stray log that is accepted", first: well, with: func(q *question) {
			q.logs = []plan.TopicPartition{tp("a", 7)}
			q.accept = []string{"stray-log"}
		}},
		{name: "logs that cannot be read", first: well, with: func(q *question) { q.logsFailed = errors.New("not authorized") }, want: []string{"what lies on the disks of broker 1 cannot be told: not authorized"}},
		{name: "an offline log dir is a warning", first: well, with: func(q *question) { q.offline = []string{"/d2"} }},
		{name: "a broker that is down has no logs to read", live: []int32{2, 3}, first: well, with: func(q *question) { q.dead, q.logsFailed = true, errors.New("unreachable") }},
		{name: "a quorum of three with one more lagging", first: well, with: func(q *question) { q.quorum([]int32{1, 2, 3}, 2) }, want: []string{"of the controller voters [1 2 3] the stop takes [1]; [3] are left alive and caught up, and 2 are needed"}},
		{name: "a quorum of five with two more lagging", first: well, with: func(q *question) { q.quorum([]int32{1, 2, 3, 4, 5}, 4, 5) }, want: []string{"the stop takes [1]; [2 3] are left alive and caught up, and 3 are needed"}},
		{name: "a quorum of five with one more lagging", first: well, with: func(q *question) { q.quorum([]int32{1, 2, 3, 4, 5}, 4) }},
		{name: "a quorum that holds", first: well, with: func(q *question) { q.quorum([]int32{1, 2, 3}) }},
		{name: "a voter on the host of the broker goes with it", first: well, with: func(q *question) {
			q.quorum([]int32{101, 102, 103}, 102)
			q.scans[0].Brokers[0].Host, q.scans[0].Quorum.Voters[0].Host = "h1", "h1"
		}, want: []string{"the stop takes [101]; [103] are left"}},
		{name: "a voter that is a broker, and down", first: []string{"a-0 3"}, with: func(q *question) {
			q.quorum([]int32{1, 2, 3})
			q.scans[0].Brokers[1].State = plan.Fenced
		}, want: []string{"the stop takes [1]; [3] are left"}},
		{name: "a quorum in the second scan only", first: well, second: append([]string{"late-0 2"}, well...), with: func(q *question) {
			q.quorum([]int32{1, 2, 3}, 2)
			q.scans[0].Quorum = nil
		}, want: []string{"the stop takes [1]; [3] are left"}},
		{name: "a broken quorum that the broker is not part of", first: well, with: func(q *question) { q.quorum([]int32{7, 8, 9}, 8, 9) }},
		{name: "nobody else is live", live: []int32{1}, first: []string{"a-0 2,3 isr=2 leader=2"}, with: func(q *question) {
			q.before.sick[Partition{"a", 0}] = Health{Missing: 2}
			q.accept = []string{""}
		}, want: []string{"without broker 1 no live broker is left"}},
		{name: "only one that leaves too is live", live: []int32{1, 3}, first: []string{"a-0 3"}, with: func(q *question) {
			q.leaving, q.accept = []int32{1, 3}, []string{"leaderless"}
		}, want: []string{"without brokers 1 and 3 no live broker is left"}},
		{name: "another cluster answers", first: well, with: func(q *question) { q.cluster = "mine" }, want: []string{"the answers come from cluster c"}},
		{name: "a scan that is not whole", first: well, with: func(q *question) {
			q.scans[1].Notes = []plan.Finding{{Level: plan.Block, Risk: "unreadable", Message: "topic x could not be described"}}
		}, want: []string{"topic x could not be described"}},
		{
			name: "another drained broker holds the only other replica", first: []string{"a-0 1,2"},
			with: func(q *question) { q.left = map[Partition]bool{{"a", 0}: true}; q.draining = []int32{2} },
			want: []string{"a-0 would be leaderless"},
		},
		{
			name: "what the other run loses by itself does not hide what this one does", first: []string{"a-0 1,2 min=2"},
			with: func(q *question) { q.stays, q.draining = true, []int32{2} },
			want: []string{"without broker 1, and broker 2, which another run may stop, a-0 would be leaderless", "without broker 1, a-0 would be underMinIsr"},
		},
		{
			name: "nor that both lose more", first: []string{"a-0 1,2,3 isr=1,2 min=2 leader=2"},
			with: func(q *question) {
				q.stays, q.draining, q.accept = true, []int32{2}, []string{"under-min-isr"}
				q.before.sick[Partition{"a", 0}] = Health{Missing: 1}
			},
			want: []string{"a-0 would be leaderless"},
		},
		{
			name: "what only the other run can lose is its affair", first: []string{"a-0 2"},
			with: func(q *question) { q.draining = []int32{2} },
		},
		{name: "without a plan, what is safe stays", first: []string{"a-0 2,1"}, with: func(q *question) { q.stays = true }},
		{name: "without a plan, what is not safe blocks", first: []string{"a-0 1"}, with: func(q *question) { q.stays = true }, want: []string{"a-0 would be leaderless"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			brokers := all
			if tc.live != nil {
				brokers = tc.live
			}
			q := question{target: 1, leaving: []int32{1}, cluster: "c", before: health{sick: map[Partition]Health{}}}
			q.scans[0] = small(t, brokers, tc.first...)
			q.scans[1] = q.scans[0]
			if tc.second != nil {
				q.scans[1] = small(t, brokers, tc.second...)
			}
			if tc.with != nil {
				tc.with(&q)
			}
			v := judge(q)
			got := plan.Blocking(v.findings)
			if len(got) != len(tc.want) {
				t.Fatalf("got %d blocks, want %d:\n%v", len(got), len(tc.want), got)
			}
			for i, want := range tc.want {
				if !strings.Contains(got[i].Message, want) {
					t.Errorf("block %d is %q, want %q in it", i, got[i].Message, want)
				}
				if f := got[i]; f.Topic != "" && !strings.Contains(f.Message, plan.TopicPartition{Topic: f.Topic, Partition: f.Partition}.String()) {
					t.Errorf("block %d is about %s-%d, and says %q", i, f.Topic, f.Partition, f.Message)
				}
			}
		})
	}
}

// What a program reads of a block is what a person does.
func TestABlockNamesItsRiskPartitionBrokerAndRemedy(t *testing.T) {
	t.Parallel()
	q := question{target: 1, leaving: []int32{1}, cluster: "c", before: health{sick: map[Partition]Health{}}, offline: []string{"/d1", "/d2"},
		logs: []plan.TopicPartition{{Topic: "a", Partition: 7}, {Topic: "hidden", Partition: 3}}, debts: []reassign.Debt{{Resource: reassign.OfBroker(2), Key: reassign.LeaderRate, Set: "1"}}}
	q.scans[0] = small(t, []int32{1, 2, 3}, "a-0 2,3", "b-4 1,2")
	q.scans[1] = q.scans[0]
	q.quorum([]int32{1, 2, 3}, 2)
	var got []string
	for _, f := range judge(q).findings {
		got = append(got, fmt.Sprintf("%v %q %q %d, broker %d: %s", f.Level, f.Risk, f.Topic, f.Partition, f.Broker, f.Remedy))
	}
	want := []string{
		`block "" "" -1, broker 1: ` + "`drain cleanup` tries again",
		`warn "offline-log-dir" "" -1, broker 1: `,
		`block "quorum-lost" "" -1, broker 1: bring the other voters back in step first, or move the voter elsewhere (AddRaftVoter, RemoveRaftVoter)`,
		`block "stray-log" "a" 7, broker 1: it may be a leftover: accept it if its data is not needed`,
		`block "" "b" 4, broker 1: run again to move it`,
		`block "" "hidden" 3, broker 1: give the login Describe on the topic, and run again`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Both scans are heard, and what both show is one arrival.
func TestArrivalsAreInOrderAndEachOnce(t *testing.T) {
	t.Parallel()
	q := question{target: 1, left: map[Partition]bool{{"stays", 1}: true}}
	q.scans[0] = small(t, []int32{1, 2}, "b-0 1", "stays-1 1", "other-2 2", "c-0 2,1")
	q.scans[1] = small(t, []int32{1, 2}, "a-0 1", "b-0 1", "c-0 2,1")
	if got, want := judge(q).arrived, []Partition{{"a", 0}, {"b", 0}, {"c", 0}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	q.stays = true
	if got := judge(q).arrived; got != nil {
		t.Errorf("without a plan: got %v, want none", got)
	}
}

func (q *question) quorum(voters []int32, lagging ...int32) {
	for _, c := range q.scans {
		c.Quorum = &plan.Quorum{LeaderID: 3, Lagging: lagging}
		for _, id := range voters {
			c.Quorum.Voters = append(c.Quorum.Voters, plan.Voter{ID: id})
		}
	}
}

func TestWhatIsProvenIsWhatWasAccepted(t *testing.T) {
	t.Parallel()
	q := question{target: 1, leaving: []int32{1}, cluster: "c", before: health{sick: map[Partition]Health{}},
		left: map[Partition]bool{{"a", 0}: true, {"b", 0}: true}, accept: []string{"under-min-isr", "leaderless"}}
	q.scans[0] = small(t, []int32{1, 2, 3}, "a-0 1,2 min=2", "b-0 1")
	q.scans[1] = q.scans[0]
	v := judge(q)
	want := []Health{{Partition: Partition{"a", 0}, UnderMin: true}, {Partition: Partition{"b", 0}, Leaderless: true, UnderMin: true}}
	if len(plan.Blocking(v.findings)) > 0 || !slices.Equal(v.proven, want) {
		t.Errorf("got %+v, blocked %v; want %+v", v.proven, plan.Blocking(v.findings), want)
	}
}
