package reassign

import (
	"context"
	"fmt"
	"time"

	"drain/plan"
)

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
// A broker that has sent nothing for some seconds has as many empty ones in its
// memory. When it goes on its rate is what is left of the ramp, and rises again.
//
// What a follower receives is recorded only for throttled partitions
// (ReplicaFetcherThread.processPartitionData), so that its quota begins with an
// empty past: its rate is right at once.

// ramp is the part of a rate that a broker may use which has fed copies for so
// long, of the time that the quota remembers.
func ramp(rate int64, fed time.Duration) int64 {
	begun := 1 + int64(fed/time.Second) // seconds, the one under way included
	return max(1, rate*min(begun, quotaWindow)/quotaWindow)
}

// soft is our throttle of a lane as far as it has risen. A rate that a person
// changes during the run holds at once.
func (r *run) soft(at Lane) int64 {
	rate := r.ours(at)
	if !at.Sends || r.steep {
		return rate
	}
	return ramp(rate, r.fed[at.Broker])
}

// feed counts for how long of what the quotas remember brokers have fed copies:
// up while they do, and down while they do not. The look before was gap ago.
func (r *run) feed(gap time.Duration) {
	feeding := r.feeding()
	for b := range feeding {
		r.fed[b] = min(r.fed[b]+gap, quotaWindow*time.Second)
	}
	for b, fed := range r.fed {
		if !feeding[b] {
			r.fed[b] = max(0, fed-gap)
		}
	}
}

// feeding is the brokers that the moves in flight copy from.
func (r *run) feeding() map[int32]bool {
	feeding := map[int32]bool{}
	for _, t := range r.moving() {
		if !t.joined() {
			feeding[t.source()] = true
		}
	}
	return feeding
}

// anew tells of each lane whether it begins to send with these moves. What
// stands of ours may then be lowered: no copy is on the way that would wait.
func (r *run) anew(start []*track) func(Lane) bool {
	feeding, begins := r.feeding(), map[int32]bool{}
	for _, t := range start {
		begins[t.source()] = !feeding[t.source()]
	}
	return func(at Lane) bool { return at.Sends && begins[at.Broker] }
}

// steepen sets the rates of moves that go on without us to the whole of them:
// nobody is there to raise them step by step, and at the first step a copy would
// take eleven times as long. What stands of others stays as ever.
func (d *Driver) steepen(ctx context.Context, r *run, inFlight []plan.TopicPartition) error {
	d.setRate(r)
	if r.steep = true; r.rate == 0 {
		return nil
	}
	w := wish{rate: r.ours, soft: r.soft, why: r.why}
	for _, tp := range inFlight {
		if t := r.by[tp]; t != nil {
			w.covers = append(w.covers, t.cover())
		}
	}
	if _, err := d.settings.make(ctx, w, r.view.isLive); err != nil {
		return fmt.Errorf("raise the rates of what goes on to their throttle: %w", err)
	}
	return nil
}

// What passes a quota counts as well: the last stretches of moves, which run off
// the lists, and the fetch that a used-up quota lets through, since it is
// charged afterwards. Where the throttle is low that fetch is a good part of what
// a port may carry, and the rate that Kafka is given is lower by it. From about
// 2.3 MB/s on it is the throttle as a person wrote it: a fetch is less than the
// stretches then, and ports were seen at 1.14 of it over 15 s at most.
const (
	overshoot = fetch / 15 // bytes a second: one fetch in any 15 s
	leastRate = 0.95       // of a throttle: of those under a megabyte a second a fetch is too large a part
)

// within is the rate with which a port stays within its throttle; 0 is none.
func within(throttle int64) int64 {
	if overshoot <= stretchShare*float64(throttle) {
		return throttle
	}
	rate := max(float64(throttle)-overshoot, leastRate*float64(throttle))
	return max(min(1, throttle), int64(rate))
}
