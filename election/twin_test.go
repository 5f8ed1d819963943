package election

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The dumb twin: the same rules once more, in the plainest form, with a set for
// each list and every order tried. It shares nothing with the package but the
// types of its input.

type set map[int32]bool

func setOf(ids []int32) set {
	s := set{}
	for _, id := range ids {
		s[id] = true
	}
	return s
}

func (s set) minus(other set) set {
	left := set{}
	for id := range s {
		if !other[id] {
			left[id] = true
		}
	}
	return left
}

func (s set) plus(other set) set {
	all := set{}
	for _, one := range []set{s, other} {
		for id := range one {
			all[id] = true
		}
	}
	return all
}

func (s set) has(all set) bool { return len(all.minus(s)) == 0 }

func (s set) String() string {
	ids := make([]int, 0, len(s))
	for id := range s {
		ids = append(ids, int(id))
	}
	sort.Ints(ids)
	return fmt.Sprint(ids)
}

// twin is the state of a partition and of the brokers around it.
type twin struct {
	rules    Rules
	minISR   int
	first    int
	unclean  bool
	live     set // alive as of now, whoever leaves later
	offline  set
	gone     set
	stopping set

	replicas          []int32
	isr, elr          set
	known             []int32
	adding, removing  set
	leader            int32
	recovering, dirty bool
	held              bool
}

func newTwin(r Rules, live set, p Partition) twin {
	return twin{
		rules: r, minISR: max(p.MinISR, 1), first: p.FirstReplicas, live: live, offline: setOf(p.Offline), gone: set{}, stopping: set{},
		unclean:  p.Unclean == On && (r.Mode == ZooKeeper || !r.Release.Before(3, 9)),
		replicas: p.Replicas, isr: setOf(p.ISR), elr: setOf(p.ELR), known: p.LastKnown,
		adding: setOf(p.Adding), removing: setOf(p.Removing), leader: p.Leader, recovering: p.Recovering,
	}
}

func (w twin) String() string {
	return fmt.Sprint(w.leader, w.replicas, w.isr, w.elr, w.known, w.adding, w.removing, w.recovering, w.dirty, w.held)
}

func (w twin) may(id int32) bool {
	return id >= 0 && w.live[id] && !w.offline[id] && !w.gone[id] && !w.stopping[id]
}

// crashKRaft is section "one broker leaves" of the rules, word by word.
func (w twin) crashKRaft(x int32) twin {
	w.gone = w.gone.plus(set{x: true})
	if !w.isr[x] {
		return w
	}
	old := w
	w.isr = w.isr.minus(set{x: true})
	w = w.finishReassignment()

	w.elr = set{}
	least := w.first
	if least == 0 {
		least = len(old.replicas)
	}
	if w.rules.ELR && len(w.isr) < min(w.minISR, least) {
		w.elr = old.elr.plus(old.isr).minus(w.isr)
	}

	w.leader = NoLeader
	dirty := false
	valid := func(id int32) bool { return w.may(id) && (w.isr[id] || len(w.isr) == 0 && w.elr[id]) }
	for _, id := range append([]int32{old.leader}, w.replicas...) {
		if w.leader == NoLeader && valid(id) {
			w.leader = id
		}
	}
	if w.leader == NoLeader && w.unclean {
		for _, id := range w.replicas {
			if w.leader == NoLeader && w.may(id) {
				w.leader, dirty = id, true
			}
		}
	}
	if w.elr[w.leader] && w.leader != NoLeader {
		w.elr = w.elr.minus(set{w.leader: true})
		w.isr = set{w.leader: true}
	}
	if dirty {
		w.isr, w.elr, w.recovering, w.dirty = set{w.leader: true}, set{}, true, true
	}
	if len(w.isr) == 0 && !w.rules.ELR {
		w.isr = old.isr
	}
	w.known = w.remember(old)
	return w
}

// remember is the last known leader: stored when the leader is lost, forgotten
// when one is there.
func (w twin) remember(old twin) []int32 {
	if !w.rules.ELR {
		return old.known
	}
	droppedReplicas := len(w.replicas) < len(old.replicas)
	if w.rules.Release.Before(4, 1) {
		switch {
		case len(w.isr) == 0 && len(old.isr) > 0 && fmt.Sprint(old.known) != fmt.Sprint([]int32{old.leader}):
			return []int32{old.leader}
		case w.leader != old.leader && w.leader != NoLeader, old.leader != NoLeader && w.leader != NoLeader:
			return nil
		}
		return old.known
	}
	switch {
	case w.leader == old.leader && !droppedReplicas:
		return old.known
	case w.leader == NoLeader && len(old.known) == 0:
		return []int32{old.leader}
	case w.leader != NoLeader:
		return nil
	}
	return old.known
}

