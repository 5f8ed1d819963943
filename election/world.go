package election

import (
	"fmt"
	"slices"
)

// Crashes are all results that a crash of the dead can have, over every order
// in which Kafka may take them, the worst first. Its length grows with the
// factorial of the dead that matter to p; it is for tests and for explaining.
func Crashes(r Rules, live func(int32) bool, p Partition, dead []int32) []Result {
	return (&scene{rules: r, live: live, before: p, dead: dead}).all()
}

// Shutdowns is Crashes for brokers that are stopped with SIGTERM.
func Shutdowns(r Rules, live func(int32) bool, p Partition, dead []int32) []Result {
	return (&scene{rules: r, live: live, before: p, dead: dead, stop: r.Mode == ZooKeeper}).all()
}

// world is a partition with some of the dead gone and others still to go.
type world struct {
	p        Partition
	gone     []int32 // whose process is gone
	stopping []int32 // in controlled shutdown, their process still there
	unclean  bool    // an unclean election happened on the way
	stillLed bool    // a controlled shutdown could not move the partition
}

// leave is the loss of one broker under KRaft.
func (s *scene) leave(w world, id int32) world {
	w.gone = with(w.gone, id)
	p, unclean := s.rules.leave(w.p, s.candidates(w.gone), id)
	w.p, w.unclean = p, w.unclean || unclean
	return w
}

// vanish is one event of a ZooKeeper controller in which the processes of some
// brokers are gone.
func (s *scene) vanish(w world, ids []int32) world {
	w.gone = with(w.gone, ids...)
	w.stopping = without(w.stopping, ids...)
	p, unclean := s.rules.vanish(w.p, s.candidates(with(w.gone, w.stopping...)), ids)
	w.p, w.unclean = p, w.unclean || unclean
	return w
}

// retire is the request of one broker for a controlled shutdown.
func (s *scene) retire(w world, id int32) world {
	w.stopping = with(w.stopping, id)
	w.p = s.rules.retire(w.p, s.candidates(with(w.gone, w.stopping...)), w.stopping, id)
	w.stillLed = w.stillLed || w.p.Leader == id
	return w
}

// with is ids and more in a new slice.
func with(ids []int32, more ...int32) []int32 { return slices.Concat(ids, more) }

// key tells worlds apart. The order in which brokers went makes no other world.
func (w world) key() string {
	slices.Sort(w.gone)
	slices.Sort(w.stopping)
	return fmt.Sprint(w)
}

// all tries every order, with the states that several orders reach visited
// once, and returns the different results, the worst first.
func (s *scene) all() []Result {
	var results []Result
	seen := map[string]bool{}
	members := s.members()
	var visit func(w world)
	visit = func(w world) {
		if seen[w.key()] {
			return
		}
		seen[w.key()] = true
		next := s.next(w, members)
		for _, n := range next {
			visit(n)
		}
		if len(next) == 0 {
			res := s.judge(w)
			if !slices.ContainsFunc(results, func(r Result) bool { return r.same(&res) }) {
				results = append(results, res)
			}
		}
	}
	visit(world{p: s.before})
	slices.SortStableFunc(results, func(a, b Result) int {
		switch {
		case a.Worse(&b):
			return -1
		case b.Worse(&a):
			return 1
		}
		return 0
	})
	return results
}

// next are the worlds one event further, none if all members are gone.
func (s *scene) next(w world, members []int32) []world {
	var next []world
	up := without(without(members, w.gone...), w.stopping...)
	if s.rules.Mode == KRaft {
		for _, id := range up {
			next = append(next, s.leave(w, id))
		}
		return next
	}
	mayVanish := up
	if s.stop {
		for _, id := range up {
			next = append(next, s.retire(w, id))
		}
		mayVanish = w.stopping
	}
	for _, ids := range sequences(mayVanish) {
		next = append(next, s.vanish(w, ids))
	}
	return next
}

// sequences are all ordered choices of one or more of ids.
func sequences(ids []int32) [][]int32 {
	var all [][]int32
	for _, id := range ids {
		all = append(all, []int32{id})
		for _, rest := range sequences(without(ids, id)) {
			all = append(all, append([]int32{id}, rest...))
		}
	}
	return all
}
