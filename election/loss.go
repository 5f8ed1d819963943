package election

import "slices"

// Crash is p after the brokers in dead were killed: the controller sees them
// vanish, one after another or at once. live is who is alive, unfenced and not
// shutting down as of now; it may still call the dead ones live. The order in
// which Kafka takes several is not known beforehand, so that the worst result
// over all orders is returned (see [Crashes]); where the outcome is the same,
// the one for ascending broker ids.
//
// The result may share slices with p, and keeps dead for Result.Reason.
func Crash(r Rules, live func(int32) bool, p Partition, dead []int32) Result {
	return loss(r, live, p, dead, false)
}

// Shutdown is p after the brokers in dead were stopped with SIGTERM: a
// controlled shutdown each, and then the process is gone. KRaft writes the
// same as for a crash, only at once. Otherwise like [Crash].
func Shutdown(r Rules, live func(int32) bool, p Partition, dead []int32) Result {
	return loss(r, live, p, dead, true)
}

func loss(r Rules, live func(int32) bool, p Partition, dead []int32, stop bool) Result {
	if !r.touches(live, p, dead) {
		return r.untouched(p)
	}
	s := &scene{rules: r, live: live, before: p, dead: dead, stop: stop && r.Mode == ZooKeeper}
	res := s.worst()
	if p.Unclean == Unknown && res.Outcome == Leaderless && r.readsUnclean() {
		on := *s
		on.before.Unclean = On
		res.UncleanUnknown = on.worst().WasUnclean
	}
	return res
}

// touches is whether losing the dead makes the controller look at p at all. It
// is asked for every partition of a cluster and does not allocate.
func (r Rules) touches(live func(int32) bool, p Partition, dead []int32) bool {
	if overlaps(p.ISR, dead) {
		return true
	}
	// A ZooKeeper controller tries every partition again whose leader is not
	// online, whichever broker it lost.
	now := candidates{live: live, offline: p.Offline, back: NoLeader}
	return r.Mode == ZooKeeper && len(dead) > 0 && (overlaps(p.Replicas, dead) || !now.may(p.Leader))
}

func (r Rules) untouched(p Partition) Result {
	return Result{
		Leader: p.Leader, Replicas: p.Replicas, ISR: p.ISR, ELR: p.ELR, LastKnown: p.LastKnown,
		Adding: p.Adding, Removing: p.Removing, Recovering: p.Recovering, MinISR: r.MinISR(p),
	}
}

// scene is the question: what becomes of before when the dead are lost?
type scene struct {
	rules  Rules
	live   func(int32) bool
	before Partition
	dead   []int32
	stop   bool // by controlled shutdown, where that differs from a crash
}

// worst is the worst result over all orders of the dead. Few orders have to be
// tried, since for most partitions the end does not depend on the order:
//
//   - if a member of the ISR survives, it or the leader it was leads in the
//     end, whatever happened between, so that one order will do;
//   - if none does, only who goes last matters: it may be elected for the time
//     being, cleanly or not, and is what then remains;
//   - but all orders are tried in the rare cases of orderMatters.
func (s *scene) worst() Result {
	members := s.members()
	if len(members) > 1 && s.orderMatters() {
		return s.all()[0]
	}
	worst := s.inOrder(members)
	if len(members) < 2 || s.survives() {
		return worst
	}
	for i := len(members) - 2; i >= 0; i-- {
		order := append(without(members, members[i]), members[i])
		if res := s.inOrder(order); res.Worse(&worst) {
			worst = res
		}
	}
	return worst
}

// members are the dead that can matter to the partition, in ascending order:
// those that are in sync or may come to lead. Under ZooKeeper the loss of any
// other broker makes the controller try again where the leader is not online,
// so that one of those, the smallest, stands for all.
func (s *scene) members() []int32 {
	p, members := &s.before, make([]int32, 0, 4)
	lists := [...][]int32{p.ISR, p.ELR, p.LastKnown, nil}
	if s.rules.uncleanOn(*p) {
		lists[3] = p.Replicas
	}
	for _, ids := range lists {
		for _, id := range ids {
			if slices.Contains(s.dead, id) && !slices.Contains(members, id) {
				members = append(members, id)
			}
		}
	}
	if s.rules.Mode == ZooKeeper {
		if others := without(s.dead, members...); len(others) > 0 {
			members = append(members, slices.Min(others))
		}
	}
	slices.Sort(members)
	return members
}

// survives is whether a replica in sync is left that may lead.
func (s *scene) survives() bool {
	c := s.candidates(s.dead)
	return slices.ContainsFunc(s.before.Replicas, func(id int32) bool {
		return slices.Contains(s.before.ISR, id) && c.may(id)
	})
}

// orderMatters is whether the outcome may hang on the whole order of the dead:
//
//   - a KRaft controller completes a reassignment when the ISR shrinks the
//     right way, and with ELR on elects nobody eligible as long as the ISR has
//     a member, be it one that cannot lead;
//   - a ZooKeeper controller drops an ISR member that is offline, or no
//     replica, only at some of its elections.
func (s *scene) orderMatters() bool {
	p, c := &s.before, s.candidates(nil)
	if s.rules.Mode == ZooKeeper && !containsAll(p.Replicas, p.ISR) {
		return true
	}
	if s.rules.Mode == KRaft && len(p.Adding)+len(p.Removing) > 0 {
		return true
	}
	return (s.rules.Mode == ZooKeeper || s.rules.ELR) &&
		slices.ContainsFunc(p.ISR, func(id int32) bool { return !c.may(id) })
}

func (s *scene) candidates(gone []int32) candidates {
	return candidates{live: s.live, offline: s.before.Offline, gone: gone, back: NoLeader}
}

// inOrder is the result if the members leave one after another.
func (s *scene) inOrder(members []int32) Result {
	w := world{p: s.before}
	for _, id := range members {
		if s.stop {
			w = s.retire(w, id)
		}
		if s.rules.Mode == ZooKeeper {
			w = s.vanish(w, []int32{id})
		} else {
			w = s.leave(w, id)
		}
	}
	return s.judge(w)
}
