package plan

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Partitions come out by size as a stable sort has them, whatever the sizes are.
func TestPartitionsAreSortedBySize(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 4))
	for range 200 {
		var sizes []int64
		for range rng.IntN(50) {
			sizes = append(sizes, rng.Int64N(1<<rng.IntN(63)+1)-1) // -1 is unknown, and nothing
		}
		s := survey{c: &Cluster{partitions: partitions{size: sizes}}}
		var want []int32
		for i := range sizes {
			want = append(want, int32(i))
		}
		got := s.bySize(want)
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(max(0, sizes[b]), max(0, sizes[a])) })
		if !slices.Equal(got, want) {
			t.Fatalf("sizes %v: got the order %v, want %v", sizes, got, want)
		}
	}
}
