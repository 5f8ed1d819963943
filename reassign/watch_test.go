package reassign

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// watched is a model that can be looked at as a whole, and whose brokers can be
// asked something small.
type watched struct {
	*model
	quorum plan.Quorum
	slow   map[int32]time.Duration // what an answer takes
	looks  int
	took   time.Duration // what a look takes
}

// Look is a picture of the whole cluster.
func (w *watched) Look(ctx context.Context) (plan.Cluster, error) {
	if err := w.try(ctx, "look"); err != nil {
		return plan.Cluster{}, err
	}
	w.looks++
	time.Sleep(w.took)
	quorum := w.quorum
	quorum.Lagging = slices.Clone(quorum.Lagging)
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1, Quorum: &quorum}}
	for _, id := range slices.Sorted(maps.Keys(w.brokers)) {
		b.Broker(plan.Broker{ID: id})
	}
	topic := ""
	for _, tp := range w.sorted() {
		if tp.Topic != topic {
			topic = tp.Topic
			b.Topic(plan.Topic{Name: topic, Configs: maps.Clone(w.topics[topic])})
		}
		p := w.parts[tp]
		b.Partition(plan.PartitionView{Number: tp.Partition, Leader: p.leader, Replicas: p.replicas, ISR: p.isr, Adding: p.adding, Removing: p.removing})
	}
	return b.Cluster()
}

// BrokersSeenBy is a small request to one broker.
func (w *watched) BrokersSeenBy(ctx context.Context, via int32) ([]int32, error) {
	time.Sleep(w.slow[via])
	if !w.isLive(via) {
		return nil, errors.New("no answer")
	}
	return w.LiveBrokers(ctx)
}

// watch makes a driver that sees the whole cluster.
func (s *scene) watched(o Options) (*Driver, *watched) {
	w := &watched{model: s.model, slow: map[int32]time.Duration{}}
	s.before = s.settings()
	ports := s.ports()
	ports.Watch, ports.Probe = w, w
	return New(ports, s.ledger, nil, o, func(e Event) {
		s.told = append(s.told, e)
		if e.Kind != Progressed {
			s.Logf("%-10s %s", e.Kind, e.Text)
		}
	}), w
}

// Nothing new starts while something that is not ours is worse than at the
// start, whatever it is; what was bad before holds nothing up.
func TestBreakerSeesTheWholeCluster(t *testing.T) {
	for _, c := range []struct {
		name       string
		harm, mend func(s *scene, w *watched)
		says       string
	}{
		{
			"a partition under its min ISR",
			func(s *scene, _ *watched) { s.parts[tp("other", 0)].isr = []int32{5} },
			func(s *scene, _ *watched) { s.parts[tp("other", 0)].isr = []int32{5, 6} },
			"nothing new starts while other-0 is under min ISR",
		},
		{
			"a partition without a leader",
			func(s *scene, _ *watched) { s.parts[tp("other", 1)].leader = plan.NoLeader },
			func(s *scene, _ *watched) { s.parts[tp("other", 1)].leader = 6 },
			"nothing new starts while other-1 has no leader",
		},
		{
			"a voter of the quorum",
			func(_ *scene, w *watched) { w.quorum.Lagging = []int32{102} },
			func(_ *scene, w *watched) { w.quorum.Lagging = nil },
			"nothing new starts while voter 102 of the quorum is away",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, 6, func(s *scene) {
				for i := range int32(30) {
					s.moves("t", i, 5e6, 3, 4, 3, 1)
				}
				s.part("other", 0, 1, 5, 6)
				s.topics["other"][MinISR] = "2"
				s.part("other", 1, 1, 6, 5)
				s.part("sick", 0, 1, 5).leader = plan.NoLeader
				d, w := s.watched(Options{BytesPerSec: 1e6})
				w.quorum.Voters = []plan.Voter{{ID: 101}, {ID: 102}}
				var began, resumed int
				s.at(20*time.Second, func() { c.harm(s, w) })
				s.at(22*time.Second, func() { began = s.requested() })
				s.at(60*time.Second, func() {
					s.want(s.requested(), began)
					c.mend(s, w)
				})
				s.at(64*time.Second, func() { resumed = s.requested() })
				if err := d.Move(s.Context(), s.plan); err != nil {
					s.Fatal(err)
				}
				if resumed <= began {
					s.Error("nothing started within four seconds of the mending")
				}
				s.want(s.said(Paused), []string{c.says})
				s.want(len(s.said(Resumed)), 1)
				s.done()
			})
		})
	}
}

// requested counts the moves that were started.
func (s *scene) requested() int {
	n := 0
	for _, line := range s.log {
		if strings.HasSuffix(line, "to [1 4]") {
			n++
		}
	}
	return n
}

// An interrupt that comes during a look is no request that failed.
func TestALookThatIsInterruptedIsNotRepeated(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 30e6, 3, 4, 3, 1)
		ctx, cancel := context.WithCancel(s.Context())
		d, w := s.watched(Options{BytesPerSec: 1e6})
		looks := 0
		w.fault = func(request string) error {
			if request != "look" {
				return nil
			}
			if looks++; looks == 3 {
				cancel()
			}
			return ctx.Err()
		}
		if err := d.Move(ctx, s.plan); !errors.Is(err, context.Canceled) {
			s.Fatalf("got %v", err)
		}
		s.want(s.said(Retried), []string{})
	})
}

