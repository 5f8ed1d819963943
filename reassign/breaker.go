package reassign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"drain/plan"
)

// lookShare bounds how much of its time a run spends on pictures of the whole
// cluster: one is taken no more often than this many times what it took.
const lookShare = 5

// breaker holds back what has not started while the cluster is worse than at
// the start, in what is not ours. What is in flight goes on.
type breaker struct {
	start *Start  // as it was before the run; nil: not known yet
	live  []int32 // then

	taken time.Time     // when the last picture was
	took  time.Duration // and how long
	ails  []string      // what it showed
	last  *plan.Cluster
	hurt  map[int32]bool // brokers where a replica left an ISR since last asked
}

// ail looks whether the cluster is worse than at the start. Brokers that left
// show at every look, the rest at every picture.
func (d *Driver) ail(ctx context.Context, r *run) []string {
	b := &d.breaker
	if b.live == nil {
		b.live = r.view.live
	}
	ails := departed(b.live, r.view.live, union(d.drained, d.lost))
	if d.Watch != nil && r.view.at.Sub(b.taken) >= lookShare*b.took {
		d.picture(ctx, r)
	}
	return append(ails, b.ails...)
}

func (d *Driver) picture(ctx context.Context, r *run) {
	b := &d.breaker
	began := time.Now()
	now, err := d.Watch.Look(ctx)
	b.taken, b.took = r.view.at, time.Since(began)
	if err != nil {
		if ctx.Err() == nil { // else it is not repeated
			d.report(Event{Kind: Retried, Broker: -1, Text: fmt.Sprintf("look at the cluster: %v", err)})
		}
		return
	}
	own := func(tp plan.TopicPartition) bool { _, ok := d.own[tp]; return ok }
	b.ails = worse(b.since(&now), &now, own)
	if d.adaptive != nil {
		b.harm(&now, own)
	}
}

// since is what the pictures are compared with: the cluster before the run, or
// the first picture as far as that is not known.
func (b *breaker) since(first *plan.Cluster) Start {
	if b.start == nil {
		b.start = new(StartOf(first))
	}
	if b.start.Voters == nil {
		b.start.Voters = keepUp(first.Quorum)
	}
	return *b.start
}

// trip pauses the run while the cluster ails, and says so on each change.
func (d *Driver) trip(ctx context.Context, r *run) {
	if r.waitOnly {
		return
	}
	ails := d.ail(ctx, r)
	switch was := r.paused; {
	case len(ails) > 0 && len(was) == 0:
		d.report(Event{Kind: Paused, Text: "nothing new starts while " + strings.Join(ails, "; ")})
	case len(ails) == 0 && len(was) > 0:
		d.report(Event{Kind: Resumed, Text: "the cluster is as it was at the start; moves start again"})
	}
	r.paused = ails
}

// harm notes the brokers where a replica that is not moved left an ISR since
// the picture before: its own, and the one that leads it.
func (b *breaker) harm(now *plan.Cluster, own func(plan.TopicPartition) bool) {
	if b.last != nil {
		for _, id := range shrunk(b.last, now, own) {
			if b.hurt == nil {
				b.hurt = map[int32]bool{}
			}
			b.hurt[id] = true
		}
	}
	b.last = now
}

// shrunk lists the brokers of replicas that left an ISR from one picture to the
// next, and those of the leaders that feed them, each as often as it happened.
func shrunk(before, now *plan.Cluster, own func(plan.TopicPartition) bool) []int32 {
	var hurt []int32
	for i := range now.NumPartitions() {
		old, known := before.Find(now.Name(i))
		p := now.Partition(i)
		if !known || own(now.Name(i)) {
			continue
		}
		for _, gone := range without(before.Partition(old).ISR, p.ISR) {
			if slices.Contains(p.Replicas, gone) {
				hurt = append(hurt, gone, p.Leader)
			}
		}
	}
	return hurt
}

// departed names the brokers that were live and are not. Those that are drained
// are expected to go, and those given up are done with.
func departed(before, now, expected []int32) []string {
	var ails []string
	for _, b := range before {
		if !slices.Contains(now, b) && !slices.Contains(expected, b) {
			ails = append(ails, fmt.Sprintf("broker %d is away", b))
		}
	}
	return ails
}

// worse names what is worse now than at the start: partitions not ours that
// have lost their leader or fell under their min ISR, and voters that do not
// keep up any more.
func worse(start Start, now *plan.Cluster, own func(plan.TopicPartition) bool) []string {
	var leaderless, under []plan.TopicPartition
	for i := range now.NumPartitions() {
		p := now.Partition(i)
		headless, short := p.Leader == plan.NoLeader, now.UnderMinISR(i)
		if !headless && !short || own(now.Name(i)) {
			continue
		}
		switch name := now.Name(i); {
		case headless && !holds(start.Leaderless, name):
			leaderless = append(leaderless, name)
		case !headless && !holds(start.UnderMin, name):
			under = append(under, name)
		}
	}
	var ails []string
	if len(leaderless) > 0 {
		ails = append(ails, listed(leaderless, "has", "have")+" no leader")
	}
	if len(under) > 0 {
		ails = append(ails, listed(under, "is", "are")+" under min ISR")
	}
	return append(ails, lostVoters(start.Voters, now.Quorum)...)
}

// lostVoters names those that kept up and do not now. A quorum that could not be
// asked has lost none.
func lostVoters(kept []int32, now *plan.Quorum) []string {
	if now == nil {
		return nil
	}
	var ails []string
	for _, id := range without(kept, keepUp(now)) {
		ails = append(ails, fmt.Sprintf("voter %d of the quorum is away", id))
	}
	return ails
}
