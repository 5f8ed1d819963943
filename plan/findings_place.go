package plan

import (
	"fmt"
	"slices"
)

// unplaced are partitions of which a replica has no place, or has one only by
// an accepted risk.
func unplaced(d *drain, _ *Plan) []Finding {
	var found []Finding
	for i := range d.tasks {
		t := &d.tasks[i]
		slots := d.slotsOf(t)
		for k := range slots {
			if s := &slots[k]; s.reason > rackless {
				found = append(found, d.about(t.partition, d.misplacement(t, s)))
			}
		}
	}
	return found
}

func (d *drain) misplacement(t *task, s *slot) Finding {
	name := d.c.Name(int(t.partition))
	switch s.reason {
	case spaceUnknown:
		return d.spaceUnknown(name, s)
	case full:
		return d.diskFull(t, s)
	case needsHelp:
		return d.needsHelper(t, s)
	}
	return Finding{ // tooFew
		Level: Block, Risk: "rf-above-brokers", Broker: -1,
		Message: fmt.Sprintf("%v needs %s, and %s may hold one once the drained ones are gone", name,
			count(int(t.replicas), "replica"), onlyCount(d.holders(t), "broker")),
		Remedy: "add a broker, allow more destinations, or lower the replication factor first",
	}
}

// holders counts the brokers that may hold the partition afterwards.
func (d *drain) holders(t *task) int {
	n := 0
	for at := range d.nodes {
		node := &d.nodes[at]
		if !node.drained && (node.eligible || slices.Contains(d.replicasOf(t), node.id)) {
			n++
		}
	}
	return n
}

func (d *drain) spaceUnknown(name TopicPartition, s *slot) Finding {
	at := s.to
	if at < 0 {
		at = d.unknownSpace(s)
	}
	return Finding{
		Level: Block, Risk: unknownRisk, Broker: d.nodes[at].id,
		Message: fmt.Sprintf("%v (%s) fits no broker whose space is known; broker %d did not tell its space", name, FormatBytes(s.size), d.nodes[at].id),
		Remedy:  fmt.Sprintf("make broker %d answer DescribeLogDirs, add room elsewhere, or accept the risk", d.nodes[at].id),
	}
}

// diskFull names the broker that has most room and still too little.
func (d *drain) diskFull(t *task, s *slot) Finding {
	best := int32(-1)
	for _, r := range append(d.uncounted(), d.groups.racks[s.racks]...) {
		for _, at := range d.racks[r].eligible {
			if !d.holds(t, at) && (best < 0 || d.nodes[at].fits > d.nodes[best].fits) {
				best = at
			}
		}
	}
	f := Finding{Level: Block, Risk: "disk-full", Broker: -1, Remedy: "add room or a broker, allow more destinations, lower the disk headroom, or accept the risk helper-moves, with which others may make room"}
	name := d.c.Name(int(t.partition))
	if best < 0 {
		f.Message = fmt.Sprintf("%v (%s) has no place: no broker of a rack that keeps its spread is left", name, FormatBytes(s.size))
		return f
	}
	if d.nodes[best].fits >= s.size {
		f.Message = fmt.Sprintf("%v (%s) needs %s at once, and fewer have room, with %.0f %% of each disk left free",
			name, FormatBytes(s.size), count(int(t.count), "new broker"), d.r.DiskHeadroom*100)
		return f
	}
	f.Broker = d.nodes[best].id
	f.Message = fmt.Sprintf("%v (%s) has no place: the most room is %s on %s, with %.0f %% of each disk left free",
		name, FormatBytes(s.size), FormatBytes(max(0, d.nodes[best].fits)), d.where(best), d.r.DiskHeadroom*100)
	return f
}

// needsHelper says which move of another replica would make room.
func (d *drain) needsHelper(t *task, s *slot) Finding {
	h := d.helpers[slices.IndexFunc(d.helpers, func(h helper) bool { return &d.slots[h.slot] == s })]
	return Finding{
		Level: Block, Risk: helperRisk, Broker: d.nodes[h.from].id,
		Message: fmt.Sprintf("%v (%s) has room on broker %d only once %v (%s), which is on no drained broker, has moved from there to broker %d",
			d.c.Name(int(t.partition)), FormatBytes(s.size), d.nodes[h.from].id, d.c.Name(int(h.partition)), FormatBytes(h.size), d.nodes[h.to].id),
		Remedy: "add room or a broker, lower the disk headroom, or accept the risk: that move is then made first",
	}
}

// where names a broker, and the directory that would be used if it has several.
func (d *drain) where(at int32) string {
	k := &d.disks[at]
	if next := k.next(); next >= 0 && len(k.dirs) > 1 {
		return fmt.Sprintf("broker %d, directory %s", d.nodes[at].id, k.dirs[next].path)
	}
	return fmt.Sprintf("broker %d", d.nodes[at].id)
}

// racksLost counts the partitions that end on fewer racks because a rack has no
// broker left that may receive.
func racksLost(d *drain, _ *Plan) []Finding {
	counts := make([]int, len(d.racks))
	example := make([]int32, len(d.racks))
	for i := range d.tasks {
		t := &d.tasks[i]
		if r := d.rackLost(t); r >= 0 {
			if counts[r] == 0 || t.partition < example[r] {
				example[r] = t.partition
			}
			counts[r]++
		}
	}
	var found []Finding
	for r, n := range counts {
		if n == 0 {
			continue
		}
		found = append(found, Finding{
			Level: Block, Risk: "rack-lost", Partition: -1, Broker: -1,
			Message: fmt.Sprintf("one rack fewer for %s, such as %v: no broker that may receive is left in rack %s",
				count(n, "partition"), d.c.Name(int(example[r])), d.racks[r].name),
			Remedy: fmt.Sprintf("add a broker in rack %s or allow one as destination, or accept the risk", d.racks[r].name),
		})
	}
	return found
}

