package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/plan"
)

// tight is a cluster on which t-0 has room nowhere until u-1, a follower on
// broker 2, has gone to broker 4: sixty megabytes, and fifty are free on each.
func tight() simkafka.Spec {
	const mb = 1_000_000
	s := simkafka.Spec{ID: "tight"}
	for id, usable := range []int64{1: 400, 2: 50, 3: 400, 4: 50} {
		if id > 0 {
			s.Brokers = append(s.Brokers, simkafka.Broker{
				ID: int32(id), Rack: "a", Host: fmt.Sprintf("kafka-%d", id), Port: 9092,
				Dirs: []simkafka.Dir{{Path: "/d", Bytes: 1000 * mb, Usable: usable * mb}},
			})
		}
	}
	s.Topics = []simkafka.Topic{
		{Name: "t", Partitions: []simkafka.Partition{{Replicas: []int32{3, 1}, Bytes: 60 * mb}}},
		{Name: "u", Partitions: []simkafka.Partition{
			{Number: 0, Replicas: []int32{1, 2}, Bytes: 30 * mb},
			{Number: 1, Replicas: []int32{1, 2}, Bytes: 20 * mb},
			{Number: 2, Replicas: []int32{1, 4}, Bytes: 50 * mb},
		}},
		{Name: "v", Partitions: []simkafka.Partition{{Replicas: []int32{3}, Bytes: 5 * mb}}},
	}
	return s
}

const tightRunbook = `
version: 1
broker: 3
cluster: {bootstrap: ["kafka-2:9092"]}
throttle: 10MB/s
diskHeadroom: 0
acceptRisks: [helper-moves]
stop: {command: [stop-it, "{broker}"], timeout: 1m}
confirm: 20s
`

// replicas are the lists of the tight cluster, in words.
func (r *rig) replicas() string {
	var all []string
	for _, t := range r.sim.State().Topics {
		for _, p := range t.Partitions {
			all = append(all, fmt.Sprintf("%s-%d %v", t.Name, p.Number, p.Replicas))
		}
	}
	return strings.Join(all, ", ")
}

const madeRoom = "t-0 [2 1], u-0 [1 2], u-1 [1 4], u-2 [1 4], v-0 [1]"

// t-0 goes to broker 2 once u-1 has gone from there; v-0 has to do with neither.
func TestOnlyMovesThatRoomIsBeingMadeForAreHalfway(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name               string
		asked, moved, left string
		wave, makers       int // of t-0, of u-1
		want               string
	}{
		{name: "nothing was asked for", wave: 1},
		{name: "who makes room was", asked: "u-1", wave: 1, want: "t-0 u-1"},
		{name: "and has gone", asked: "u-1", moved: "u-1", wave: 1, want: "t-0 u-1"},
		{name: "what is in flight goes along", asked: "v-0 u-1", wave: 1, want: "t-0 u-1 v-0"},
		{name: "what has ended does not", asked: "v-0 u-1", moved: "v-0", wave: 1, want: "t-0 u-1"},
		{name: "both are in flight, and are named once", asked: "t-0 u-1", wave: 1, want: "t-0 u-1"},
		{name: "only who makes no room was asked for", asked: "v-0", wave: 1},
		{name: "it is done", asked: "t-0 u-1", moved: "t-0 u-1", wave: 1},
		{name: "it stays by a later plan", asked: "u-1", left: "t-0", wave: 1},
		{name: "who would make room waits itself", asked: "u-1", wave: 1, makers: 1},
		{name: "it waits for nobody", asked: "u-1", wave: 0},
	} {
		h := history{
			moves: map[Partition]plan.Move{}, asked: partitionSet(t, tc.asked), moved: partitionSet(t, tc.moved), left: partitionSet(t, tc.left),
		}
		for _, m := range []plan.Move{
			{TopicPartition: plan.TopicPartition{Topic: "t"}, From: []int32{3}, To: []int32{2}, Wave: tc.wave},
			{TopicPartition: plan.TopicPartition{Topic: "u", Partition: 1}, From: []int32{2}, To: []int32{4}, Wave: tc.makers},
			{TopicPartition: plan.TopicPartition{Topic: "v"}, From: []int32{3}, To: []int32{1}},
		} {
			h.moves[Partition(m.TopicPartition)] = m
		}
		var got []string
		for _, m := range h.halfway() {
			got = append(got, m.String())
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: got %q, want %s", tc.name, got, tc.want)
		}
	}
}

