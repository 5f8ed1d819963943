package plan

import (
	"fmt"
	"slices"
)

// QuorumWithout is what a stop of these brokers would do to the majority of the
// KRaft controllers: a block quorum-lost, a warning quorum-thin if none more may
// fail meanwhile, or nothing, as where no voter goes and with ZooKeeper.
//
// The voters that go are the brokers themselves and those on their hosts. Of n
// voters floor(n/2)+1 must be left alive and caught up, and n counts those that are
// gone: one that is stopped is still a voter (KIP-595).
func QuorumWithout(c *Cluster, brokers []int32) []Finding {
	if c.Quorum == nil {
		return nil
	}
	var voters, going, staying []int32
	for _, v := range c.Quorum.Voters {
		voters = append(voters, v.ID)
		switch {
		case c.goesWith(v, brokers):
			going = append(going, v.ID)
		case slices.Contains(c.Quorum.Lagging, v.ID) || c.knownDead(v.ID):
		default:
			staying = append(staying, v.ID)
		}
	}
	if len(going) == 0 {
		return nil
	}
	need := len(voters)/2 + 1
	f := Finding{Partition: -1, Broker: going[0], Risk: "quorum-lost",
		Message: fmt.Sprintf("of the controller voters %v the stop takes %v; %v are left alive and caught up, and %d are needed", voters, going, staying, need),
		Remedy:  "bring the other voters back in step first, or move the voter elsewhere (AddRaftVoter, RemoveRaftVoter)",
	}
	switch {
	case len(staying) < need:
		f.Level = Block
	case len(staying) == need:
		f.Level, f.Risk = Warn, "quorum-thin"
		f.Message += ": none more may fail while it is down"
		f.Remedy = "none needed; keep the other voters up"
	default:
		return nil
	}
	return []Finding{f}
}

// goesWith says that the voter is one of the brokers, or on the host of one.
func (c *Cluster) goesWith(v Voter, brokers []int32) bool {
	return slices.ContainsFunc(brokers, func(id int32) bool {
		b, _ := c.Broker(id)
		return v.ID == id || v.Host == b.Host && tellsHost(b.Host)
	})
}

// knownDead says that the voter is a broker too, and not alive.
func (c *Cluster) knownDead(id int32) bool {
	b, known := c.Broker(id)
	return known && !b.Live()
}
