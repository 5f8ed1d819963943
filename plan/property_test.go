package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"drain/plan"
)

// randomCluster draws clusters with everything that a snapshot can hold: racks
// or none or some, brokers that are down, fenced, cordoned or silent, replicas
// out of sync or on a dead dir, moves in flight, topics of any replication.
func randomCluster(rt *rapid.T) plan.Cluster {
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: rapid.IntRange(1, 3).Draw(rt, "minISR"), ELR: rapid.Bool().Draw(rt, "elr")}}
	brokers := rapid.IntRange(2, 9).Draw(rt, "brokers")
	racks := rapid.IntRange(0, 4).Draw(rt, "racks")
	for id := range brokers {
		broker := plan.Broker{ID: int32(id), CapacityBytes: rapid.Int64Range(50, 400).Draw(rt, "capacity"), UsableBytes: plan.Unknown}
		if racks > 0 && rapid.IntRange(0, 9).Draw(rt, "racked") > 0 {
			broker.Rack = fmt.Sprint("r", id%racks)
		}
		switch rapid.IntRange(0, 15).Draw(rt, "state") {
		case 0:
			broker.State = plan.Down
		case 1:
			broker.State = plan.Fenced
		case 2:
			broker.Cordoned = true
		case 3:
			broker.CapacityBytes = plan.Unknown
		case 4:
			broker.LogDirs = []plan.LogDir{
				{Path: "/a", TotalBytes: 100, UsableBytes: 60, Replicas: 3},
				{Path: "/b", TotalBytes: 120, UsableBytes: rapid.Int64Range(0, 80).Draw(rt, "b"), Replicas: 1},
				{Path: "/c", TotalBytes: 120, UsableBytes: 30, Replicas: 1},
			}
		}
		b.Broker(broker)
	}
	for t := range rapid.IntRange(1, 4).Draw(rt, "topics") {
		b.Topic(plan.Topic{Name: fmt.Sprint("t", t)})
		for n := range rapid.IntRange(1, 8).Draw(rt, "partitions") {
			b.Partition(randomPartition(rt, brokers, int32(n)))
		}
	}
	c, err := b.Cluster()
	if err != nil {
		rt.Fatal(err)
	}
	return c
}

func randomPartition(rt *rapid.T, brokers int, number int32) plan.PartitionView {
	all := make([]int32, brokers)
	for i := range all {
		all[i] = int32(i)
	}
	list := rapid.Permutation(all).Draw(rt, "list")[:rapid.IntRange(1, min(4, brokers)).Draw(rt, "rf")]
	v := plan.PartitionView{Number: number, Leader: list[0], Replicas: list, ISR: slices.Clone(list), SizeBytes: rapid.Int64Range(-1, 40).Draw(rt, "size")}
	switch rapid.IntRange(0, 9).Draw(rt, "trouble") {
	case 0:
		v.ISR = list[:1]
	case 1:
		v.ISR, v.Leader = list[len(list)-1:], list[len(list)-1]
	case 2:
		v.Leader, v.ISR = plan.NoLeader, nil
	case 3:
		v.Offline = list[:1]
	case 4:
		v.Adding, v.Removing = list[:1], list[len(list)-1:]
	}
	return v
}

func randomRequest(rt *rapid.T, c plan.Cluster) plan.Request {
	r := plan.Request{
		Slack:        rapid.SampledFrom([]float64{0, 0.25, 1}).Draw(rt, "slack"),
		DiskHeadroom: rapid.SampledFrom([]float64{0, 0.1}).Draw(rt, "headroom"),
		NameDirs:     rapid.Bool().Draw(rt, "dirs"),
		BytesPerSec:  rapid.SampledFrom([]int64{0, 1, 1000}).Draw(rt, "throttle"),
	}
	for _, b := range c.Brokers[:rapid.IntRange(1, len(c.Brokers)-1).Draw(rt, "drained")] {
		r.Brokers = append(r.Brokers, b.ID)
	}
	if rapid.IntRange(0, 3).Draw(rt, "excluding") == 0 {
		r.Exclude = []int32{c.Brokers[len(c.Brokers)-1].ID}
	}
	return r
}

// Every plan keeps the hard constraints, whatever the cluster.
func TestPlansKeepTheConstraints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		p, err := plan.Compute(c, r)
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range p.Moves {
			checkMove(rt, c, r, m)
		}
		checkRoom(rt, c, r, p)
		checkAccount(rt, c, r, p)
	})
}

