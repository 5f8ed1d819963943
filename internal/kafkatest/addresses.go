package kafkatest

// ClusterID is the id that Metadata shows; another for each cluster.
func (c *Cluster) ClusterID() string { return c.id }

// Bootstrap lists host:port of every broker's client listener, in the order of
// the spec, whether the broker is up or not.
func (c *Cluster) Bootstrap() []string {
	var addresses []string
	for _, id := range c.Brokers() {
		addresses = append(addresses, c.BootstrapOf(id))
	}
	return addresses
}

// BootstrapOf is host:port of one broker's client listener.
func (c *Cluster) BootstrapOf(id int32) string { return loopback(c.node(id).advertisedPort()) }

// JudgeBootstrap lists the listeners that are in plain text, never relayed and
// of unlimited rights: for a test's own look at the cluster. Without security
// and relay they are the same as Bootstrap.
func (c *Cluster) JudgeBootstrap() []string {
	var addresses []string
	for _, id := range c.Brokers() {
		addresses = append(addresses, loopback(c.node(id).ports.judge))
	}
	return addresses
}

// Brokers lists the ids of the brokers, in the order of the spec.
func (c *Cluster) Brokers() []int32 { return c.ids(func(n *node) bool { return n.broker }) }

// Controllers lists the ids of the quorum voters; none in ZooKeeper mode.
func (c *Cluster) Controllers() []int32 { return c.ids(func(n *node) bool { return n.controller }) }

func (c *Cluster) ids(fits func(*node) bool) []int32 {
	var ids []int32
	for _, n := range c.nodes {
		if fits(n) {
			ids = append(ids, n.id)
		}
	}
	return ids
}

// PID is the process id of a node's last process, also when it has ended.
func (c *Cluster) PID(id int32) int { return c.node(id).process().pid() }

// Dir is the first log dir of a node; Dirs are all.
func (c *Cluster) Dir(id int32) string { return c.node(id).dirs()[0] }

// Dirs are the log dirs of a node, in the order of its log.dirs property.
func (c *Cluster) Dirs(id int32) []string { return c.node(id).dirs() }

// Log is the file that a node's standard output and error go to.
func (c *Cluster) Log(id int32) string { return c.node(id).log }
