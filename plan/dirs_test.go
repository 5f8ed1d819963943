package plan

import (
	"slices"
	"testing"
)

// jbod has a broker with room, but not in the log dir that Kafka would pick.
func jbod(t *testing.T, second bool) Cluster {
	t.Helper()
	const gib = 1 << 30
	broker := func(id int32, dirs ...LogDir) Broker {
		b := Broker{ID: id, CapacityBytes: 1000 * gib, UsableBytes: 0, LogDirs: dirs}
		for _, d := range dirs {
			b.UsableBytes += d.UsableBytes
		}
		return b
	}
	var b Builder
	b.Broker(broker(1, LogDir{Path: "/d", TotalBytes: 1000 * gib, UsableBytes: 900 * gib, Replicas: 1}))
	if second {
		b.Broker(broker(2, LogDir{Path: "/d1", TotalBytes: 1000 * gib, UsableBytes: 220 * gib, Replicas: 40}))
	}
	b.Broker(broker(3, LogDir{Path: "/d", TotalBytes: 1000 * gib, UsableBytes: 500 * gib, Replicas: 1}))
	b.Broker(broker(4,
		LogDir{Path: "/a", TotalBytes: 800 * gib, UsableBytes: 600 * gib, Replicas: 10},
		LogDir{Path: "/b", TotalBytes: 200 * gib, UsableBytes: 20 * gib, Replicas: 2}))
	b.Topic(Topic{Name: "t"})
	b.Partition(PartitionView{Leader: 3, Replicas: []int32{3, 1}, ISR: []int32{3, 1}, SizeBytes: 100 * gib})
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNoDirIsNamedWhereKafkasOwnPickFits(t *testing.T) {
	t.Parallel()
	p, err := ComputeNaming(jbod(t, true), Request{Brokers: []int32{3}, DiskHeadroom: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Moves) != 1 || !slices.Equal(p.Moves[0].To, []int32{2}) || p.Moves[0].Dirs != nil {
		t.Errorf("got %v, want t-0 on broker 2 and no dir named", p)
	}
}

func TestADirIsNamedWhereNothingElseFits(t *testing.T) {
	t.Parallel()
	p, err := ComputeNaming(jbod(t, false), Request{Brokers: []int32{3}, DiskHeadroom: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Moves) != 1 || !slices.Equal(p.Moves[0].To, []int32{4}) || !slices.Equal(p.Moves[0].Dirs, []string{"/a"}) {
		t.Errorf("got %v, dirs %v; want t-0 on broker 4 in /a", p, p.Moves)
	}
}

// Names cost less than what a replica without a place falls back to.
func TestDirsAreNamedBeforeAnyLastResort(t *testing.T) {
	t.Parallel()
	fitsByName := Broker{ID: 4, Rack: "c", LogDirs: []LogDir{
		{Path: "/a", TotalBytes: 300, UsableBytes: 100, Replicas: 10}, {Path: "/b", TotalBytes: 100, UsableBytes: 20, Replicas: 2},
	}}
	for _, k := range []struct {
		name   string
		others []Broker
		accept string
	}{
		{"a helper move", []Broker{{ID: 5, Rack: "c", CapacityBytes: 100, UsableBytes: 40}, {ID: 6, Rack: "c", CapacityBytes: 100, UsableBytes: 30}}, ""},
		{"a helper move that is accepted", []Broker{{ID: 5, Rack: "c", CapacityBytes: 100, UsableBytes: 40}, {ID: 6, Rack: "c", CapacityBytes: 100, UsableBytes: 30}}, helperRisk},
		{"a broker that did not tell its space", []Broker{{ID: 5, Rack: "c", CapacityBytes: Unknown, UsableBytes: Unknown}}, "space-unknown"},
		{"a broker without a rack", []Broker{{ID: 5, CapacityBytes: 1000, UsableBytes: 900}}, ""},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			var b Builder
			b.Broker(Broker{ID: 1, Rack: "a", CapacityBytes: 500, UsableBytes: 0})
			b.Broker(Broker{ID: 3, Rack: "c", CapacityBytes: 500, UsableBytes: 0})
			b.Broker(fitsByName)
			for _, other := range k.others {
				b.Broker(other)
			}
			b.Topic(Topic{Name: "t"})
			b.Partition(PartitionView{Leader: 3, Replicas: []int32{3, 1}, ISR: []int32{3, 1}, SizeBytes: 60})
			b.Partition(PartitionView{Number: 1, Leader: 1, Replicas: []int32{1, 5}, ISR: []int32{1, 5}, SizeBytes: 25})
			c, err := b.Cluster()
			if err != nil {
				t.Fatal(err)
			}
			p, err := ComputeNaming(c, Request{Brokers: []int32{3}, AcceptRisks: []string{k.accept}})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Moves) != 1 || !slices.Equal(p.Moves[0].To, []int32{4}) || !slices.Equal(p.Moves[0].Dirs, []string{"/a"}) {
				t.Errorf("got %v, want t-0 on broker 4 in /a", p)
			}
		})
	}
}

