package reassign

import "time"

// The quota of what a leader sends remembers eleven seconds, and it records
// every fetch of every follower, throttled or not (KafkaApis.handleFetchRequest).
// When a throttle is set this memory is there already, and empty: eleven
// seconds' worth passes at full speed, then nothing until the first of it is
// forgotten, and so on by turns. A copy that has nearly caught up when such a
// pause begins holds back every acks=all write of its partition until it ends;
// pauses of five and six seconds were seen on 4.4.0. So the rate of a broker
// that begins to send rises every second. A pause is then no longer than that,
// and the bytes lie evenly in the memory from the start. At any moment no more has
// been let through than the whole rate would have, but for a second's worth.
//
// What a follower receives is recorded only for throttled partitions
// (ReplicaFetcherThread.processPartitionData), so that its quota begins with an
// empty past: its rate is right at once.

// ramp is the part of a rate that a broker may use which began to send so long
// ago.
func ramp(rate int64, age time.Duration) int64 {
	begun := 1 + int64(age/time.Second) // seconds, the one under way included
	return max(1, rate*min(begun, quotaWindow)/quotaWindow)
}

// soft is our throttle of a lane as far as it has risen. A rate that a person
// changes during the run holds at once.
func (r *run) soft(at Lane) int64 {
	rate := r.ours(at)
	if !at.Sends || r.steep {
		return rate
	}
	began, ok := r.sending[at.Broker]
	if !ok {
		began = r.view.at
	}
	return ramp(rate, r.view.at.Sub(began))
}

// sends notes since when the sources of the moves send.
func (r *run) sends(tracks []*track) {
	for _, t := range tracks {
		if _, ok := r.sending[t.source()]; !ok {
			r.sending[t.source()] = r.view.at
		}
	}
}