// rackLost is the rack that a task will no longer be on, or -1 if it is on as
// many racks as before.
func (d *drain) rackLost(t *task) int32 {
	if t.dropped || d.sameRacks(t) {
		return -1
	}
	var before, after []int32
	unclear := false
	for k, id := range d.replicasOf(t) {
		at := d.index.of(id)
		before = d.addRack(before, at)
		if to := d.replacement(t, k); to >= 0 {
			at = to
			unclear = unclear || !d.racks[d.nodes[to].rack].counts
		}
		after = d.addRack(after, at)
	}
	if unclear || len(after) >= len(before) {
		return -1 // a broker without a rack is a finding of its own
	}
	for _, r := range before {
		if !slices.Contains(after, r) {
			return r
		}
	}
	return -1
}

// sameRacks says that each new replica is in the rack of the one that it
// replaces, as nearly all are.
func (d *drain) sameRacks(t *task) bool {
	for _, s := range d.slotsOf(t) {
		if d.nodes[s.from].rack != d.nodes[s.to].rack {
			return false
		}
	}
	return true
}

func (d *drain) addRack(racks []int32, at int32) []int32 {
	if at < 0 || !d.racks[d.nodes[at].rack].counts || slices.Contains(racks, d.nodes[at].rack) {
		return racks
	}
	return append(racks, d.nodes[at].rack)
}

// withoutRack are brokers that have no rack where others have one: they are
// destinations only where no other is left.
func withoutRack(d *drain, _ *Plan) []Finding {
	var found []Finding
	for _, r := range d.uncounted() {
		for at := range d.nodes {
			n := &d.nodes[at]
			if n.rack != r || n.drained || !n.live {
				continue
			}
			message := fmt.Sprintf("broker %d has no rack, while others have one: it counts for no rack and receives only what fits nowhere else", n.id)
			if n.coming > 0 {
				message += fmt.Sprintf("; it gets %s", count(int(n.coming), "replica"))
			}
			found = append(found, Finding{
				Level: Warn, Risk: "no-rack", Partition: -1, Broker: n.id,
				Message: message,
				Remedy:  fmt.Sprintf("set broker.rack of broker %d", n.id),
			})
		}
	}
	return found
}

// unknownExcluded are brokers that may not receive and are not there: one that
// was meant and misspelt does receive.
func unknownExcluded(d *drain, _ *Plan) []Finding {
	var found []Finding
	for _, id := range slices.Compact(slices.Sorted(slices.Values(d.r.Exclude))) {
		if d.index.of(id) < 0 {
			found = append(found, Finding{
				Level: Warn, Risk: "unknown-broker", Partition: -1, Broker: id,
				Message: fmt.Sprintf("broker %d is excluded and is not known to the cluster", id),
				Remedy:  "check the id: another one may have been meant, which receives replicas",
			})
		}
	}
	return found
}

// unknownTopics are patterns of excluded topics that pick none: a topic that was
// meant and misspelt does move.
func unknownTopics(d *drain, _ *Plan) []Finding {
	var found []Finding
	for _, p := range d.r.ExcludeTopics {
		if !slices.ContainsFunc(d.c.Topics, func(t Topic) bool { return p.Match(t.Name) }) {
			found = append(found, Finding{
				Level: Warn, Risk: "unknown-topic", Partition: -1, Broker: -1,
				Message: fmt.Sprintf("%s is in excludeTopics and picks no topic of the cluster", p),
				Remedy:  "check the name: the topic that was meant moves",
			})
		}
	}
	return found
}

// noDestinations are destinations of the request that receive nothing: brokers that
// may not, and racks that no broker is in.
func noDestinations(d *drain, _ *Plan) []Finding {
	var found []Finding
	for _, id := range slices.Sorted(slices.Values(d.r.Destinations)) {
		if why := d.barred(id); why != "" {
			found = append(found, Finding{
				Level: Warn, Risk: "no-destination", Partition: -1, Broker: id,
				Message: fmt.Sprintf("broker %d is a destination and %s: it receives nothing", id, why),
				Remedy:  "make it one that can receive, or take it out of destinations",
			})
		}
	}
	for _, name := range slices.Sorted(slices.Values(d.r.DestinationRacks)) {
		if !slices.ContainsFunc(d.racks, func(r rack) bool { return r.name == name }) {
			found = append(found, Finding{
				Level: Warn, Risk: "no-destination", Partition: -1, Broker: -1,
				Message: fmt.Sprintf("rack %s is a destination and has no broker", name),
				Remedy:  "take it out of destinationRacks",
			})
		}
	}
	return found
}

// barred says why a broker that is a destination may not receive, or nothing.
func (d *drain) barred(id int32) string {
	b, _ := d.c.Broker(id)
	switch {
	case !b.Live():
		return "is not alive"
	case slices.Contains(d.r.Brokers, id):
		return "is drained itself"
	case b.Cordoned:
		return "is cordoned"
	case allOffline(&b):
		return "has no log dir that works"
	case slices.Contains(d.r.Exclude, id):
		return "is excluded"
	case d.r.DestinationRacks != nil && !slices.Contains(d.r.DestinationRacks, b.Rack):
		return "is in no rack of destinationRacks"
	case !d.nodes[d.index.of(id)].eligible:
		return "is being drained by somebody else"
	}
	return ""
}
