package kafkatest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Listener names. The judge's listener is there only when the clients' one is
// secured or relayed: what looks at the cluster from outside must not be slowed,
// cut off or refused by what a test does to it.
const (
	clientListener     = "CLIENT"
	judgeListener      = "JUDGE"
	controllerListener = "CONTROLLER"
)

// properties are the server properties of one node.
func (c *Cluster) properties(n *node) map[string]string {
	p := map[string]string{
		"log.dirs":                         strings.Join(n.dirs(), ","),
		"auto.create.topics.enable":        "false",
		"group.initial.rebalance.delay.ms": "0",
		"log.cleaner.dedupe.buffer.size":   "2097152",
		"num.network.threads":              "1",
		"num.io.threads":                   "2",
	}
	maps.Copy(p, internalTopics(len(c.spec.Brokers)))
	if c.spec.ZooKeeper {
		p["broker.id"] = fmt.Sprint(n.id)
		p["zookeeper.connect"] = loopback(c.zookeeperPort)
		p["zookeeper.session.timeout.ms"] = "3000"
	} else {
		c.addQuorum(p, n)
	}
	c.addListeners(p, n)
	c.addSecurity(p)
	if n.rack != "" {
		p["broker.rack"] = n.rack
	}
	maps.Copy(p, n.config)
	return p
}

// internalTopics keeps Kafka's own topics few and as replicated as the cluster
// can.
func internalTopics(brokers int) map[string]string {
	p := map[string]string{}
	factor, minISR := strconv.Itoa(min(3, brokers)), strconv.Itoa(min(2, brokers))
	p["offsets.topic.num.partitions"] = "3"
	p["offsets.topic.replication.factor"] = factor
	for _, kind := range []string{"transaction.state.log", "share.coordinator.state.topic"} {
		p[kind+".num.partitions"] = "3"
		p[kind+".replication.factor"] = factor
		p[kind+".min.isr"] = minISR
	}
	return p
}

// addQuorum sets what makes the node a member of a KRaft cluster. A killed
// broker is fenced after the session timeout instead of the default 9 s.
func (c *Cluster) addQuorum(p map[string]string, n *node) {
	var roles, voters []string
	if n.broker {
		roles = append(roles, "broker")
	}
	if n.controller {
		roles = append(roles, "controller")
	}
	for _, v := range c.nodes {
		if v.controller {
			voters = append(voters, fmt.Sprintf("%d@%s", v.id, loopback(v.ports.controller)))
		}
	}
	p["node.id"] = fmt.Sprint(n.id)
	p["process.roles"] = strings.Join(roles, ",")
	p["controller.quorum.voters"] = strings.Join(voters, ",")
	p["controller.listener.names"] = controllerListener
	p["broker.session.timeout.ms"] = "3000"
	p["broker.heartbeat.interval.ms"] = "500"
}

func (c *Cluster) addListeners(p map[string]string, n *node) {
	var listen, advertise []string
	protocols := []string{clientListener + ":" + c.spec.Security.protocol()}
	if !c.spec.ZooKeeper {
		protocols = append(protocols, controllerListener+":PLAINTEXT")
	}
	add := func(name string, port, advertised int) {
		listen = append(listen, name+"://"+loopback(port))
		advertise = append(advertise, name+"://"+loopback(advertised))
	}
	if n.broker {
		add(clientListener, n.ports.client, n.advertisedPort())
		p["inter.broker.listener.name"] = clientListener
	}
	if n.ports.judge != n.ports.client {
		add(judgeListener, n.ports.judge, n.ports.judge)
		protocols = append(protocols, judgeListener+":PLAINTEXT")
	}
	if n.broker {
		p["advertised.listeners"] = strings.Join(advertise, ",")
	}
	if n.controller {
		listen = append(listen, controllerListener+"://"+loopback(n.ports.controller))
	}
	p["listeners"] = strings.Join(listen, ",")
	p["listener.security.protocol.map"] = strings.Join(protocols, ",")
}

// advertisedPort is where clients and other brokers reach the broker.
func (n *node) advertisedPort() int {
	if n.relay != nil {
		return n.relay.port
	}
	return n.ports.client
}

// propertiesText is a properties file, sorted by key.
func propertiesText(p map[string]string) []byte {
	var b bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", key, p[key])
	}
	return b.Bytes()
}