func (w twin) finishReassignment() twin {
	if len(w.adding)+len(w.removing) == 0 {
		return w
	}
	isr := w.isr.minus(w.removing)
	var target []int32
	for _, id := range w.replicas {
		if !w.removing[id] {
			target = append(target, id)
		}
	}
	needed := w.adding
	if !w.rules.Release.Before(4, 3) {
		if len(w.adding) < len(w.removing) {
			needed = setOf(target)
		}
	} else if !w.rules.Release.Before(3, 8) {
		needed = setOf(target)
	}
	if len(isr) > 0 && len(target) > 0 && isr.has(needed) {
		w.isr, w.replicas, w.adding, w.removing = isr, target, set{}, set{}
	}
	return w
}

// vanishZK is "hardKill" of the rules for one event.
func (w twin) vanishZK(ids []int32) twin {
	w.gone = w.gone.plus(setOf(ids))
	w.stopping = w.stopping.minus(setOf(ids))
	if !w.may(w.leader) {
		w = w.electZK()
	}
	for _, x := range ids {
		if !w.isr[x] || !slices.Contains(w.replicas, x) {
			continue
		}
		if w.leader == x {
			w.leader = NoLeader
		}
		if len(w.isr) > 1 {
			w.isr = w.isr.minus(set{x: true})
		}
	}
	return w
}

func (w twin) electZK() twin {
	online := set{}
	for id := range w.isr {
		if w.may(id) {
			online[id] = true
		}
	}
	for _, id := range w.replicas {
		if online[id] {
			w.leader, w.isr = id, online
			return w
		}
	}
	if !w.unclean || len(online) > 0 {
		return w
	}
	for _, id := range w.replicas {
		if w.may(id) {
			w.leader, w.isr, w.dirty = id, set{id: true}, true
			w.recovering = w.recovering || !w.rules.Release.Before(3, 2)
			return w
		}
	}
	return w
}

// stopZK is "controlledShutdown" of the rules, up to the end of the process.
func (w twin) stopZK(x int32) twin {
	w.stopping = w.stopping.plus(set{x: true})
	if len(w.replicas) > 1 && slices.Contains(w.replicas, x) {
		if w.leader == x {
			for _, id := range w.replicas {
				if w.isr[id] && w.may(id) {
					w.leader, w.isr = id, w.isr.minus(w.stopping)
					break
				}
			}
		} else if len(w.isr) > 1 {
			w.isr = w.isr.minus(set{x: true})
		}
	}
	w.held = w.held || w.leader == x
	return w
}

// ends are all states in which the loss of the dead can end.
func (w twin) ends(dead []int32, stop bool) map[string]twin {
	ends := map[string]twin{}
	var walk func(w twin)
	walk = func(w twin) {
		done := true
		var up, stopping []int32
		for _, id := range dead {
			if w.gone[id] {
				continue
			}
			done = false
			if w.stopping[id] {
				stopping = append(stopping, id)
			} else {
				up = append(up, id)
			}
		}
		switch {
		case done:
			ends[w.String()] = w
		case w.rules.Mode == KRaft:
			for _, id := range up {
				walk(w.crashKRaft(id))
			}
		case stop:
			for _, id := range up {
				walk(w.stopZK(id))
			}
			eachSequence(stopping, func(ids []int32) { walk(w.vanishZK(ids)) })
		default:
			eachSequence(up, func(ids []int32) { walk(w.vanishZK(ids)) })
		}
	}
	walk(w)
	return ends
}

// eachSequence calls f with every ordered choice of one or more of ids.
func eachSequence(ids []int32, f func([]int32)) {
	for n := 1; n <= len(ids); n++ {
		var choose func(chosen []int32)
		choose = func(chosen []int32) {
			if len(chosen) == n {
				f(slices.Clone(chosen))
				return
			}
			for _, id := range ids {
				if !slices.Contains(chosen, id) {
					choose(append(slices.Clone(chosen), id))
				}
			}
		}
		choose(nil)
	}
}

// outcome goes by the definitions in docs/FORMATS.md, from the state before and after.
func (w twin) outcome(before twin) string {
	minISR := w.minISR
	if !w.rules.Release.Before(3, 7) {
		minISR = min(minISR, len(w.replicas))
	}
	touched := w.leader != before.leader || !w.isr.has(before.isr)
	switch {
	case w.leader == NoLeader && before.leader == NoLeader:
		return "unaffected"
	case w.leader == NoLeader:
		return "leaderless"
	case w.dirty:
		return "unclean"
	case touched && len(w.isr) < minISR:
		return "underMinIsr"
	case w.leader != before.leader:
		return "elected"
	}
	return "unaffected"
}

// worstOutcome is the worst over all ends, with whether data was lost on the way.
func worstOutcome(before twin, ends map[string]twin) (outcome string, dirty bool) {
	severity := strings.Fields("unaffected elected underMinIsr unclean leaderless")
	worst := -1
	for _, end := range ends {
		rank := slices.Index(severity, end.outcome(before)) * 2
		if end.dirty {
			rank++
		}
		worst = max(worst, rank)
	}
	return severity[worst/2], worst%2 == 1
}