// Pictures that take long are taken seldom.
func TestPicturesAreTakenInProportion(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 60e6, 3, 4, 3, 1)
		d, w := s.watched(Options{BytesPerSec: 1e6})
		w.took = 2 * time.Second
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		if w.looks < 4 || w.looks > 8 {
			s.Errorf("%d pictures of 2 s in a minute, want about one in ten seconds", w.looks)
		}
	})
}

// An adaptive throttle begins low, rises while it is used and nobody suffers,
// is halved when a replica that is not moved leaves its ISR, and never passes
// the maximum. Every change is a debt, and all are paid.
func TestAdaptiveThrottle(t *testing.T) {
	play(t, 6, func(s *scene) {
		const most = 40e6
		s.link = 100e6
		for i := range int32(20) {
			s.moves("t", i, 200e6, 3, 4, 3, 1)
		}
		other := s.part("other", 0, 1, 4, 6)
		var highest, after int64
		rate := func() int64 {
			n, _ := strconv.ParseInt(s.brokers[4].configs[FollowerRate], 10, 64)
			return n
		}
		s.at(time.Second, func() { s.want(rate(), within(most/firstShare)) })
		s.model.watch = func() { highest = max(highest, rate()) }
		s.at(100*time.Second, func() { other.isr = []int32{4} })
		s.at(101*time.Second, func() { after = rate() })
		s.at(102*time.Second, func() { other.isr = []int32{4, 6} })
		s.at(120*time.Second, func() {
			if rate() > after/2+1 {
				s.Errorf("the rate is %d, and was %d before a replica left its ISR", rate(), after)
			}
		})
		d, _ := s.watched(Options{BytesPerSec: most, Adaptive: true})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		if highest > most || highest < most*3/4 {
			s.Errorf("the highest rate was %d, want it near the maximum of %d", highest, int64(most))
		}
		if said := s.said(RateIs); !slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, "left its ISR") }) {
			s.Errorf("got %q, want the reason of the cut", said)
		}
		for _, reason := range []string{"it is used, and nobody suffers", "a replica that is not moved left its ISR"} {
			if !slices.ContainsFunc(s.ledger.whys, func(why string) bool { return strings.HasSuffix(why, reason) }) {
				t.Errorf("the ledger has the reasons %q, want %q among them", s.ledger.whys, reason)
			}
		}
	})
}

// A link that carries less than the throttle is found by what arrives, also where
// no single move is large: a window's worth of bytes is less than a period's.
func TestAdaptiveThrottleFollowsTheLink(t *testing.T) {
	play(t, 4, func(s *scene) {
		const most = 40e6
		s.link = 100e6
		for i := range int32(300) {
			s.moves("t", i, 10e6, 3, 4, 3, 1)
		}
		rate := func() int64 {
			n, _ := strconv.ParseInt(s.brokers[4].configs[FollowerRate], 10, 64)
			return n
		}
		var before int64
		s.at(60*time.Second, func() { before, s.link = rate(), 4e6 })
		s.at(100*time.Second, func() {
			if now := rate(); before < within(most/2) || now > 6e6 {
				s.Errorf("the rate is %d, and was %d before the link became narrow", now, before)
			}
			s.link = 100e6
		})
		d, _ := s.watched(Options{BytesPerSec: most, Adaptive: true})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// One sender that feeds several destinations gives each a part of its rate. That
// is no reason to lower theirs: the rate of the sender rises to its maximum.
func TestAdaptiveThrottleOfSeveralDestinations(t *testing.T) {
	play(t, 5, func(s *scene) {
		const most = 8e6
		s.link = 100e6
		for i := range int32(60) {
			s.moves("t", i, 9e6, 1, 2+i%4, 1)
		}
		rate := func() int64 {
			n, _ := strconv.ParseInt(s.brokers[1].configs[LeaderRate], 10, 64)
			return n
		}
		last := int64(0)
		s.model.watch = func() {
			if now := rate(); now > 0 && now < last && now != most/firstShare {
				s.Errorf("the rate fell from %d to %d", last, now)
			}
			last = rate()
		}
		s.at(50*time.Second, func() { s.want(rate(), within(most)) })
		d, _ := s.watched(Options{BytesPerSec: most, Adaptive: true})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// A broker that answers slowly is spared, after two periods of it.
func TestAdaptiveThrottleSparesASlowBroker(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.link = 100e6
		for i := range int32(10) {
			s.moves("t", i, 100e6, 3, 4, 3, 1)
		}
		d, w := s.watched(Options{BytesPerSec: 40e6, Adaptive: true})
		w.slow[1], w.slow[4] = 20*time.Millisecond, 20*time.Millisecond
		s.at(20*time.Second, func() { w.slow[4] = 200 * time.Millisecond })
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		var cuts []string
		for _, text := range s.said(RateIs) {
			if strings.Contains(text, "10.0 times as long") {
				cuts = append(cuts, text[:len("broker 4")])
			}
		}
		if len(cuts) == 0 || cuts[0] != "broker 4" {
			s.Errorf("got %q, want broker 4 spared", s.said(RateIs))
		}
	})
}
