package kafkatest

type Relay struct{ port int }

func (c *Cluster) relayBrokers() error { return nil }

func (r *Relay) close() {}
