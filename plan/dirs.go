package plan

// ComputeNaming is [Compute] for who can name log dirs beforehand
// (AlterReplicaLogDirs). Where every replica fits the dir that Kafka will pick
// itself, the one with the fewest logs (LogManager.nextLogDirs), nothing is
// named: a name is kept in the memory of the destination only, until it
// restarts. Where that leaves replicas without a place, dirs are named, if fewer
// stay without one.
func ComputeNaming(c Cluster, r Request) (Plan, error) {
	r.NameDirs = false
	p, err := Compute(c, r)
	if err != nil || !p.blockedBy("disk-full") {
		return p, err
	}
	r.NameDirs = true
	named, err := Compute(c, r)
	if err != nil || len(named.Blocked()) >= len(p.Blocked()) {
		return p, err
	}
	return named, nil
}

func (p Plan) blockedBy(risk string) bool {
	for _, f := range p.Findings {
		if f.Level == Block && f.Risk == risk {
			return true
		}
	}
	return false
}
