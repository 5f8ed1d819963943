package plan

import "slices"

// Where no single change of a preferred leader evens the counts any more, a
// chain of them may: the broker that leads most hands a partition on to another,
// which hands on one of its own, down to a broker that leads two fewer than the
// first. Along the way every count stays. When no such chain is left the counts
// are as even as these heirs allow: what can be reached from the busiest is at
// most one below, and takes no part any more, since no chain of others gains
// anything by going through it.

// mostHandedOn is how many tasks are looked at in search of chains, so that very
// large drains, where a count more or less does not show, end early.
const mostHandedOn = 1 << 20

// chains is the search for them.
type chains struct {
	*succession
	given  [][]int32 // tasks that name a node first; some have been handed on since
	even   []bool    // nodes that no chain can improve
	from   []int32   // task through which the search came to a node, or -1 at its begin
	seen   []bool
	budget int
}

// handOn evens the counts along chains until there is none.
func (s *succession) handOn() {
	c := &chains{
		succession: s,
		given:      make([][]int32, len(s.led)),
		even:       make([]bool, len(s.led)),
		from:       make([]int32, len(s.led)),
		seen:       make([]bool, len(s.led)),
		budget:     mostHandedOn,
	}
	for i, at := range s.chosen {
		c.given[at] = append(c.given[at], int32(i))
	}
	for c.budget > 0 {
		busiest := c.busiest()
		if len(busiest) == 0 {
			return
		}
		if to := c.search(busiest); to >= 0 {
			c.shift(to)
			continue
		}
		for at, seen := range c.seen {
			c.even[at] = c.even[at] || seen
		}
	}
}

// busiest are the nodes that lead most of those that can hand something on.
func (c *chains) busiest() []int32 {
	var nodes []int32
	for at := range c.led {
		if c.even[at] || len(c.given[at]) == 0 {
			continue
		}
		if len(nodes) > 0 && c.led[at] > c.led[nodes[0]] {
			nodes = nodes[:0]
		}
		if len(nodes) == 0 || c.led[at] == c.led[nodes[0]] {
			nodes = append(nodes, int32(at))
		}
	}
	return nodes
}

// search goes out from the busiest, the shortest chain first, and returns a node
// that leads two fewer, or -1.
func (c *chains) search(busiest []int32) int32 {
	clear(c.seen)
	for _, at := range busiest {
		c.seen[at], c.from[at] = true, -1
	}
	enough := c.led[busiest[0]] - 2
	for queue := slices.Clone(busiest); len(queue) > 0; queue = queue[1:] {
		for _, i := range c.given[queue[0]] {
			if c.budget--; c.chosen[i] != queue[0] {
				continue // handed on
			}
			for _, heir := range c.heirsOf(i) {
				if c.seen[heir] || c.even[heir] {
					continue
				}
				c.seen[heir], c.from[heir] = true, i
				if c.led[heir] <= enough {
					return heir
				}
				queue = append(queue, heir)
			}
		}
	}
	return -1
}

// shift hands on along the chain that ends at a node.
func (c *chains) shift(to int32) {
	c.led[to]++
	for at := to; ; {
		i := c.from[at]
		if i < 0 {
			c.led[at]--
			return
		}
		giver := c.chosen[i]
		c.chosen[i] = at
		c.given[at] = append(c.given[at], i)
		at = giver
	}
}

// heirsOf are the nodes that may be named first for a task.
func (s *succession) heirsOf(i int32) []int32 {
	if i == 0 {
		return s.heirs[:s.ends[0]]
	}
	return s.heirs[s.ends[i-1]:s.ends[i]]
}