// partitionSet reads "t-0 u-1".
func partitionSet(t *testing.T, text string) map[Partition]bool {
	t.Helper()
	set := map[Partition]bool{}
	for _, word := range strings.Fields(text) {
		var p Partition
		if err := p.UnmarshalText([]byte(word)); err != nil {
			t.Fatal(err)
		}
		set[p] = true
	}
	return set
}

// TestRoomIsMadeBeforeItIsUsed drains a broker one of whose replicas has a place
// only once another has made room and its files are erased; a restore takes both
// back, in the other order.
func TestRoomIsMadeBeforeItIsUsed(t *testing.T) {
	t.Parallel()
	simulate(t, tight(), tightRunbook, func(r *rig) {
		before, began := r.sim.State(), time.Now()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if got := r.replicas(); got != madeRoom {
			r.Errorf("got %s, want %s", got, madeRoom)
		}
		r.drained(before, 3)
		if took := time.Since(began); took < time.Minute || took > 3*time.Minute {
			r.Errorf("it took %v, want a minute for the files and a little more", took)
		}
		r.sim.StartBroker(3)
		r.pause(time.Minute)
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
	})
}

// TestRoomIsNotMadeUnasked refuses the same drain without the risk.
func TestRoomIsNotMadeUnasked(t *testing.T) {
	t.Parallel()
	simulate(t, tight(), strings.Replace(tightRunbook, "helper-moves", "under-min-isr", 1), func(r *rig) {
		before := r.sim.State()
		_, err := r.run()
		r.wants(err, ErrRefused, "t-0 (60 MB) has no place: the most room is 50 MB on broker 2", "accept the risk helper-moves")
		r.untouched(before)
	})
}

// TestACrashWhileRoomIsMadeEndsLikeNone kills the process at each change in turn:
// the next one does not move yet another replica away, since it does not plan
// before the room is there that the first has begun to make.
func TestACrashWhileRoomIsMadeEndsLikeNone(t *testing.T) {
	t.Parallel()
	for n, crashed := 1, true; crashed && !t.Failed(); n += stride(5) {
		carriedOut := n%2 == 0
		t.Run(fmt.Sprintf("request %d, carried out %v", n, carriedOut), func(t *testing.T) {
			simulate(t, tight(), tightRunbook, func(r *rig) {
				before := r.sim.State()
				if _, crashed = r.goesOn(n, carriedOut); !crashed {
					return
				}
				if got := r.replicas(); got != madeRoom {
					r.Errorf("got %s, want %s", got, madeRoom)
				}
				r.drained(before, 3)
			})
		})
	}
}

// TestRoomThatDoesNotComeIsPlannedAnew lets somebody else take the room that was
// made while no process runs: the next one waits for it, then looks again, and
// says that t-0 has no place.
func TestRoomThatDoesNotComeIsPlannedAnew(t *testing.T) {
	t.Parallel()
	simulate(t, tight(), tightRunbook+"stallAfter: 2m\n", func(r *rig) {
		r.dieAt(KindMoved)
		if _, err := r.run(); !errors.Is(err, errDied) {
			r.Fatal(err)
		}
		r.disk = nil
		late := simkafka.Topic{Name: "w", Partitions: []simkafka.Partition{{Replicas: []int32{2}, BytesPerSec: 5_000_000}}}
		if err := r.sim.CreateTopic(late); err != nil {
			r.Fatal(err)
		}
		_, err := r.run()
		r.wants(err, ErrBlocked, "the replicas cannot be moved", "t-0 (60 MB)")
		if !r.said(EventWarn, "t-0 waits for disk space: broker 2 has room for") {
			r.Errorf("warnings: %q", r.texts(EventWarn))
		}
	})
}

// TestTheJournalKeepsWaves, and who makes room, for the process that goes on.
func TestTheJournalKeepsWaves(t *testing.T) {
	t.Parallel()
	simulate(t, tight(), tightRunbook, func(r *rig) {
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		h := fold(r.records())
		first := slices.Clone(h.first)
		var got []string
		for _, m := range first {
			got = append(got, fmt.Sprint(m.TopicPartition, " ", m.Wave, " ", m.Helper))
		}
		if want := []string{"t-0 1 false", "u-1 0 true", "v-0 0 false"}; !slices.Equal(got, want) {
			r.Errorf("got %q, want %q", got, want)
		}
	})
}
