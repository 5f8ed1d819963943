package executor

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"drain/internal/kafka"
	"drain/internal/simkafka"
	"drain/plan"
)

// tokens are logins that last twenty seconds each.
type tokens struct {
	mu    sync.Mutex
	fixed bool // the same one each time
	until []time.Time
}

func (k *tokens) secret(context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.fixed || len(k.until) == 0 {
		k.until = append(k.until, time.Now().Add(20*time.Second))
	}
	return fmt.Sprint(len(k.until) - 1), nil
}

func (k *tokens) valid(token string) (time.Duration, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var n int
	if _, err := fmt.Sscan(token, &n); err != nil || n >= len(k.until) {
		return 0, false
	}
	left := time.Until(k.until[n])
	return left, left > 0
}

// A login that is renewed carries a run of minutes.
func TestALoginThatRunsOutIsRenewed(t *testing.T) {
	t.Parallel()
	k := &tokens{}
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.sasl = &kafka.SASL{Mechanism: "OAUTHBEARER", Secret: k.secret}
		before := r.sim.State()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
		if span := k.until[len(k.until)-1].Sub(k.until[0]); span < time.Minute {
			r.Errorf("the last login was %v after the first: nothing had run out", span)
		}
	}, simkafka.WithTokens(k.valid))
}

// One that is not ends the run before the stop; it can be gone on with,
// and what could not be given back is named.
func TestALoginThatIsRefusedLaterEndsTheRun(t *testing.T) {
	t.Parallel()
	k := &tokens{fixed: true}
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.sasl = &kafka.SASL{Mechanism: "OAUTHBEARER", Secret: k.secret}
		before := r.sim.State()
		done, err := r.run()
		r.wants(err, kafka.ErrAuthentication)
		if !done.Changed || done.StopBegun || r.runner.stops() > 0 || ended(r.records()) {
			r.Errorf("done %+v, %d stops", done, r.runner.stops())
		}
		if !strings.Contains(fmt.Sprint(done.Owed), "throttled.rate") || !r.said(EventLast, "settings stay for now") {
			r.Errorf("owed %v, last words %q", done.Owed, r.texts(EventLast))
		}
		k.fixed = false
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
	}, simkafka.WithTokens(k.valid))
}

// The broker is one of three controller voters, and another is down.
func TestAQuorumThatTheStopWouldBreakIsRefused(t *testing.T) {
	t.Parallel()
	s := incident()
	s.Brokers[1].State = plan.Down
	s.Quorum = simkafka.Quorum{LeaderID: 3, Voters: []simkafka.Voter{{ID: 1}, {ID: 2}, {ID: 3}}}
	s.Topics = []simkafka.Topic{{Name: "t", Partitions: []simkafka.Partition{{Replicas: []int32{1, 4}, Bytes: 1}}}}
	simulate(t, s, plainRunbook, func(r *rig) {
		_, err := r.run()
		r.wants(err, ErrRefused, "quorum-lost", "voters [1 2 3]", "[3] are left", "2 are needed")
		if calls := r.sim.Requests(); len(calls) > 0 || r.runner.stops() > 0 {
			r.Errorf("it sent %v", calls)
		}
	})
}
