package reassign

import (
	"math"
	"time"
)

// fluid is a model of copies in virtual time: every lane sends or
// receives at most its rate, moves in flight share the lanes max-min fairly, a
// copy grows by what is written meanwhile, joins, and ends after a settling
// time. The tool sees ends only when it polls.
type fluid struct {
	rate   float64       // of every lane, bytes a second
	settle time.Duration // from the last byte to the end
	poll   time.Duration
	grow   float64 // a partition is written in 1/grow seconds to its size
}

// fluidResult is what a policy made of the moves.
type fluidResult struct {
	finish   float64 // seconds
	busiest  float64 // seconds that the busiest lane needs at least
	most     int     // in flight
	mostLane int     // in flight on one lane
	copied   float64 // bytes, of the bytes planned
	mean     float64 // completion, of the finish
}

// policy picks which of the waiting loads to start at a poll. Idle tells of each
// lane whether it runs under nine tenths of its rate.
type policy func(waiting, flying []Load, idle func(Lane) bool) []int

// fluidMove is a move on its way.
type fluidMove struct {
	Load
	rest    float64 // bytes still to be copied
	size    float64
	share   float64 // bytes a second now
	settled float64 // when it ends; 0: still copying
	lanes   []int
}

// run lets the policy carry out the loads.
func (f fluid) run(loads []Load, pick policy) fluidResult {
	s := &fluidRun{fluid: f, index: map[Lane]int{}}
	var res fluidResult
	waiting := make([]*fluidMove, len(loads))
	for i, l := range loads {
		waiting[i] = s.add(l)
	}
	s.queue = s.loads(waiting)
	for _, b := range s.total {
		res.busiest = max(res.busiest, b/f.rate)
	}
	for {
		s.retire()
		if len(waiting)+len(s.flying) == 0 {
			break
		}
		waiting = s.start(waiting, pick)
		res.most = max(res.most, len(s.flying))
		res.mostLane = max(res.mostLane, s.busiest())
		s.advance(s.now + f.poll.Seconds())
		if s.now > 1e8 {
			res.finish = math.Inf(1)
			return res
		}
	}
	res.finish = s.now
	res.copied, res.mean = s.copied/s.planned, s.ends/float64(len(loads))/s.now
	return res
}

type fluidRun struct {
	fluid
	now     float64
	index   map[Lane]int
	total   []float64 // bytes planned on each lane
	flying  []*fluidMove
	copied  float64
	planned float64
	ends    float64 // sum of the times of completion

	queue []Load    // what waits
	dirty bool      // the shares have to be computed again
	left  []float64 // of a lane's rate, while sharing
	users []int
	on    [][]*fluidMove // by lane, while sharing
}

func (s *fluidRun) add(l Load) *fluidMove {
	m := &fluidMove{Load: l, rest: float64(l.Left), size: float64(l.Left)}
	l.lanes(func(at Lane, bytes int64) {
		i, ok := s.index[at]
		if !ok {
			i = len(s.total)
			s.index[at] = i
			s.total = append(s.total, 0)
			s.left, s.users, s.on = append(s.left, 0), append(s.users, 0), append(s.on, nil)
		}
		s.total[i] += float64(bytes)
		m.lanes = append(m.lanes, i)
	})
	s.planned += m.size
	return m
}

// retire takes out what has ended: this is the look of the tool.
func (s *fluidRun) retire() {
	var flying []*fluidMove
	for _, m := range s.flying {
		if m.settled > 0 && m.settled <= s.now+1e-6 {
			s.ends += m.settled
			continue
		}
		flying = append(flying, m)
	}
	s.flying = flying
}

func (s *fluidRun) start(waiting []*fluidMove, pick policy) []*fluidMove {
	if len(waiting) == 0 {
		return nil
	}
	chosen := map[int]bool{}
	for _, i := range pick(s.queue, s.loads(s.flying), s.idle) {
		chosen[i] = true
		s.flying = append(s.flying, waiting[i])
	}
	if len(chosen) == 0 {
		return waiting
	}
	s.dirty = true
	var rest []*fluidMove
	for i, m := range waiting {
		if !chosen[i] {
			rest = append(rest, m)
		}
	}
	s.queue = s.loads(rest)
	return rest
}

func (s *fluidRun) loads(moves []*fluidMove) []Load {
	loads := make([]Load, len(moves))
	for i, m := range moves {
		loads[i] = m.Load
		loads[i].Left = int64(max(0, m.rest))
		if m.settled > 0 {
			loads[i].Left = 0
		}
	}
	return loads
}

// idle is what a tool measures from the logs.
func (s *fluidRun) idle(at Lane) bool { return s.left[s.index[at]] > 0.1*s.rate }

func (s *fluidRun) busiest() int {
	clear(s.users)
	most := 0
	for _, m := range s.flying {
		for _, i := range m.lanes {
			s.users[i]++
			most = max(most, s.users[i])
		}
	}
	return most
}

// advance copies until then, from one completion to the next.
func (s *fluidRun) advance(then float64) {
	for s.now < then {
		s.settleDone()
		if s.dirty {
			s.shareOut()
			s.dirty = false
		}
		step := then - s.now
		for _, m := range s.flying {
			if net := m.share - s.growth(m); m.settled == 0 && net > 0 {
				step = min(step, m.rest/net)
			}
		}
		step = max(step, 1e-6)
		s.now += step
		for _, m := range s.flying {
			if m.settled > 0 {
				continue
			}
			s.copied += m.share * step
			m.rest -= (m.share - s.growth(m)) * step
		}
	}
	s.settleDone()
}

// settleDone takes the copies that have caught up out of the sharing.
func (s *fluidRun) settleDone() {
	for _, m := range s.flying {
		if m.settled == 0 && m.rest <= 1 {
			m.settled = s.now + s.settle.Seconds()
			s.dirty = true
		}
	}
}

func (s *fluidRun) growth(m *fluidMove) float64 { return m.size * s.grow }

// shareOut gives every copy its max-min fair share: the lane with the least for
// each of its copies fixes theirs, again and again.
func (s *fluidRun) shareOut() {
	clear(s.users)
	for i := range s.left {
		s.left[i], s.on[i] = s.rate, s.on[i][:0]
	}
	open := 0
	for _, m := range s.flying {
		m.share = -1
		if m.settled > 0 {
			m.share = 0
			continue
		}
		open++
		for _, i := range m.lanes {
			s.users[i]++
			s.on[i] = append(s.on[i], m)
		}
	}
	for open > 0 {
		tight, least := -1, math.Inf(1)
		for i, n := range s.users {
			if n > 0 && s.left[i]/float64(n) < least {
				tight, least = i, s.left[i]/float64(n)
			}
		}
		for _, m := range s.on[tight] {
			if m.share >= 0 {
				continue
			}
			m.share = least
			open--
			for _, i := range m.lanes {
				s.users[i]--
				s.left[i] = max(0, s.left[i]-least)
			}
		}
	}
}
