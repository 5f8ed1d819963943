package kafkatest

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Client makes a client of the judge's listeners, closed when the test ends.
func (c *Cluster) Client(opts ...kgo.Opt) *kgo.Client {
	c.t.Helper()
	cl, err := kgo.NewClient(append(judgeOptions(c.JudgeBootstrap()), opts...)...)
	if err != nil {
		c.t.Fatalf("client: %v", err)
	}
	c.t.Cleanup(cl.Close)
	return cl
}

// judgeOptions keep a client's view of the cluster fresh.
func judgeOptions(seeds []string) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(seeds...),
		kgo.MetadataMinAge(100 * time.Millisecond),
		kgo.RetryTimeout(20 * time.Second),
	}
}
