package plan

import (
	"cmp"
	"slices"

	"drain/election"
)

// Cure is one way to give a partition a leader again.
type Cure struct {
	Action Action
	// Broker is who leads then: the broker to start, or whose log dir to mend.
	Broker int32
	// Down says that the broker must be started first, for an unclean election.
	Down bool
	Loss Loss
	// AfterCrash is what the controller makes of a broker that is started after
	// a crash. Loss is for one that was stopped in order.
	AfterCrash Trust
	// Target are the brokers to make the partition anew on, for Recreate.
	Target []int32
}

// Action is what a person does.
type Action uint8

// The actions, the cleanest first.
const (
	Wait           Action = iota // the controller elects the broker by itself
	StartBroker                  // start the broker
	MendDir                      // bring its log dir back and restart the broker
	ElectUncleanly               // ask for an unclean election
	Recreate                     // no copy is left: put empty replicas in their place
)

var actionWords = [...]string{"wait", "startBroker", "mendLogDir", "electUncleanly", "recreate"}

// String is the word of the JSON form.
func (a Action) String() string { return actionWords[a] }

// Loss is what is gone after a cure.
type Loss uint8

// The losses, the smallest first.
const (
	Nothing    Loss = iota // all that was acknowledged is there
	NotCopied              // what the broker had not copied when it fell out of sync
	Everything             // the partition is empty
)

var lossWords = [...]string{"nothing", "notCopied", "everything"}

// String is the word of the JSON form.
func (l Loss) String() string { return lossWords[l] }

// Trust is whether a broker that comes back after a crash is elected. With ELR
// its copy may lack what was not yet on its disk (KIP-966).
type Trust uint8

// The degrees of trust, the highest first.
const (
	Trusted    Trust = iota // as one that was stopped in order
	LastLeader              // elected as the last known leader, whatever it lacks
	NotElected              // not by itself: others must come back too
)

var trustWords = [...]string{"trusted", "lastKnownLeader", "notElected"}

// String is the word of the JSON form.
func (t Trust) String() string { return trustWords[t] }

// cures are the ways to bring the partition back: each replica alone, and if
// those that have everything are lost for good, what is left then.
func (d doctor) cures(s Stuck, p election.Partition) []Cure {
	var cures []Cure
	if now := d.retried(p, NoLeader); now.Leader != NoLeader {
		cures = append(cures, Cure{Action: Wait, Broker: now.Leader, Loss: lossOf(now)})
		if !now.Recovering {
			return cures
		}
	}
	for _, r := range s.Replicas {
		if r.Health != Up {
			cures = append(cures, d.returns(p, r)...)
		}
	}
	slices.SortStableFunc(cures, func(a, b Cure) int {
		return cmp.Or(cmp.Compare(a.Loss, b.Loss), cmp.Compare(a.Action, b.Action), cmp.Compare(a.AfterCrash, b.AfterCrash))
	})
	return append(cures, d.lastResort(s, p, cures))
}

// returns is the cure that consists in the return of one replica, if it is one.
func (d doctor) returns(p election.Partition, r Copy) []Cure {
	p.Offline = slices.DeleteFunc(slices.Clone(p.Offline), func(id int32) bool { return id == r.Broker })
	stopped := d.retried(p, r.Broker)
	if stopped.Leader != r.Broker {
		return nil
	}
	cure := Cure{Action: StartBroker, Broker: r.Broker, Loss: lossOf(stopped)}
	if r.Health == DirOffline {
		cure.Action = MendDir
		return []Cure{cure}
	}
	if d.c.Mode == KRaft && cure.Loss == Nothing {
		cure.AfterCrash = d.trust(p, r.Broker)
	}
	return []Cure{cure}
}

// trust is what becomes of p when a broker comes back after a crash.
func (d doctor) trust(p election.Partition, broker int32) Trust {
	crashed := d.retried(d.rules.Restart(p, d.ballots.live, broker), broker)
	switch {
	case crashed.Leader != broker:
		return NotElected
	case crashed.Recovering:
		return LastLeader
	}
	return Trusted
}

// retried is p after the controller tried again to elect, with one broker back
// if it is not NoLeader.
func (d doctor) retried(p election.Partition, back int32) election.Partition {
	if d.c.Mode == ZooKeeper {
		return d.rules.Online(p, func(id int32) bool { return id == back || d.ballots.live(id) })
	}
	return d.rules.Unfence(p, d.ballots.live, back)
}

// lossOf is what is lost with the leader that p got: one that is elected
// uncleanly is recovering, but for ZooKeeper controllers before 3.2.
func lossOf(p election.Partition) Loss {
	if p.Recovering {
		return NotCopied
	}
	return Nothing
}

// lastResort is what can be done if all replicas that have everything are lost
// for good: an unclean election of a live replica, or of one to be started
// first, or to begin anew.
func (d doctor) lastResort(s Stuck, p election.Partition, better []Cure) Cure {
	if unclean := d.rules.ElectUnclean(p, d.ballots.live); unclean.Leader != NoLeader {
		return Cure{Action: ElectUncleanly, Broker: unclean.Leader, Loss: NotCopied}
	}
	for _, r := range s.Replicas {
		tried := slices.ContainsFunc(better, func(c Cure) bool { return c.Broker == r.Broker })
		if !tried && r.Health != DirOffline {
			return Cure{Action: ElectUncleanly, Broker: r.Broker, Down: true, Loss: NotCopied}
		}
	}
	return Cure{Action: Recreate, Broker: NoLeader, Loss: Everything, Target: d.anew(s, len(p.Replicas))}
}

// anew are live brokers for as many replicas, another first one for each
// partition of a topic. There may be fewer.
func (d doctor) anew(s Stuck, replicas int) []int32 {
	var live []int32
	for _, b := range d.c.Brokers {
		if b.Live() && !b.Cordoned {
			live = append(live, b.ID)
		}
	}
	if len(live) == 0 {
		return nil
	}
	first := int(s.Partition) % len(live)
	turned := slices.Concat(live[first:], live[:first])
	return turned[:min(replicas, len(turned))]
}