// checkMove holds H1, H2 and H5 against one move.
func checkMove(rt *rapid.T, c plan.Cluster, r plan.Request, m plan.Move) {
	i, ok := c.Find(m.TopicPartition)
	if !ok {
		rt.Fatalf("%v is not in the cluster", m.TopicPartition)
	}
	v := c.Partition(i)
	if !slices.Equal(m.Before, v.Replicas) || len(m.After) != len(m.Before) || len(m.From) != len(m.To) {
		rt.Errorf("%+v: lists do not fit %v", m, v.Replicas)
	}
	for k, id := range m.After {
		if slices.Contains(m.After[:k], id) || slices.Contains(r.Brokers, id) {
			rt.Errorf("%v: broker %d is there twice, or drained", m.After, id)
		}
	}
	for _, id := range m.To {
		if b, _ := c.Broker(id); !b.Live() || b.Cordoned || slices.Contains(r.Exclude, id) || b.CapacityBytes < 0 && b.LogDirs == nil {
			rt.Errorf("%v: broker %d cannot receive", m.TopicPartition, id)
		}
	}
	checkRacks(rt, c, r, m)
	if !slices.Contains(r.Brokers, v.Replicas[0]) && m.After[0] != v.Replicas[0] {
		rt.Errorf("%v: preferred leader %d displaced by %d", m.TopicPartition, v.Replicas[0], m.After[0])
	}
	if m.LeadsFirst != m.After[0] {
		rt.Errorf("%v: %d leads first and %d is first", m.TopicPartition, m.LeadsFirst, m.After[0])
	}
	if d := m.LeadsDuring; d != plan.NoLeader && (!slices.Contains(v.ISR, d) || slices.Contains(v.Offline, d) || !c.Live(d)) {
		rt.Errorf("%v: %d leads meanwhile and cannot", m.TopicPartition, d)
	}
	if during := m.During(); !slices.Equal(slices.Sorted(slices.Values(during)), slices.Sorted(slices.Values(m.After))) {
		rt.Errorf("%v: the list meanwhile %v is not the target %v", m.TopicPartition, during, m.After)
	}
}

// checkRacks holds H2: no fewer racks than before, but where there are no more to be
// had. A broker without a rack counts for none, and is a warning; one that does not
// tell its space receives nothing.
func checkRacks(rt *rapid.T, c plan.Cluster, r plan.Request, m plan.Move) {
	racks := func(list []int32) (names []string) {
		for _, id := range list {
			if b, _ := c.Broker(id); b.Rack != "" && !slices.Contains(names, b.Rack) {
				names = append(names, b.Rack)
			}
		}
		return names
	}
	after := racks(m.After)
	if len(after) >= len(racks(m.Before)) || slices.ContainsFunc(m.To, func(id int32) bool { return len(racks([]int32{id})) == 0 }) {
		return
	}
	for _, b := range c.Brokers {
		barred := !b.Live() || b.Cordoned || b.CapacityBytes == plan.Unknown || slices.Contains(r.Brokers, b.ID) || slices.Contains(r.Exclude, b.ID) || emptied(c, b.ID)
		if !barred && b.Rack != "" && !slices.Contains(after, b.Rack) {
			rt.Errorf("%v: on racks %v before and %v after, and broker %d is in rack %s", m.TopicPartition, racks(m.Before), after, b.ID, b.Rack)
		}
	}
}

// emptied says that moves in flight take replicas off the broker, and bring none.
func emptied(c plan.Cluster, id int32) bool {
	removing := false
	for i := range c.NumPartitions() {
		v := c.Partition(i)
		if slices.Contains(v.Adding, id) {
			return false
		}
		removing = removing || slices.Contains(v.Removing, id)
	}
	return removing
}

// checkRoom holds H3: nobody is filled beyond the headroom by what comes, nor is any
// log dir that is named. One that is too full already takes no room from the others.
func checkRoom(rt *rapid.T, c plan.Cluster, r plan.Request, p plan.Plan) {
	type place struct {
		broker int32
		dir    string
	}
	into := map[place]int64{}
	for _, m := range p.Moves {
		for k, dir := range m.Dirs {
			into[place{m.To[k], dir}] += m.Bytes / int64(len(m.To))
		}
	}
	for _, l := range plan.Loads(c, p) {
		room := (1-r.DiskHeadroom)*float64(l.CapacityBytes) - float64(l.UsedBytes)
		if b, _ := c.Broker(l.Broker); len(b.LogDirs) > 0 {
			room = 0
			for _, dir := range b.LogDirs {
				here := max(0, float64(dir.UsableBytes)-r.DiskHeadroom*float64(dir.TotalBytes))
				room += here
				if n := into[place{l.Broker, dir.Path}]; float64(n) > here {
					rt.Errorf("broker %d, directory %s: %d to come, and room for %.0f", l.Broker, dir.Path, n, here)
				}
			}
		}
		if l.In > 0 && l.CapacityBytes >= 0 && float64(l.In) > room {
			rt.Errorf("broker %d: %d to come, and room for %.0f", l.Broker, l.In, room)
		}
	}
}