// A saved plan names a dir, or leaves it to Kafka, whose pick depends on the order
// of the moves: then any with room will do.
func TestASavedReplicaGoesToItsDirOrToOneWithRoom(t *testing.T) {
	t.Parallel()
	twoDirs := []LogDir{{Path: "/a", TotalBytes: 1000, UsableBytes: 50}, {Path: "/b", TotalBytes: 1000, UsableBytes: 400, Replicas: 9}}
	for _, k := range []struct {
		dirs []LogDir // nil: the broker tells its bytes only
		name string
		size int64
		want int
		ok   bool
	}{
		{twoDirs, "/b", 400, 1, true},
		{twoDirs, "/b", 401, 1, false},
		{twoDirs, "/a", 50, 0, true},
		{twoDirs, "/a", 51, 0, false},
		{twoDirs, "/c", 1, -1, false},
		{twoDirs, "", 50, 0, true}, // with the fewest logs
		{twoDirs, "", 51, 1, true},
		{twoDirs, "", 400, 1, true},
		{twoDirs, "", 401, -1, false},
		{nil, "", 70, -1, true},
		{nil, "", 71, -1, false},
	} {
		d := newDisk(&Broker{CapacityBytes: 100, UsableBytes: 70, LogDirs: k.dirs}, &Request{})
		if at, ok := d.dirFor(k.name, k.size); at != k.want || ok != k.ok {
			t.Errorf("%d B to %q of %v: got %d, %v, want %d, %v", k.size, k.name, k.dirs, at, ok, k.want, k.ok)
		}
	}
}

// A small replica that leaves a log dir makes room for a large one in that dir, and in
// no other: evening out does not count on all of the broker's room together.
func TestPlacesAreNotChangedForRoomThatLiesInTwoDirs(t *testing.T) {
	t.Parallel()
	var b Builder
	b.Broker(Broker{ID: 0, CapacityBytes: 100, UsableBytes: 50})
	b.Broker(Broker{ID: 1, CapacityBytes: 100, UsableBytes: 100})
	b.Broker(Broker{ID: 2, CapacityBytes: 21, UsableBytes: 11, LogDirs: []LogDir{
		{Path: "/a", TotalBytes: 10, UsableBytes: 5}, {Path: "/b", TotalBytes: 11, UsableBytes: 6}}})
	b.Topic(Topic{Name: "t"})
	for n, size := range []int64{8, 8, 4} {
		b.Broker(Broker{ID: int32(3 + n), CapacityBytes: 100}) // full
		both := []int32{int32(3 + n), 0}
		b.Partition(PartitionView{Number: int32(n), Leader: both[0], Replicas: both, ISR: both, SizeBytes: size})
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compute(c, Request{Brokers: []int32{0}, NameDirs: true})
	if err != nil {
		t.Fatal(err)
	}
	var to []int32
	for _, m := range p.Moves {
		to = append(to, m.To...)
	}
	if want := []int32{1, 1, 2}; !slices.Equal(to, want) {
		t.Errorf("got %v, want 8, 8 and 4 B on %v", p, want)
	}
}
