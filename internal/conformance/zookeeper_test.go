package conformance

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drain/election"
	"drain/internal/kafkatest"
)

// zkCluster is a random cluster with a ZooKeeper controller, and what happens
// to it: brokers retire (ask for a controlled shutdown), vanish (one or two at
// once) and come back.
type zkCluster struct {
	rules      election.Rules
	states     map[int32]brokerState
	partitions []election.Partition
	// failed are partitions in state OfflinePartition: the last election found
	// nobody. Only those are tried again when a broker comes back.
	failed []bool
	events []zkEvent
}

type zkEvent struct {
	what string
	ids  []int32
}

// kinds of clusters, by what may happen in them. Log dirs fail only where no
// broker comes back: the judge plants the failure without the event that a
// controller would have made of it, and a return then finds other states.
const (
	anything = iota
	onlyCrashes
	onlyStops
	kinds
)

func (r random) zkCluster(rules election.Rules, partitions, kind int) zkCluster {
	c := zkCluster{rules: rules, states: map[int32]brokerState{}}
	for _, id := range eightBrokers {
		c.states[id] = alive
		if r.oneIn(5) {
			c.states[id] = unregistered
		}
	}
	for range partitions {
		p := r.partition(eightBrokers, rules, kind != anything)
		if r.oneIn(20) {
			p.ISR = append(slices.Clone(p.ISR), minus(eightBrokers, p.Replicas)[0]) // no replica, as has been seen
		}
		// Only a broker that is there can tell of its log dirs.
		p.Offline = slices.DeleteFunc(slices.Clone(p.Offline), func(id int32) bool { return c.states[id] != alive })
		p.Recovering = p.Recovering && rules.Release.AtLeast(3, 2)
		c.partitions = append(c.partitions, p)
	}
	states := maps.Clone(c.states)
	for len(c.events) < 3 {
		e := r.zkEvent(states, kind)
		if e.what == "" {
			break
		}
		c.events = append(c.events, e)
		e.change(states)
	}
	return c
}

// zkEvent is one that fits the states of the brokers, or none.
func (r random) zkEvent(states map[int32]brokerState, kind int) zkEvent {
	var may []zkEvent
	ids := r.shuffled(eightBrokers)
	for i, id := range ids {
		next := ids[(i+1)%len(ids)]
		switch {
		case states[id] == alive && kind != onlyCrashes:
			may = append(may, zkEvent{"retire", []int32{id}})
		case states[id] == unregistered && kind == anything:
			may = append(may, zkEvent{"back", []int32{id}})
		}
		if up := states[id] == alive && kind != onlyStops || states[id] == shuttingDown; !up {
			continue
		}
		may = append(may, zkEvent{"vanish", []int32{id}})
		if states[next] == states[id] {
			may = append(may, zkEvent{"vanish", []int32{id, next}})
		}
	}
	if kind == anything {
		may = append(may, zkEvent{"electUnclean", []int32{0}})
	}
	if len(may) == 0 {
		return zkEvent{}
	}
	return may[r.IntN(len(may))]
}

// change is what the event does to its brokers.
func (e zkEvent) change(states map[int32]brokerState) {
	for _, id := range e.ids {
		switch e.what {
		case "vanish":
			states[id] = unregistered
		case "retire":
			states[id] = shuttingDown
		case "back":
			states[id] = alive
		}
	}
}

// ends are the partition after an event, by the rules of package election:
// several where the order of brokers that vanish at once decides.
func (c *zkCluster) ends(i int, e zkEvent) []election.Partition {
	p := c.partitions[i]
	live := func(id int32) bool { return c.states[id] == alive }
	switch e.what {
	case "vanish":
		ends := []election.Partition{c.rules.Vanish(p, live, e.ids)}
		if len(e.ids) == 2 {
			ends = append(ends, c.rules.Vanish(p, live, []int32{e.ids[1], e.ids[0]}))
		}
		for i := range ends {
			// The controller forgets the failed dirs of a broker that is gone.
			ends[i].Offline = minus(p.Offline, e.ids)
		}
		return ends
	case "retire":
		stopping := slices.Clone(e.ids)
		for id, state := range c.states {
			if state == shuttingDown {
				stopping = append(stopping, id)
			}
		}
		return []election.Partition{c.rules.Retire(p, live, stopping, e.ids[0])}
	case "back":
		if !c.failed[i] {
			return []election.Partition{p}
		}
		return []election.Partition{c.rules.Online(p, func(id int32) bool { return live(id) || id == e.ids[0] })}
	case "electUnclean":
		return []election.Partition{c.rules.ElectUnclean(p, live)}
	}
	panic("no event " + e.what)
}

// settle notes which partitions an election has left without a leader. A
// controlled shutdown that finds nobody does not change the state.
func (c *zkCluster) settle() {
	c.failed = make([]bool, len(c.partitions))
	for i, p := range c.partitions {
		c.failed[i] = c.states[p.Leader] != alive || slices.Contains(p.Offline, p.Leader)
	}
}

