package plan

import "slices"

// ComputeNaming is [Compute] for who can name log dirs beforehand
// (AlterReplicaLogDirs). Where every replica fits the dir that Kafka will pick
// itself, the one with the fewest logs (LogManager.nextLogDirs), nothing is
// named: a name is kept in the memory of the destination only, until it
// restarts. Where that leaves replicas to the last resorts, dirs are named, if
// fewer are left to them then: what they cost is more than a name.
func ComputeNaming(c Cluster, r Request) (Plan, error) {
	r.NameDirs = false
	p, err := Compute(c, r)
	if err != nil {
		return p, err
	}
	without := p.lastResorts(&c)
	if without == 0 {
		return p, nil
	}
	r.NameDirs = true
	named, err := Compute(c, r)
	if err != nil || named.lastResorts(&c) >= without {
		return p, err
	}
	return named, nil
}

// lastResorts counts the replicas that have no place, or one that a helper, an
// accepted risk or a broker without a rack gives them.
func (p *Plan) lastResorts(c *Cluster) int {
	n := 0
	for _, f := range p.Findings {
		if slices.Contains([]string{"disk-full", unknownRisk, helperRisk}, f.Risk) {
			n++
		}
	}
	if !slices.ContainsFunc(c.Brokers, func(b Broker) bool { return b.Rack != "" }) {
		return n
	}
	for i := range p.Moves {
		for _, id := range p.Moves[i].To {
			if b, _ := c.Broker(id); b.Rack == "" {
				n++
			}
		}
	}
	return n
}
