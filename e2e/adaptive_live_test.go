package e2e_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// TestAThrottleThatAdapts lets a drain of an idle cluster find its own rate: it
// begins at a quarter of the maximum, rises to it when the link carries that, and
// falls when the link of the sender becomes narrow. Each change is in the journal
// with its reason, none is over the maximum, and after a cancel every setting is
// as before.
func TestAThrottleThatAdapts(t *testing.T) {
	if !long() {
		t.Skip("it takes two minutes: DRAIN_LONG=1")
	}
	kafkatest.Need(t)
	const most = 4_000_000
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(4), Relay: true,
		Config: map[string]string{"replica.fetch.response.max.bytes": "500000"},
	})
	lists := map[int32][]int32{}
	for p := range int32(20) {
		lists[p] = []int32{1}
	}
	c.CreateTopic("bulk", lists, nil)
	c.Fill("bulk", 180e6)
	before := c.Describe()

	rates := watchRates(t, c)
	p := newPlace(t)
	runbook := p.runbook(runbookFor(c, "{max: 4MB/s, adaptive: true}"))
	r := copying(t, p, runbook)
	begun := time.Now()
	rose := p.adapted(t, 2*time.Minute, "up to the maximum", func(set int64) bool { return set == most })
	t.Logf("%v after the first byte: %s", time.Since(begun).Round(time.Second), rose.Why)
	if !strings.Contains(rose.Why, "it is used, and nobody suffers") {
		t.Errorf("the rate rose because %q", rose.Why)
	}
	c.Relay(1).Limit(800_000)
	narrow := time.Now()
	fell := p.adapted(t, 60*time.Second, "down again", func(set int64) bool { return set < most/2 })
	t.Logf("%v after the link became narrow: %s to %s, %s", time.Since(narrow).Round(time.Second), fell.Key, fell.Set, fell.Why)
	c.Relay(1).Limit(0)

	r.signal(os.Interrupt)
	r.wait(killLimit).want(t, 130)
	p.drain("cancel", runbook, "--yes").want(t, 0)
	settled(t, c)
	sameSettingsAs(t, before, c.Describe())
	rates.stop()
	seen := slices.Sorted(maps.Keys(rates.seen))
	if first := slices.Min(seen); first > most/4 || slices.Max(seen) > most {
		t.Errorf("the brokers had the rates %v, want them from a quarter of %d and never over it", seen, most)
	}
}

// rateDebt is a rate in the journal.
type rateDebt struct{ Key, Set, Why string }

// adapted waits until the journal holds a rate of broker 1's sending that was set
// for a reason of its own, after all that it held before.
func (p *place) adapted(t *testing.T, limit time.Duration, what string, is func(set int64) bool) rateDebt {
	t.Helper()
	var found rateDebt
	eventually(t, limit, "the rate "+what, func() bool {
		for line := range strings.Lines(p.journal()) {
			var rec struct {
				Kind string
				Debt rateDebt
			}
			if json.Unmarshal([]byte(line), &rec) != nil || rec.Kind != "owe" || rec.Debt.Key != "leader.replication.throttled.rate" || rec.Debt.Why == "" {
				continue
			}
			found = rec.Debt // the last one counts
		}
		set, _ := strconv.ParseInt(found.Set, 10, 64)
		return found.Why != "" && is(set)
	})
	return found
}

// rateLog is the throttle rates that brokers were seen to have, from outside.
type rateLog struct {
	seen map[int64]bool // complete once stopped
	stop func()
}

// watchRates looks twice a second, until it is stopped.
func watchRates(t *testing.T, c *kafkatest.Cluster) *rateLog {
	t.Helper()
	s := &rateLog{seen: map[int64]bool{}}
	s.stop = watch(t, 500*time.Millisecond, func(ctx context.Context) {
		// Not Describe, which may end the test.
		if state, err := c.WaitState(ctx, "an answer", func(kafkatest.State) error { return nil }); err == nil {
			s.note(state)
		}
	})
	return s
}

func (s *rateLog) note(state kafkatest.State) {
	for _, settings := range state.Configs {
		for _, key := range []string{"leader.replication.throttled.rate", "follower.replication.throttled.rate"} {
			if n, err := strconv.ParseInt(settings[key], 10, 64); err == nil {
				s.seen[n] = true
			}
		}
	}
}
