package plan

import "slices"

// CheckBrokers is nil if the brokers can be asked about: at least one, none
// twice, and each registered or in a replica list. Else it is an
// [*InvalidRequest] or an [*UnknownBroker].
func CheckBrokers(c *Cluster, brokers []int32) error {
	if err := (&Request{Brokers: brokers}).check(); err != nil {
		return err
	}
	for _, id := range slices.Sorted(slices.Values(brokers)) {
		if _, known := c.Broker(id); !known && !c.holdsAny(id) {
			e := &UnknownBroker{ID: id}
			for _, b := range c.Brokers {
				e.Known = append(e.Known, b.ID)
			}
			return e
		}
	}
	return nil
}

// holdsAny says whether any replica list names the broker.
func (c *Cluster) holdsAny(id int32) bool { return slices.Contains(c.partitions.replicas, id) }
