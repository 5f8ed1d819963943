package election

import "testing"

var everybodyLives = func(int32) bool { return true }

func TestALossElsewhereDoesNotAllocate(t *testing.T) {
	p := Partition{Leader: 1, Replicas: []int32{1, 2, 3}, ISR: []int32{1, 2, 3}}
	dead := []int32{7, 8}
	for _, mode := range []Mode{KRaft, ZooKeeper} {
		rules := Rules{Mode: mode}
		if got := testing.AllocsPerRun(100, func() { Crash(rules, everybodyLives, p, dead) }); got != 0 {
			t.Errorf("%v: %v allocations, want none", mode, got)
		}
	}
}

func BenchmarkCrash(b *testing.B) {
	p := Partition{Leader: 1, Replicas: []int32{1, 2, 3}, ISR: []int32{1, 2, 3}}
	flying := Partition{Leader: 1, Replicas: []int32{4, 5, 1, 2, 3}, ISR: []int32{4, 5, 1, 2, 3}, Adding: []int32{4, 5}, Removing: []int32{2, 3}}
	for _, c := range []struct {
		name string
		p    Partition
		dead []int32
	}{
		{"elsewhere", p, []int32{7}}, {"leader", p, []int32{1}}, {"two of three", p, []int32{1, 2}}, {"all three", p, []int32{1, 2, 3}},
		{"three of a partition in flight", flying, []int32{1, 4, 5}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Crash(kraft, everybodyLives, c.p, c.dead)
			}
		})
	}
}
