package plan

// sized is a partition to be sorted: its place in a list, and how much smaller
// than the largest it is.
type sized struct {
	less uint64
	at   int32
}

// bySize returns the places of partitions in a list, the largest first, then as
// they come. They are dealt out by one digit after another, from the last, each time
// keeping the order that there is: hundreds of thousands are sorted in the time of
// a few passes.
func (s *survey) bySize(partitions []int32) []int32 {
	keys, largest := s.sized(partitions)
	spare := make([]sized, len(keys))
	for shift := 0; largest>>shift > 0; shift += digitBits {
		deal(spare, keys, shift)
		keys, spare = spare, keys
	}
	order := make([]int32, len(keys))
	for i := range keys {
		order[i] = keys[i].at
	}
	return order
}

func (s *survey) sized(partitions []int32) (keys []sized, largest uint64) {
	keys = make([]sized, len(partitions))
	for i, p := range partitions {
		size := uint64(max(0, s.c.partitions.size[p]))
		keys[i], largest = sized{size, int32(i)}, max(largest, size)
	}
	for i := range keys {
		keys[i].less = largest - keys[i].less
	}
	return keys, largest
}

// digitBits make digits of which the counts stay in the nearest cache.
const digitBits = 11

// deal puts keys in the order of one digit.
func deal(to, from []sized, shift int) {
	const digits = 1 << digitBits
	digit := func(k sized) int { return int((k.less >> shift) % digits) }
	var next [digits]int32
	for _, k := range from {
		next[digit(k)]++
	}
	start := int32(0)
	for i, n := range next {
		next[i], start = start, start+n
	}
	for _, k := range from {
		i := digit(k)
		to[next[i]] = k
		next[i]++
	}
}