func (c *zkCluster) write(w *bufio.Writer) {
	fmt.Fprintln(w, "cluster")
	for _, id := range eightBrokers {
		if c.states[id] == alive {
			fmt.Fprintln(w, "broker", id)
		}
	}
	for _, p := range c.partitions {
		fmt.Fprintln(w, "partition", joined(p.Replicas), joined(p.ISR), joined(p.Offline), p.Leader, p.Recovering, p.Unclean == election.On)
	}
	fmt.Fprintln(w, "start")
	for _, e := range c.events {
		fmt.Fprintln(w, "event", e.what, joined(e.ids))
	}
}

// read takes over a state that the controller wrote.
func read(t *testing.T, p *election.Partition, line string) {
	t.Helper()
	words := strings.Fields(line)
	leader, err := strconv.ParseInt(words[0], 10, 32)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	p.Leader, p.ISR, p.Recovering = int32(leader), nil, words[7] == "true"
	for _, word := range strings.Split(words[2], ",") {
		id, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		p.ISR = append(p.ISR, int32(id))
	}
}

// partitionsAZKCluster is many, since each cluster has a controller that has
// to start.
const partitionsAZKCluster = 2500

func TestKafkaControllerDoesWhatElectionSays(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	for i, version := range []string{"2.4.1", "2.8.2", "3.9.2"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			release, err := election.ParseRelease(version)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]zkCluster, partitionsARelease/partitionsAZKCluster)
			if testing.Short() {
				all = all[:kinds]
			}
			r := newRandom(uint64(100 + i))
			for i := range all {
				all[i] = r.zkCluster(election.Rules{Mode: election.ZooKeeper, Release: release}, partitionsAZKCluster, i%kinds)
			}
			j := startJudge(t, version, "ZooKeeperJudge.java", "kafka.controller.ZooKeeperJudge", t.TempDir())
			told := j.tell(func(w *bufio.Writer) {
				for i := range all {
					all[i].write(w)
				}
			})
			states, differences := 0, 0
			for i := range all {
				n, bad := all[i].compare(j, i%kinds)
				states, differences = states+n, differences+bad
				if differences > 5 {
					t.Fatal("enough of these")
				}
			}
			j.end(told)
			t.Logf("%d partitions, %d states after events, %d differ", len(all)*partitionsAZKCluster, states, differences)
		})
	}
}

// compare plays the events and holds each state against the judge's. What the
// controller makes of the partitions at its start is where it begins.
func (c *zkCluster) compare(j *judge, kind int) (states, differences int) {
	j.t.Helper()
	for i := range c.partitions {
		read(j.t, &c.partitions[i], j.line())
	}
	c.settle()
	before, start := slices.Clone(c.partitions), maps.Clone(c.states)
	for n, e := range c.events {
		for i, p := range c.partitions {
			want := j.line()
			ends := c.ends(i, e)
			states++
			at := slices.IndexFunc(ends, func(end election.Partition) bool { return stateOf(end) == want })
			if at < 0 {
				differences++
				j.t.Errorf("%v\n%+v\nafter %v was\n%s\nKafka   %s\npredict %s", start, before[i], c.events[:n+1], stateOf(p), want, stateOf(ends[0]))
				at = 0
			}
			c.partitions[i] = ends[at]
		}
		e.change(c.states)
		if e.what != "retire" {
			c.settle()
		}
	}
	if differences == 0 && kind != anything {
		differences = c.foretold(j.t, before, start, kind)
	}
	return states, differences
}

// foretold holds what all events together came to against the prediction for
// the brokers that are gone: it must be among the ends, and none is worse than
// the worst. Where brokers were stopped but are not gone there is no such
// prediction.
func (c *zkCluster) foretold(t *testing.T, before []election.Partition, start map[int32]brokerState, kind int) int {
	t.Helper()
	var dead []int32
	for id, state := range c.states {
		if state == shuttingDown {
			return 0
		}
		if state != start[id] {
			dead = append(dead, id)
		}
	}
	if len(dead) > 4 {
		return 0 // too many orders to list
	}
	list, worstOf := election.Crashes, election.Crash
	if kind == onlyStops {
		list, worstOf = election.Shutdowns, election.Shutdown
	}
	live := func(id int32) bool { return start[id] == alive }
	wrong := 0
	for i, p := range before {
		end := stateOf(c.partitions[i])
		ends := list(c.rules, live, p, dead)
		at := slices.IndexFunc(ends, func(res election.Result) bool { return endOf(res) == end })
		worst := worstOf(c.rules, live, p, dead)
		if at < 0 || ends[0].Worse(&worst) {
			wrong++
			t.Errorf("%+v with %v: %s after %v is end %d, and the worst foretold is %v", p, start, end, dead, at, worst.Outcome)
		}
	}
	return wrong
}
