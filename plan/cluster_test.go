package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAClusterFindsWhatItHas(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+"topic a\n2 1,2\n5 2,3 adding=3\ntopic c\n0 3")
	for _, k := range []struct {
		name  TopicPartition
		index int
		found bool
	}{
		{TopicPartition{"a", 2}, 0, true},
		{TopicPartition{"a", 5}, 1, true},
		{TopicPartition{"c", 0}, 2, true},
		{TopicPartition{"a", 3}, 1, false}, // a gap in the numbers
		{TopicPartition{"a", 6}, 2, false}, // past the last of the topic, where c begins
		{TopicPartition{"b", 0}, 0, false}, // no such topic
	} {
		if i, found := c.Find(k.name); i != k.index || found != k.found {
			t.Errorf("%v: got %d, %v, want %d, %v", k.name, i, found, k.index, k.found)
		}
	}
	var holders []int32
	for id := int32(0); id < 5; id++ {
		if c.Partition(1).Holds(id) {
			holders = append(holders, id)
		}
	}
	if want := []int32{2, 3}; !slices.Equal(holders, want) {
		t.Errorf("a-5 is held by %v, want %v", holders, want)
	}
}

func TestABrokerThatIsNotKnownIsDownAndOfUnknownSpace(t *testing.T) {
	t.Parallel()
	c := sketched(t, "broker 1\nbroker 4 down\ntopic a\n0 1,9")
	if b, known := c.Broker(9); known || b.ID != 9 || b.State != Down || b.CapacityBytes != Unknown || b.UsableBytes != Unknown {
		t.Errorf("got %+v, known %v", b, known)
	}
	for id, want := range map[int32]bool{1: true, 4: false, 9: false} {
		if got := c.Live(id); got != want {
			t.Errorf("broker %d live: %v, want %v", id, got, want)
		}
	}
}

func TestMinISRIsThatOfTheTopicElseOfTheClusterAndAtLeastOne(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		value    string // of the topic; empty: it has none
		fallback int
		want     int
	}{
		{"", 2, 2}, {"3", 2, 3}, {"1", 2, 1}, {"0", 2, 2}, {"-1", 2, 2}, {"two", 2, 2}, {"2.5", 3, 3}, {"", 0, 1}, {"x", -1, 1},
	} {
		own := ""
		if k.value != "" {
			own = " min=" + k.value
		}
		c := sketched(t, "broker 1\ntopic a"+own+"\n0 1")
		c.MinISRDefault = k.fallback
		if got := c.MinISR(0); got != k.want {
			t.Errorf("min.insync.replicas %q, default %d: got %d, want %d", k.value, k.fallback, got, k.want)
		}
	}
}

// The executor did not count a replica on a dead log dir, nor an ISR's member that is
// no replica, and the circuit breaker counted both: what was sick before a run for
// the one was well for the other.
func TestUnderMinISR(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		name, min, partition string
		inSync               int
		under                bool
	}{
		{"all are in sync", "2", "1,2,3", 3, false},
		{"as many as are needed", "2", "1,2,3 isr=1,3", 2, false},
		{"too few", "2", "1,2,3 isr=3", 1, true},
		{"no more than there are", "3", "1,2", 2, false},
		{"one that is added is not needed", "2", "1,2 isr=1 adding=2", 1, false},
		{"and counts once it is in sync", "2", "1,2,3 isr=2,3 adding=3", 2, false},
		{"a log dir is offline", "2", "1,2,3 isr=1,2 offline=2", 1, true},
		{"one in sync is no replica", "2", "1,2,3 isr=1,4", 1, true},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			c := sketched(t, fourBrokers+"topic a min="+k.min+"\n0 "+k.partition)
			if got, under := c.Partition(0).InSync(), c.UnderMinISR(0); got != k.inSync || under != k.under {
				t.Errorf("got %d and %v, want %d and %v", got, under, k.inSync, k.under)
			}
		})
	}
}

func TestInternalTopicsAreThoseOfCoordinators(t *testing.T) {
	t.Parallel()
	for topic, want := range map[string]bool{
		"__consumer_offsets": true, "__transaction_state": true, "__share_group_state": true,
		"__cluster_metadata": false, "__consumer_offsets2": false, "_schemas": false, "orders": false,
	} {
		if got := IsInternal(topic); got != want {
			t.Errorf("%s is internal: %v, want %v", topic, got, want)
		}
	}
}

// Who is asked about is checked before anything is predicted or planned.
func TestCheckBrokersKnowsTheRegisteredAndThoseInReplicaLists(t *testing.T) {
	t.Parallel()
	c := sketched(t, "broker 1\nbroker 4 down\ntopic a\n0 1,9")
	for _, k := range []struct {
		brokers []int32
		want    string // what the error says; empty: none
	}{
		{[]int32{1}, ""}, {[]int32{4}, ""}, {[]int32{9, 1}, ""},
		{nil, "invalid request: no broker to drain: name at least one"},
		{[]int32{-1}, "invalid request: broker -1: an ID is 0 or more"},
		{[]int32{1, 4, 1}, "invalid request: a broker to drain is named twice"},
		{[]int32{8, 1, 7}, "no broker 7: it is not registered and in no replica list; there are 1, 4"},
	} {
		got := ""
		if err := CheckBrokers(c, k.brokers); err != nil {
			got = err.Error()
		}
		if got != k.want {
			t.Errorf("%v: got %q, want %q", k.brokers, got, k.want)
		}
	}
}

func TestAnUnknownBrokerIsToldWithTwentyThatThereAre(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{20: "17, 18, 19, 20", 21: "19, 20, 1 more", 22: "19, 20, 2 more"} {
		var text strings.Builder
		for id := 1; id <= n; id++ {
			fmt.Fprintln(&text, "broker", id)
		}
		err := CheckBrokers(sketched(t, text.String()), []int32{99})
		if err == nil || !strings.HasSuffix(err.Error(), ", "+want) {
			t.Errorf("of %d brokers: got %v, want it to end with %s", n, err, want)
		}
	}
}
