package plan

import (
	"slices"
	"time"

	"drain/election"
)

// Diagnosis is what is wrong with the partitions of a cluster now.
type Diagnosis struct {
	Partitions int
	Leaderless []Stuck // in order
	// The tallies are over the partitions that have a leader. Under and at the
	// min ISR go by the effective minimum (see election.Rules.MinISR); adding
	// replicas do not make a partition under-replicated.
	UnderMinISR, AtMinISR, UnderReplicated, LedElsewhere Tally
	Notes                                                []Finding // of the picture: what could not be read
}

// Tally counts partitions and names the first of them.
type Tally struct {
	Count int
	First []TopicPartition // in order, ten at most
}

// Stuck is a partition that has no leader.
type Stuck struct {
	TopicPartition
	// Since is about when the last replica that may lead cleanly was lost: the
	// controller heard of it for the last time. Zero if unknown.
	Since    time.Time
	Replicas []Copy // in assignment order
	Cures    []Cure // cleanest first, never empty
}

// Copy is one replica of a partition without a leader.
type Copy struct {
	Broker                      int32
	Health                      Health
	InSync, Eligible, LastKnown bool // in the ISR, the ELR, the last known leader
}

// Health is why a replica can or can not lead as far as its broker goes.
type Health uint8

// The states of a replica's broker, and of the log dir that the replica is in.
const (
	Up         Health = iota // alive, log dir and all
	DirOffline               // alive, and the log dir is offline
	Stopping                 // in controlled shutdown
	Gone                     // in replica lists only: down, or no longer known
	FencedOff                // registered, without a heartbeat
)

var healthWords = [...]string{"alive", "offlineDir", "shuttingDown", "down", "fenced"}

// String is the word of the JSON form.
func (h Health) String() string { return healthWords[h] }

// Diagnose finds the partitions without a leader, why, and what would bring
// each back, as far as the picture tells. It predicts under the likeliest of the
// releases that the cluster may run.
func Diagnose(c *Cluster) Diagnosis {
	d := doctor{c: c, rules: c.rules(nil)[0], ballots: newBallots(c)}
	found := Diagnosis{Partitions: c.NumPartitions(), Notes: slices.SortedStableFunc(slices.Values(c.Notes), CompareFindings)}
	for i := range c.NumPartitions() {
		if c.partitions.leader[i] == NoLeader {
			found.Leaderless = append(found.Leaderless, d.stuck(i))
		} else {
			d.tally(&found, i)
		}
	}
	return found
}

// doctor knows the cluster that is looked at.
type doctor struct {
	c       *Cluster
	rules   election.Rules
	ballots *ballots
}

// tally counts a partition that has a leader.
func (d doctor) tally(found *Diagnosis, i int) {
	v := d.c.Partition(i)
	d.ballots.settle(v.Topic)
	least := d.rules.MinISR(election.Partition{MinISR: d.ballots.minISR, Replicas: v.Replicas})
	name := func() TopicPartition { return d.c.Name(i) }
	found.UnderMinISR.add(len(v.ISR) < least, name)
	found.AtMinISR.add(len(v.ISR) == least, name)
	found.UnderReplicated.add(len(v.ISR) < len(v.Replicas)-len(v.Adding), name)
	found.LedElsewhere.add(v.Leader != v.Replicas[0], name)
}

func (t *Tally) add(hit bool, name func() TopicPartition) {
	if !hit {
		return
	}
	t.Count++
	if len(t.First) < 10 {
		t.First = append(t.First, name())
	}
}

func (d doctor) stuck(i int) Stuck {
	p := d.ballots.of(i)
	s := Stuck{TopicPartition: d.c.Name(i)}
	for _, id := range p.Replicas {
		s.Replicas = append(s.Replicas, Copy{
			Broker: id, Health: d.health(p, id),
			InSync: slices.Contains(p.ISR, id), Eligible: slices.Contains(p.ELR, id), LastKnown: slices.Contains(p.LastKnown, id),
		})
	}
	s.Since = d.since(s.Replicas)
	s.Cures = d.cures(s, p)
	return s
}

func (d doctor) health(p election.Partition, id int32) Health {
	b, known := d.c.Broker(id)
	switch {
	case !known:
		return Gone
	case b.State != Alive:
		return map[State]Health{Fenced: FencedOff, ShuttingDown: Stopping, Down: Gone}[b.State]
	case slices.Contains(p.Offline, id):
		return DirOffline
	}
	return Up
}

// since is when the last of the brokers was heard that could have led cleanly.
// One that is there, but for its log dir, says nothing of the time.
func (d doctor) since(copies []Copy) time.Time {
	var last time.Time
	for _, r := range copies {
		if !r.trusted() {
			continue
		}
		if r.Health == Up || r.Health == DirOffline {
			return time.Time{}
		}
		for _, h := range d.c.Heard {
			if h.ID == r.Broker && h.At.After(last) {
				last = h.At
			}
		}
	}
	return last
}

// trusted says that the replica is known to hold all that was acknowledged.
func (r Copy) trusted() bool { return r.InSync || r.Eligible || r.LastKnown }
