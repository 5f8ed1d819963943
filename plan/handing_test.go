package plan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// succeed is a succession of tasks with these heirs, each named to its first.
func succeed(led []int32, heirs ...[]int32) *succession {
	s := &succession{led: slices.Clone(led)}
	for i, list := range heirs {
		s.tasks = append(s.tasks, int32(i))
		s.heirs = append(s.heirs, list...)
		s.ends = append(s.ends, int32(len(s.heirs)))
		s.chosen = append(s.chosen, list[0])
		s.led[list[0]]++
	}
	return s
}

func TestLeadershipIsHandedOnAlongChains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		led   []int32
		heirs [][]int32
		want  []int32
	}{
		{"one leads two more", []int32{1, 0}, [][]int32{{0, 1}}, []int32{1, 1}},
		{"one leads one more", []int32{0, 0}, [][]int32{{0, 1}}, []int32{1, 0}},
		{"over a second broker", []int32{1, 0, 0}, [][]int32{{0, 1}, {1, 2}}, []int32{1, 1, 1}},
		{"one chain after the other", []int32{1, 0, 0, 0}, [][]int32{{0, 1}, {1, 2}, {0, 3}}, []int32{1, 1, 1, 1}},
		{"what leads nothing of the drain gives nothing", []int32{9, 1, 0}, [][]int32{{1, 2}}, []int32{9, 1, 1}},
		{"no tasks", []int32{3, 0}, nil, []int32{3, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := succeed(c.led, c.heirs...)
			s.handOn()
			if !slices.Equal(s.led, c.want) {
				t.Errorf("got %v, want %v", s.led, c.want)
			}
		})
	}
}

// No choice of heirs is more even than the one that is left, whatever it began
// with, and the counts are those of the choice.
func TestNoChoiceOfHeirsIsMoreEven(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		led := make([]int32, 2+r.IntN(5))
		for i := range led {
			led[i] = int32(r.IntN(4))
		}
		heirs := make([][]int32, r.IntN(7))
		for i := range heirs {
			for _, at := range r.Perm(len(led))[:1+r.IntN(min(3, len(led)))] {
				heirs[i] = append(heirs[i], int32(at))
			}
		}
		s := succeed(led, heirs...)
		s.handOn()
		counted := slices.Clone(led)
		for i, at := range s.chosen {
			if !slices.Contains(heirs[i], at) {
				t.Fatalf("task %d of %v goes to %d", i, heirs, at)
			}
			counted[at]++
		}
		if !slices.Equal(counted, s.led) {
			t.Fatalf("%v are counted, %v are noted", counted, s.led)
		}
		if got, want := squares(s.led), leastSquares(led, heirs); got != want {
			t.Fatalf("%v with %v: sum of squares %d, want %d", led, heirs, got, want)
		}
	}
}

func squares(led []int32) (sum int) {
	for _, n := range led {
		sum += int(n) * int(n)
	}
	return sum
}

// leastSquares tries every choice.
func leastSquares(led []int32, heirs [][]int32) int {
	if len(heirs) == 0 {
		return squares(led)
	}
	least := -1
	for _, at := range heirs[0] {
		led[at]++
		if sum := leastSquares(led, heirs[1:]); least < 0 || sum < least {
			least = sum
		}
		led[at]--
	}
	return least
}
