package election

import "slices"

// Outcome is what the loss of brokers does to a partition, in rising severity.
type Outcome uint8

// The outcomes, the harmless one first.
const (
	// Unaffected: the same leader as before, or leaderless before already.
	Unaffected Outcome = iota
	// Elected: another leader, in sync and with enough beside it.
	Elected
	// UnderMinISR: a leader, but fewer in sync than the effective minimum, and
	// the loss changed the leader or took an in-sync replica.
	UnderMinISR
	// UncleanLeader: a leader out of sync; what it lacks is lost.
	UncleanLeader
	// Leaderless: no leader any more.
	Leaderless
)

var outcomeWords = [...]string{"unaffected", "elected", "underMinIsr", "unclean", "leaderless"}

// String is the word of the JSON form.
func (o Outcome) String() string { return outcomeWords[o] }

// Safe is whether nothing is lost: the partition has a clean leader and can
// take writes if it could before.
func (o Outcome) Safe() bool { return o < UnderMinISR }

// Result is a partition after the loss of brokers.
type Result struct {
	Leader                                          int32
	Replicas, ISR, ELR, LastKnown, Adding, Removing []int32
	Recovering                                      bool

	Outcome Outcome
	// MinISR is the effective minimum on the leader's broker, which decides
	// whether acks=all is taken: from 3.7 no more than the replicas in the
	// list, adding and removing ones included (KAFKA-15583).
	MinISR int
	// AtMinISR: the loss left exactly the effective minimum in sync, so that
	// the next one stops writes. Not set where the loss touched nothing.
	AtMinISR bool
	// Touched: the loss changed the leader or took an in-sync replica.
	Touched bool
	// WasUnclean: an unclean election happened on the way, even where a later
	// loss left no leader in the end.
	WasUnclean bool
	// UncleanUnknown: predicted with unclean elections off since the flag is
	// not known; with them on there would be an unclean leader.
	UncleanUnknown bool
	// StillLed: a controlled shutdown under ZooKeeper cannot move this
	// partition, so that the broker leads it until its process is gone. With
	// more than one replica it also makes the broker try again and then stop
	// in an unclean way (KafkaServer.controlledShutdown).
	StillLed bool

	scene *scene // for Reason
}

// judge compares a partition before and after a loss. This is where the
// outcomes are defined, as docs/FORMATS.md describes them.
func (s *scene) judge(w world) Result {
	before, after := &s.before, &w.p
	res := Result{
		Leader: after.Leader, Replicas: after.Replicas, ISR: after.ISR, ELR: after.ELR, LastKnown: after.LastKnown,
		Adding: after.Adding, Removing: after.Removing, Recovering: after.Recovering,
		MinISR: s.rules.MinISR(*after), WasUnclean: w.unclean, StillLed: w.stillLed, scene: s,
	}
	res.Touched = after.Leader != before.Leader || !containsAll(after.ISR, before.ISR)
	res.AtMinISR = res.Touched && after.Leader != NoLeader && len(after.ISR) == res.MinISR
	switch {
	case after.Leader == NoLeader && before.Leader == NoLeader:
		res.Outcome = Unaffected
	case after.Leader == NoLeader:
		res.Outcome = Leaderless
	case w.unclean:
		res.Outcome = UncleanLeader
	case res.Touched && len(after.ISR) < res.MinISR:
		res.Outcome = UnderMinISR
	case after.Leader != before.Leader:
		res.Outcome = Elected
	}
	return res
}

// Worse orders results: by outcome, then those that lost data on the way.
func (res *Result) Worse(than *Result) bool {
	if res.Outcome != than.Outcome {
		return res.Outcome > than.Outcome
	}
	return res.WasUnclean && !than.WasUnclean
}

// same is whether two results leave the partition in the same state.
func (res *Result) same(other *Result) bool {
	return res.Leader == other.Leader && res.Recovering == other.Recovering && res.Outcome == other.Outcome &&
		slices.Equal(res.Replicas, other.Replicas) && slices.Equal(res.ISR, other.ISR) &&
		slices.Equal(res.ELR, other.ELR) && slices.Equal(res.LastKnown, other.LastKnown) &&
		slices.Equal(res.Adding, other.Adding) && slices.Equal(res.Removing, other.Removing) &&
		res.WasUnclean == other.WasUnclean && res.StillLed == other.StillLed
}

// MinISR is the effective minimum on the broker side as p stands, see
// Result.MinISR.
//
// Source: Partition.effectiveMinIsr.
func (r Rules) MinISR(p Partition) int {
	configured := max(p.MinISR, 1)
	if r.Release.Before(3, 7) {
		return configured
	}
	return min(configured, len(p.Replicas))
}
