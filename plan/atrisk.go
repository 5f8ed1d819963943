package plan

import (
	"fmt"

	"drain/election"
)

// risks tells what the stop of the drained brokers would do to partitions that
// are left on them: mode at-risk moves only those that would be left leaderless,
// with a leader out of sync, or under their min ISR.
type risks struct {
	rules   []election.Rules
	ballots *ballots
	brokers []int32
}

func newRisks(c *Cluster, brokers []int32) *risks {
	return &risks{rules: c.rules(nil), ballots: newBallots(c), brokers: brokers}
}

// of is what becomes of the partition with index i.
func (k *risks) of(i int) election.Result {
	p := k.ballots.of(i)
	res, _ := worstOver(k.rules, func(r election.Rules) election.Result { return election.Crash(r, k.ballots.live, p, k.brokers) })
	return res
}

// replaced is how many replicas of a partition at risk have to be replaced so
// that the stop leaves its min ISR in sync, of those on drained brokers: all, or
// as many as survivors in sync are too few.
func (s *survey) replaced(t *task, drained int) int {
	if s.r.Mode != AtRisk {
		return drained
	}
	v := s.c.Partition(int(t.partition))
	inSync := 0
	for _, id := range v.Replicas {
		if s.canLead(v, id) && !s.nodes[s.index.of(id)].drained {
			inSync++
		}
	}
	need := s.risks.rules[0].MinISR(s.risks.ballots.of(int(t.partition)))
	return min(drained, max(1, need-inSync))
}

// atMinISR counts the partitions that the stop leaves exactly at their min ISR:
// those that stay, and those of which no more replicas are replaced than need be.
func (d *drain) atMinISR() int {
	if d.r.Mode != AtRisk {
		return 0
	}
	n := 0
	for _, i := range d.fates[kept] {
		if res := d.risks.of(int(i)); res.AtMinISR {
			n++
		}
	}
	for i := range d.tasks {
		if t := &d.tasks[i]; !t.dropped && d.staysOn(t) {
			n++
		}
	}
	return n
}

// reducedRedundancy says what mode at-risk gives up.
func reducedRedundancy(d *drain, p *Plan) []Finding {
	kept := len(d.fates[kept])
	for i := range d.tasks {
		if t := &d.tasks[i]; !t.dropped && d.staysOn(t) {
			kept++
		}
	}
	if p.Mode != AtRisk || kept == 0 {
		return nil
	}
	f := Finding{
		Level: Warn, Risk: "at-min-isr", Partition: -1, Broker: -1,
		Message: Count(kept, "partition keeps a replica on the drained brokers and has", "partitions keep replicas on the drained brokers and have") + " fewer in sync while those are down",
		Remedy:  "mode evacuate moves them all",
	}
	if p.InsteadLeft > 0 {
		f.Remedy = "keep the other brokers up meanwhile; mode evacuate would be refused, as it has no place for all"
	}
	if n := p.Totals.AtMinISR; n > 0 {
		f.Message += fmt.Sprintf("; %s will be at their min ISR exactly, so that the next fault stops their writes", digits(int64(n)))
	}
	return []Finding{f}
}