// checkAccount says that each affected partition is moved, or left with a
// finding, and no other.
func checkAccount(rt *rapid.T, c plan.Cluster, r plan.Request, p plan.Plan) {
	moved := map[plan.TopicPartition]bool{}
	for _, m := range p.Moves {
		moved[m.TopicPartition] = true
	}
	for i := range c.NumPartitions() {
		name := c.Name(i)
		affected := slices.ContainsFunc(c.Partition(i).Replicas, func(id int32) bool { return slices.Contains(r.Brokers, id) })
		left := slices.Contains(p.Left, name)
		if affected != (moved[name] || left) || moved[name] && left {
			rt.Errorf("%v: affected %t, moved %t, left %t", name, affected, moved[name], left)
		}
		if left && !slices.ContainsFunc(p.Findings, func(f plan.Finding) bool {
			return f.Level == plan.Block && f.Topic == name.Topic && f.Partition == name.Partition
		}) {
			rt.Errorf("%v is left and no finding says why", name)
		}
	}
	if len(p.Left) == 0 && p.Totals.Bytes != p.Totals.BoundBytes {
		rt.Errorf("%d bytes move, and %d are on the drained brokers", p.Totals.Bytes, p.Totals.BoundBytes)
	}
	if len(p.Left) == 0 && p.Totals.Seconds < p.Totals.BoundSeconds {
		rt.Errorf("%v s expected, and %v s are a bound", p.Totals.Seconds, p.Totals.BoundSeconds)
	}
}

// The order of the input does not matter.
func TestShuffledInputGivesTheSamePlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		shuffled := r
		shuffled.Brokers = rapid.Permutation(r.Brokers).Draw(rt, "order of the drained")
		p, _ := plan.Compute(c, r)
		q, _ := plan.Compute(shuffle(rt, c), shuffled)
		if p.String() != q.String() {
			rt.Errorf("got\n%vand\n%v", p, q)
		}
	})
}

func shuffle(rt *rapid.T, c plan.Cluster) plan.Cluster {
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: c.MinISRDefault, ELR: c.ELR}}
	for _, broker := range rapid.Permutation(c.Brokers).Draw(rt, "brokers") {
		if len(broker.LogDirs) > 0 {
			broker.LogDirs = rapid.Permutation(broker.LogDirs).Draw(rt, "dirs")
		}
		b.Broker(broker)
	}
	for _, topic := range rapid.Permutation(c.Topics).Draw(rt, "topics") {
		var parts []int
		for i := range topic.Count {
			parts = append(parts, topic.First+i)
		}
		b.Topic(topic)
		for _, i := range rapid.Permutation(parts).Draw(rt, "partitions") {
			b.Partition(c.Partition(i))
		}
	}
	out, err := b.Cluster()
	if err != nil {
		rt.Fatal(err)
	}
	return out
}

// carriedOut is the cluster once the plan's moves are done.
func carriedOut(rt *rapid.T, c plan.Cluster, p plan.Plan) plan.Cluster {
	moves := map[plan.TopicPartition]plan.Move{}
	for _, m := range p.Moves {
		moves[m.TopicPartition] = m
	}
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: c.MinISRDefault, ELR: c.ELR}}
	for _, broker := range c.Brokers {
		b.Broker(broker)
	}
	for _, topic := range c.Topics {
		b.Topic(topic)
		for i := topic.First; i < topic.First+topic.Count; i++ {
			v := c.Partition(i)
			if m, ok := moves[c.Name(i)]; ok {
				v.Replicas, v.ISR, v.Leader, v.Offline = m.After, m.After, m.LeadsFirst, nil
			}
			b.Partition(v)
		}
	}
	out, err := b.Cluster()
	if err != nil {
		rt.Fatal(err)
	}
	return out
}

// Once a plan is carried out there is nothing more to do, but for what it left.
func TestPlanningTheResultGivesNothingToDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		p, _ := plan.Compute(c, r)
		again, err := plan.Compute(carriedOut(rt, c, p), r)
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range again.Moves {
			if !slices.Contains(p.Left, m.TopicPartition) {
				rt.Errorf("%v moves once more", m.TopicPartition)
			}
		}
	})
}

// Mode at-risk moves some of what an evacuation moves, and after it the stop
// leaves nothing leaderless or under its min ISR that could move.
func TestAtRiskIsASubset(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		whole, _ := plan.Compute(c, r)
		r.Mode = plan.AtRisk
		p, err := plan.Compute(c, r)
		if err != nil {
			rt.Fatal(err)
		}
		if len(whole.Left) > 0 {
			return // what has no place in one mode may have one in the other
		}
		for _, m := range p.Moves {
			i := slices.IndexFunc(whole.Moves, func(w plan.Move) bool { return w.TopicPartition == m.TopicPartition })
			if i < 0 || len(m.To) > len(whole.Moves[i].To) {
				rt.Errorf("%v moves at risk, and not in an evacuation", m.TopicPartition)
			}
		}
		if p.Totals.Bytes > whole.Totals.Bytes || *p.Instead != whole.Totals {
			rt.Errorf("totals %+v, instead of %+v, want %+v", p.Totals, p.Instead, whole.Totals)
		}
	})
}
