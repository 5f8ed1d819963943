package conformance

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"testing"

	"drain/election"
	"drain/internal/kafkatest"
)

// brokerState is what a KRaft controller knows of a broker.
type brokerState string

const (
	alive        brokerState = "alive"
	fenced       brokerState = "fenced"
	shuttingDown brokerState = "shuttingDown"
	unregistered brokerState = "unregistered"
)

type event struct {
	what string
	id   int32
}

// cluster is a random cluster and what happens to it, one event after another.
type cluster struct {
	rules      election.Rules
	level      int // metadata.version
	states     map[int32]brokerState
	partitions []election.Partition
	events     []event
}

var eightBrokers = []int32{1, 2, 3, 4, 5, 6, 7, 8}

// dirsLevel is the metadata.version from which replicas have log dirs (3.7-IV2).
const dirsLevel = 17

func (r random) cluster(rules election.Rules, level, partitions int) cluster {
	c := cluster{rules: rules, level: level, states: map[int32]brokerState{}}
	for _, id := range eightBrokers {
		c.states[id] = alive
		if r.oneIn(5) {
			c.states[id] = fenced
		} else if r.oneIn(12) {
			c.states[id] = shuttingDown
		}
	}
	states := maps.Clone(c.states)
	onlyFencing := r.oneIn(3)
	for range 2 + r.IntN(5) {
		if e, ok := r.event(states, level, onlyFencing); ok {
			c.events = append(c.events, e)
		}
	}
	for len(c.partitions) < partitions {
		p := r.partition(eightBrokers, rules, level >= dirsLevel)
		if len(p.Replicas) > 1 && r.oneIn(3) {
			r.inFlight(&p)
		}
		if !c.breaks(p) {
			c.partitions = append(c.partitions, p)
		}
	}
	return c
}

// breaks is whether the events take the partition where controllers of 4.1 and
// later throw IllegalArgumentException ("is not assigned to this partition"): a
// reassignment that completes can take the last known leader from the list, and
// LeaderAcceptor asks for its log dir all the same.
func (c cluster) breaks(p election.Partition) bool {
	c.states = maps.Clone(c.states)
	for _, e := range c.events {
		p = c.play(p, e)
		c.states[e.id] = after(e, c.states[e.id])
		if len(minus(p.LastKnown, p.Replicas)) > 0 {
			return true
		}
	}
	return false
}

// event is one that a controller can see in these states, which it changes.
func (r random) event(states map[int32]brokerState, level int, onlyFencing bool) (event, bool) {
	id := eightBrokers[r.IntN(len(eightBrokers))]
	var may []string
	switch {
	case onlyFencing && states[id] != alive:
		return event{}, false
	case onlyFencing:
		may = []string{"fence"}
	case states[id] == alive && level >= dirsLevel:
		may = []string{"fence", "fence", "shutdown", "restartUnclean", "dirFails", "unregister", "electUnclean"}
	case states[id] == alive:
		may = []string{"fence", "fence", "shutdown", "restartUnclean", "unregister", "electUnclean"}
	case states[id] == shuttingDown:
		may = []string{"fence", "restartClean"}
	case states[id] == fenced:
		may = []string{"unfence", "unfence", "restartUnclean", "restartClean", "unregister"}
	default:
		return event{}, false
	}
	e := event{may[r.IntN(len(may))], id}
	states[id] = after(e, states[id])
	return e, true
}

// after is the state of a broker after an event of its own.
func after(e event, state brokerState) brokerState {
	switch e.what {
	case "fence":
		if state == shuttingDown {
			return shuttingDown // its registration says both, until it registers anew
		}
		return fenced
	case "shutdown":
		return shuttingDown
	case "unfence":
		return alive
	case "unregister":
		return unregistered
	case "restartClean", "restartUnclean":
		return fenced
	}
	return state
}

// play is the partition after an event, by the rules of package election.
func (c *cluster) play(p election.Partition, e event) election.Partition {
	live := func(id int32) bool { return c.states[id] == alive }
	switch e.what {
	case "fence", "shutdown":
		return c.rules.Leave(p, live, e.id)
	case "unfence":
		return c.rules.Unfence(p, live, e.id)
	case "unregister":
		return c.rules.Unregister(p, live, e.id)
	case "restartUnclean":
		return c.rules.Restart(p, live, e.id)
	case "restartClean":
		if c.rules.Release.AtLeast(4, 0) {
			return c.rules.Leave(p, live, e.id)
		}
		return p
	case "dirFails":
		if !slices.Contains(p.Replicas, e.id) || slices.Contains(p.Offline, e.id) {
			return p
		}
		offline := append(slices.Clone(p.Offline), e.id)
		p = c.rules.FailDir(p, live, e.id)
		p.Offline = offline
		return p
	case "electUnclean":
		return c.rules.ElectUnclean(p, live)
	}
	panic("no event " + e.what)
}

