package kafkatest

// Security is how clients and brokers talk to a broker's client listener.
type Security struct{}

func (s Security) on() bool { return false }

func (s Security) protocol() string { return "PLAINTEXT" }

type certificates struct{}

func (c *Cluster) secure() error { return nil }

func (s Spec) formatArgs() []string { return s.Format }
