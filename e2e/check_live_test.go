package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"drain/election"
	"drain/internal/kafkatest"
)

// controllers are the ways in which Kafka elects: each kind of controller, with
// and without eligible leader replicas.
var controllers = []struct {
	name  string
	spec  kafkatest.Spec
	rules election.Rules
}{
	{"4.4.0 with ELR", kafkatest.Spec{Version: "4.4.0"}, election.Rules{Release: election.Release{Major: 4, Minor: 4}, ELR: true}},
	{"4.0.2 without ELR", kafkatest.Spec{Version: "4.0.2"}, election.Rules{Release: election.Release{Major: 4}}},
	{"3.9.2", kafkatest.Spec{Version: "3.9.2"}, election.Rules{Release: election.Release{Major: 3, Minor: 9}}},
	{"3.9.2 with ZooKeeper", kafkatest.Spec{Version: "3.9.2", ZooKeeper: true}, election.Rules{Mode: election.ZooKeeper, Release: election.Release{Major: 3, Minor: 9}}},
}

// blow is what happens to a cluster: brokers go at once.
type blow struct {
	brokers    []int32
	controller bool // instead of brokers: the one that is the controller (ZooKeeper)
	stop       bool // with SIGTERM, which asks for a controlled shutdown; else SIGKILL
}

func (b blow) String() string {
	signal, whom := "SIGKILL", fmt.Sprint(b.brokers)
	if b.stop {
		signal = "SIGTERM"
	}
	if b.controller {
		whom = "the controller"
	}
	return signal + " to " + whom
}

var blows = []blow{
	{brokers: []int32{1}},
	{brokers: []int32{2, 3}},
	{brokers: []int32{1}, stop: true},
	{brokers: []int32{1, 3}, stop: true},
}

// TestCheckForetellsRealControllers asks drain check what the loss of brokers
// would do, lets it happen, and finds every partition as it was foretold.
// DRAIN_LONG=1 adds rounds with other layouts and random losses.
func TestCheckForetellsRealControllers(t *testing.T) {
	t.Parallel()
	for _, k := range controllers {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			blows := blows
			if k.spec.ZooKeeper {
				blows = append(slices.Clone(blows), blow{controller: true})
			}
			round := func(seed uint64, blows []blow) {
				t.Run(fmt.Sprintf("layout %d", seed), func(t *testing.T) { startWorn(t, k.spec, k.rules, seed).deal(t, blows) })
			}
			round(1, blows)
			for seed := uint64(2); seed < 8 && long(); seed++ {
				round(seed, randomBlows(seed, 8))
			}
		})
	}
}

// long says that more is wanted than a run of CI has time for.
func long() bool { return os.Getenv("DRAIN_LONG") == "1" }

// randomBlows are losses of one or two of the brokers that are up, in turn.
func randomBlows(seed uint64, n int) []blow {
	rng := rand.New(rand.NewPCG(seed, 2))
	random := make([]blow, n)
	for i := range random {
		up := []int32{1, 2, 3, laggard}
		rng.Shuffle(len(up), func(i, j int) { up[i], up[j] = up[j], up[i] })
		random[i] = blow{brokers: slices.Sorted(slices.Values(up[:1+rng.IntN(2)])), stop: rng.IntN(2) == 0}
	}
	return random
}

// deal strikes one blow after the other.
func (w worn) deal(t *testing.T, blows []blow) {
	for _, b := range blows {
		if !t.Run(b.String(), func(t *testing.T) { w.suffer(t, b) }) {
			return // the next would start from a cluster that nobody knows
		}
	}
}

func (w worn) suffer(t *testing.T, b blow) {
	w.bringBack(t)
	if b.controller {
		b.brokers = []int32{w.controller(t)}
	}
	told := w.ask(t, b)
	asked := time.Now()
	w.strike(t, b)
	if late := time.Since(asked); late > 2*time.Second {
		t.Fatalf("the blow came %v after the answer", late)
	}
	ctx, cancel := within(t, time.Minute)
	defer cancel()
	for _, id := range b.brokers {
		if err := w.c.WaitExit(id, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.c.WaitBrokers(ctx, w.others(b.brokers)...); err != nil {
		t.Fatal(err)
	}
	w.expect(t, told)
	t.Logf("%d partitions as foretold: %v", len(told.rows), told.counts)
}

// strike lets it happen.
func (w worn) strike(t *testing.T, b blow) {
	t.Helper()
	for _, id := range b.brokers {
		if b.stop {
			w.c.Term(id)
		} else {
			w.c.Kill(id)
		}
	}
}

// expect waits until every partition is as it was foretold, and sees that it
// stays so.
func (w worn) expect(t *testing.T, told foretold) {
	t.Helper()
	ctx, cancel := within(t, 20*time.Second)
	defer cancel()
	if _, err := w.c.WaitState(ctx, "what check foretold", told.compare); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := told.compare(w.c.Describe()); err != nil {
			t.Fatalf("was as foretold, and then: %v", err)
		}
	}
}
