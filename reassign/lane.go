package reassign

import "time"

// Lane is one direction of one broker: what it sends to followers, or what it
// receives as one. Each has a throttle of its own, so each has its own window.
type Lane struct {
	Broker int32
	Sends  bool
}

// Load is a move as the scheduler sees it.
type Load struct {
	Source int32   // the leader, which everything is read from
	Dests  []int32 // the brokers that copy
	Left   int64   // bytes, to each of Dests
	Last   bool    // to start after all others: its partition is weak already
	Few    bool    // one of those that go a few at a time; they start first
}

// lanes calls f for each lane of the load with the bytes left on it.
func (l Load) lanes(f func(Lane, int64)) {
	f(Lane{l.Source, true}, l.Left*int64(len(l.Dests)))
	for _, d := range l.Dests {
		f(Lane{d, false}, l.Left)
	}
}

// Limits bound what is in flight. Rate and Idle are pure.
type Limits struct {
	Rate    func(Lane) int64 // bytes a second; 0: none
	Idle    func(Lane) bool  // measured under 90 % of its rate; nil: none is
	Min     int              // in flight on a lane before bytes count
	Max     int              // in flight on a lane
	Cluster int              // in flight in the cluster
	Few     int              // in flight in the cluster of those that go a few at a time
	Window  time.Duration    // of bytes in flight on a lane, at its rate
}

// fetch is what a follower may take of one partition in one request
// (max.partition.fetch bytes of a replica, replica.fetch.max.bytes), and
// response what it takes of one leader (replica.fetch.response.max.bytes).
// quotaWindow is how long Kafka remembers a burst (replication.quota.window).
const (
	fetch       = 1 << 20
	response    = 10 << 20
	quotaWindow = 11 // seconds
)

// most is how many moves may be in flight on a lane. Each can take one fetch
// past a used-up quota, so that their number times a fetch stays within a
// second of the rate; a nearly caught-up copy that waits longer than that for
// its turn holds back every acks=all write of its partition.
func (l Limits) most(rate int64) int {
	if rate == 0 {
		return l.Max
	}
	return min(l.Max, max(lowInFlight, int(min(rate/fetch, int64(l.Max)))))
}

// sources is how many leaders may feed a destination: with more, the bursts
// that pass the quota together are over the rate.
func (l Limits) sources(rate int64) int {
	if rate == 0 {
		return l.Max
	}
	return min(l.Max, max(lowInFlight, int(min(rate*quotaWindow/response, int64(l.Max)))))
}

// bytes is how many bytes may be left in flight on a lane.
func (l Limits) bytes(rate int64) int64 {
	return int64(float64(rate) * l.Window.Seconds())
}
