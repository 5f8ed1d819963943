package simkafka

import (
	"math"
	"strconv"
	"testing"
	"time"

	"drain/plan"
)

// A move of 100 MB from broker 1 to 2. The link carries 50 MB/s; each side is
// throttled by a rate on its broker and an entry in its list, and by nothing
// less.
func TestThrottleNeedsARateAndAnEntry(t *testing.T) {
	t.Parallel()
	const mb = 1_000_000
	tests := []struct {
		name           string
		release        string
		rates          map[int32]map[string]string // by broker; -1 is the cluster default
		topic          map[string]string
		writes         int64
		wantBytesPerMs float64 // within 10 %
	}{
		{name: "nothing set: the link", wantBytesPerMs: 50_000},
		{name: "leader side", wantBytesPerMs: 4_000,
			rates: map[int32]map[string]string{1: {leaderRate: "4000000"}}, topic: map[string]string{leaderReplicas: "0:1"}},
		{name: "follower side", wantBytesPerMs: 3_000,
			rates: map[int32]map[string]string{2: {followerRate: "3000000"}}, topic: map[string]string{followerReplicas: "0:2"}},
		{name: "both sides: the lower", wantBytesPerMs: 3_000,
			rates: map[int32]map[string]string{1: {leaderRate: "4000000"}, 2: {followerRate: "3000000"}},
			topic: map[string]string{leaderReplicas: "0:1", followerReplicas: "0:2"}},
		{name: "a star is every replica", wantBytesPerMs: 4_000,
			rates: map[int32]map[string]string{1: {leaderRate: "4000000"}}, topic: map[string]string{leaderReplicas: "*"}},
		{name: "a rate without an entry", wantBytesPerMs: 50_000,
			rates: map[int32]map[string]string{1: {leaderRate: "4000000"}}},
		{name: "an entry without a rate", wantBytesPerMs: 50_000, topic: map[string]string{leaderReplicas: "0:1"}},
		{name: "the entry of the other side", wantBytesPerMs: 50_000,
			rates: map[int32]map[string]string{1: {leaderRate: "4000000"}}, topic: map[string]string{leaderReplicas: "0:2"}},
		{name: "a cluster default before 3.9 does nothing", release: "3.8", wantBytesPerMs: 50_000,
			rates: map[int32]map[string]string{-1: {leaderRate: "4000000"}}, topic: map[string]string{leaderReplicas: "0:1"}},
		{name: "a cluster default from 3.9 on", release: "3.9", wantBytesPerMs: 4_000,
			rates: map[int32]map[string]string{-1: {leaderRate: "4000000"}}, topic: map[string]string{leaderReplicas: "0:1"}},
		{name: "the broker's own rate beats the default", wantBytesPerMs: 2_000,
			rates: map[int32]map[string]string{-1: {leaderRate: "4000000"}, 1: {leaderRate: "2000000"}}, topic: map[string]string{leaderReplicas: "0:1"}},
		{name: "what is written meanwhile has to be copied too", wantBytesPerMs: 4_000, writes: 1 * mb,
			rates: map[int32]map[string]string{1: {leaderRate: "4000000"}}, topic: map[string]string{leaderReplicas: "0:1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := Spec{Release: test.release, Defaults: test.rates[-1], Topics: []Topic{{Name: "t", Configs: test.topic, Partitions: []Partition{
				{Replicas: []int32{1}, Bytes: 100 * mb, BytesPerSec: test.writes},
			}}}}
			for _, id := range []int32{1, 2} {
				s.Brokers = append(s.Brokers, Broker{ID: id, Configs: test.rates[id], BytesPerSec: 50 * mb})
			}
			simulated(t, s, func(t *testing.T, r *rig) {
				if code := r.alter("t", 0, []int32{2}); code != 0 {
					t.Fatalf("alter: %d", code)
				}
				before := r.sizes(2)["t-0"]
				r.wait(time.Second)
				got := float64(r.sizes(2)["t-0"]-before) / 1000
				if math.Abs(got/test.wantBytesPerMs-1) > 0.1 {
					t.Errorf("got %.0f bytes/ms, want %.0f", got, test.wantBytesPerMs)
				}
			})
		})
	}
}