func (c *cluster) write(w *bufio.Writer) {
	fmt.Fprintln(w, "cluster", c.level, c.rules.ELR)
	for _, id := range eightBrokers {
		fmt.Fprintln(w, "broker", id, c.states[id])
	}
	for _, p := range c.partitions {
		fmt.Fprintln(w, "partition", joined(p.Replicas), joined(p.ISR), joined(p.ELR), joined(p.LastKnown), joined(p.Adding), joined(p.Removing),
			joined(p.Offline), p.Leader, p.Recovering, p.MinISR, p.Unclean == election.On, p.FirstReplicas)
	}
	for _, e := range c.events {
		fmt.Fprintln(w, "event", e.what, e.id)
	}
}

// kraftReleases are the releases compared, with the metadata versions to run
// them at: the newest, and one that is years old, since the rules must follow
// the program.
var kraftReleases = []struct {
	version string
	levels  []int
	elr     bool
}{
	{"3.7.2", []int{19, 7}, false},
	{"3.9.2", []int{21, 7}, false},
	{"4.0.2", []int{25, 7}, true},
	{"4.1.2", []int{27, 7}, true},
	{"4.3.1", []int{30, 7}, true},
	{"4.4.0", []int{31, 7}, true},
}

const (
	partitionsARelease = 100_000
	partitionsACluster = 100
)

// clusters are enough of them for one release.
func clusters(t *testing.T, seed uint64, version string, levels []int, elr bool) []cluster {
	t.Helper()
	release, err := election.ParseRelease(version)
	if err != nil {
		t.Fatal(err)
	}
	count := partitionsARelease / partitionsACluster
	if testing.Short() {
		count /= 20
	}
	r := newRandom(seed)
	all := make([]cluster, count)
	for i := range all {
		level := levels[0]
		rules := election.Rules{Release: release, ELR: elr && i%3 > 0}
		if !rules.ELR && i%2 > 0 {
			level = levels[1]
		}
		all[i] = r.cluster(rules, level, partitionsACluster)
	}
	return all
}

func TestReplicationControlManagerDoesWhatElectionSays(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	for i, k := range kraftReleases {
		t.Run(k.version, func(t *testing.T) {
			t.Parallel()
			all := clusters(t, uint64(i), k.version, k.levels, k.elr)
			j := startJudge(t, k.version, "KRaftJudge.java", "org.apache.kafka.controller.KRaftJudge")
			told := j.tell(func(w *bufio.Writer) {
				for i := range all {
					all[i].write(w)
				}
			})
			states, differences := 0, 0
			for i := range all {
				n, bad := all[i].compare(j)
				states, differences = states+n, differences+bad
				if differences > 5 {
					t.Fatal("enough of these")
				}
			}
			j.end(told)
			t.Logf("%d partitions, %d states after events, %d differ", len(all)*partitionsACluster, states, differences)
		})
	}
}

// compare plays the events and holds each state against the judge's. It
// returns how many were compared and how many differ.
func (c *cluster) compare(j *judge) (states, differences int) {
	j.t.Helper()
	before := slices.Clone(c.partitions)
	start := maps.Clone(c.states)
	for n, e := range c.events {
		for i, p := range c.partitions {
			c.partitions[i] = c.play(p, e)
			want, got := j.line(), stateOf(c.partitions[i])
			states++
			if got != want {
				differences++
				j.t.Errorf("metadata version %d, ELR %v, %v\n%+v\nafter %v was\n%s\nKafka   %s\npredict %s",
					c.level, c.rules.ELR, start, before[i], c.events[:n+1], stateOf(p), want, got)
			}
		}
		c.states[e.id] = after(e, c.states[e.id])
	}
	if differences == 0 {
		differences = c.foretold(j.t, before, start)
	}
	return states, differences
}

// foretold holds what a run of fencings came to against the prediction for all
// of those brokers: it must be among the ends, and no worse than the worst.
func (c *cluster) foretold(t *testing.T, before []election.Partition, start map[int32]brokerState) int {
	t.Helper()
	var dead []int32
	for _, e := range c.events {
		if e.what != "fence" || start[e.id] != alive {
			return 0
		}
		dead = append(dead, e.id)
	}
	live := func(id int32) bool { return start[id] == alive }
	wrong := 0
	for i, p := range before {
		end := stateOf(c.partitions[i])
		ends := election.Crashes(c.rules, live, p, dead)
		at := slices.IndexFunc(ends, func(res election.Result) bool { return endOf(res) == end })
		worst := election.Crash(c.rules, live, p, dead)
		if at < 0 || ends[at].Worse(&worst) || ends[0].Worse(&worst) {
			wrong++
			t.Errorf("%+v with %v: %s after %v is end %d, and the worst foretold is %v", p, start, end, dead, at, worst.Outcome)
		}
	}
	return wrong
}
