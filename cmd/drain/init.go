package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"drain/plan"
	"drain/runbooks"
)

func initVerb() verb {
	return verb{
		name: "init", keys: clusterKeys, formats: []string{"text"},
		usage: "ask a live cluster and write a commented runbook to stdout (--broker N: for that one)",
		act:   initRunbook,
	}
}

func initRunbook(ctx context.Context, s *session) error {
	rb, err := s.request()
	if err != nil {
		return err
	}
	t, err := s.dial(ctx, rb)
	if err != nil {
		return err
	}
	defer t.close()
	cluster, err := t.snapshot(ctx, rb)
	if err != nil {
		return err
	}
	broker, err := chosen(&cluster, rb.Brokers)
	if err != nil {
		return err
	}
	return writeRunbook(s.stdout, &cluster, broker, rb)
}

// chosen is the broker that was named, or the one with the lowest ID.
func chosen(c *plan.Cluster, named []int32) (plan.Broker, error) {
	if len(c.Brokers) == 0 {
		return plan.Broker{}, fmt.Errorf("cluster %s lists no brokers", c.ID)
	}
	if len(named) == 0 {
		return c.Brokers[0], nil
	}
	if err := plan.CheckBrokers(c, named); err != nil {
		return plan.Broker{}, usageOf(err)
	}
	b, _ := c.Broker(named[0])
	return b, nil
}

// writeRunbook writes a runbook that is valid as it stands, apart from what only
// a person can know: the throttle and how a broker is stopped here.
func writeRunbook(w io.Writer, c *plan.Cluster, b plan.Broker, rb runbooks.Runbook) error {
	var out strings.Builder
	writeAbout(&out, c, b, rb.Cluster.Simulated)
	fmt.Fprintf(&out, "version: 1\n\nbroker: %d\n\ncluster:\n%s", b.ID, clusterText(c, b, rb))
	fmt.Fprintf(&out, `
# Bytes a second into and out of each broker. Leave room for clients: about half of
# what the network card has to spare at this time of day. "none" is no limit.
throttle: 50MB/s

stop:
%s`, stopText(b, rb))
	_, err := io.WriteString(w, out.String())
	return err
}

// writeAbout is a comment on the cluster as it was seen, without what of a simulated
// one is gone already.
func writeAbout(out *strings.Builder, c *plan.Cluster, b plan.Broker, simulated string) {
	name, host := "cluster "+c.ID, func(b plan.Broker) string { return hostOf(b) + "  " }
	if simulated != "" {
		name, host = "the simulated cluster "+simulated, func(plan.Broker) string { return "" }
	}
	fmt.Fprintf(out, "# Drains broker %d of %s and stops it:\n#\n#   drain validate FILE    drain plan FILE    drain run FILE\n#\n", b.ID, name)
	fmt.Fprintf(out, "# The cluster has %s, %s and %s.\n", plan.Count(len(c.Brokers), "broker", "brokers"),
		plan.Count(len(c.Topics), "topic", "topics"), plan.Count(c.NumPartitions(), "partition", "partitions"))
	for _, other := range c.Brokers {
		fmt.Fprintf(out, "#   broker %d  %srack %s\n", other.ID, host(other), cmp.Or(other.Rack, "none"))
	}
}

// clusterText is how the cluster is reached. One that is simulated has another id
// and other addresses each time.
func clusterText(c *plan.Cluster, b plan.Broker, rb runbooks.Runbook) string {
	if rb.Cluster.Simulated != "" {
		return fmt.Sprintf("  simulated: %s\n", strconv.Quote(rb.Cluster.Simulated))
	}
	return fmt.Sprintf(`  # Others than the drained one, so that they can be asked after the stop.
  bootstrap: [%s]
  # Refuse any other cluster.
  id: %s
%s`, quotedList(bootstrapOf(c, b)), strconv.Quote(c.ID), securityText(rb.Cluster))
}

// stopText is how a broker is stopped in most places: by another host, or if it is
// simulated by the program itself.
func stopText(b plan.Broker, rb runbooks.Runbook) string {
	if rb.Cluster.Simulated != "" {
		return `  # The words of the command, never through a shell.
  command: ["{drain}", simulated-stop, "{broker}"]
`
	}
	return fmt.Sprintf(`  # The words of the command, never through a shell. {host} is %s.
  command: [ssh, "{host}", sudo, systemctl, stop, kafka]
`, cmp.Or(b.Host, "the broker's advertised host"))
}

func hostOf(b plan.Broker) string { return cmp.Or(b.Address(), "unknown host") }

// bootstrapOf are up to three live brokers other than the drained one.
func bootstrapOf(c *plan.Cluster, drained plan.Broker) []string {
	var addresses []string
	for _, b := range c.Brokers {
		if b.ID != drained.ID && b.Live() && b.Host != "" && len(addresses) < 3 {
			addresses = append(addresses, hostOf(b))
		}
	}
	if len(addresses) == 0 {
		addresses = append(addresses, hostOf(drained))
	}
	return addresses
}

func quotedList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return strings.Join(quoted, ", ")
}

// securityText is how the cluster was reached just now.
func securityText(c runbooks.Cluster) string {
	var out strings.Builder
	if c.TLS != nil {
		pairs := [][2]string{{"caFile", c.TLS.CAFile}, {"certFile", c.TLS.CertFile}, {"keyFile", c.TLS.KeyFile}, {"serverName", c.TLS.ServerName}}
		writeSection(&out, "tls", pairs)
	}
	if c.SASL != nil {
		pairs := [][2]string{{"mechanism", c.SASL.Mechanism}, {"username", c.SASL.Username}, {"passwordFile", c.SASL.PasswordFile}, {"passwordEnv", c.SASL.PasswordEnv}}
		writeSection(&out, "sasl", pairs)
	}
	return out.String()
}

func writeSection(out *strings.Builder, name string, pairs [][2]string) {
	pairs = slices.DeleteFunc(pairs, func(p [2]string) bool { return p[1] == "" })
	if len(pairs) == 0 {
		fmt.Fprintf(out, "  %s: {}\n", name)
		return
	}
	fmt.Fprintf(out, "  %s:\n", name)
	for _, p := range pairs {
		fmt.Fprintf(out, "    %s: %s\n", p[0], strconv.Quote(p[1]))
	}
}