// sizes is what DescribeLogDirs says of a broker.
func (r *rig) sizes(broker int32) map[string]int64 {
	r.t.Helper()
	dirs, err := r.adm.DescribeBrokerLogDirs(r.t.Context(), broker, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	all := map[string]int64{}
	for _, d := range dirs {
		for _, topic := range d.Topics {
			for _, p := range topic {
				all[p.Topic+"-"+strconv.Itoa(int(p.Partition))] = p.Size
			}
		}
	}
	return all
}

func TestFlowsShareTheirPortsFairly(t *testing.T) {
	t.Parallel()
	// Three flows out of 1 (cap 12), one of which goes into 3 with two others.
	s := Spec{Brokers: []Broker{{ID: 1, BytesPerSec: 12}, {ID: 2}, {ID: 3, BytesPerSec: 6}, {ID: 4}}, Topics: []Topic{{Name: "t", Partitions: []Partition{
		{Replicas: []int32{1, 2}, ISR: []int32{1}, Bytes: 1000}, // 5 from the rest of 1
		{Replicas: []int32{1, 2}, ISR: []int32{1}, Bytes: 1000}, // 5
		{Replicas: []int32{1, 3}, ISR: []int32{1}, Bytes: 1000}, // 2, a third of 3
		{Replicas: []int32{4, 3}, ISR: []int32{4}, Bytes: 1000}, // 2
		{Replicas: []int32{4, 3}, ISR: []int32{4}, Bytes: 1000}, // 2
	}}}}
	m, err := newModel(s)
	if err != nil {
		t.Fatal(err)
	}
	m.refresh()
	want := []float64{5, 5, 2, 2, 2}
	for i, f := range m.copying.flows {
		if f.rate != want[i] {
			t.Errorf("flow of %v: got %v, want %v", f.p.name(), f.rate, want[i])
		}
	}
	if len(m.copying.flows) != len(want) {
		t.Errorf("got %d flows, want %d", len(m.copying.flows), len(want))
	}
}

// In-sync replicas that are listed are not held back, and eat the budget of
// those that are.
func TestListedTrafficInSyncEatsTheBudget(t *testing.T) {
	t.Parallel()
	s := Spec{
		Brokers: []Broker{{ID: 1, Configs: map[string]string{leaderRate: "10000"}}, {ID: 2}, {ID: 3}},
		Topics: []Topic{{Name: "t", Configs: map[string]string{leaderReplicas: "0:1"}, Partitions: []Partition{
			{Replicas: []int32{1, 2}, Bytes: 1_000_000, BytesPerSec: 9_500},
		}}},
	}
	simulated(t, s, func(t *testing.T, r *rig) {
		if code := r.alter("t", 0, []int32{1, 3}); code != 0 {
			t.Fatalf("alter: %d", code)
		}
		r.wait(time.Second)
		if got := r.sizes(3)["t-0"]; got < 480 || got > 520 {
			t.Errorf("after 1 s: %d bytes copied, want 500: what 2 fetches is counted first", got)
		}
		r.wait(time.Hour)
		if got := r.at("t", 0); len(got.Adding) == 0 {
			t.Errorf("the move ended below the write rate: %+v", got)
		}
	})
}

// A single replica under min.insync.replicas=2 takes no acks=all write while it
// is copied, unless the topic says 1.
func TestASingleReplicaIsUnwritableWhileItMoves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		override map[string]string
		want     time.Duration
	}{
		{want: 2100 * time.Millisecond}, // 2 s of copying, and until it is let in
		{override: map[string]string{minISRKey: "1"}},
	} {
		s := Spec{
			Defaults: map[string]string{minISRKey: "2"},
			Brokers:  []Broker{{ID: 1, BytesPerSec: 1000}, {ID: 2}},
			Topics:   []Topic{{Name: "log", Configs: test.override, Partitions: []Partition{{Replicas: []int32{1}, Bytes: 2000}}}},
		}
		simulated(t, s, func(t *testing.T, r *rig) {
			if code := r.alter("log", 0, []int32{2}); code != 0 {
				t.Fatalf("alter: %d", code)
			}
			r.wait(time.Minute)
			if got := r.Unwritable()[plan.TopicPartition{Topic: "log"}]; got != test.want {
				t.Errorf("override %v: unwritable for %v, want %v", test.override, got, test.want)
			}
		})
	}
}
