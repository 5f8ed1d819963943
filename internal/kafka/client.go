package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// defaultTimeout bounds Dial, each connection and each answer. It is under the
// 15 s within which an unreachable cluster is reported.
const defaultTimeout = 10 * time.Second

var (
	_ reassign.Mover        = (*Client)(nil)
	_ reassign.Configs      = (*Client)(nil)
	_ reassign.Disks        = (*Client)(nil)
	_ reassign.Health       = (*Client)(nil)
	_ reassign.Coordinators = (*Client)(nil)
	_ reassign.Watch        = (*Client)(nil)
)

// maxAnswer is the largest answer accepted, the most that kgo allows: Metadata
// of two million partitions is some 100 MB.
const maxAnswer = 1 << 30

// Options says how to reach a cluster. Only Bootstrap is needed.
type Options struct {
	Bootstrap []string // host:port of any brokers
	TLS       *TLS     // nil: plaintext
	SASL      *SASL    // nil: no login
	ClientID  string   // "drain" if empty
	Logger    *slog.Logger

	// Dialer opens connections instead of a net.Dialer; TLS is laid on top.
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)
	// Timeout replaces defaultTimeout.
	Timeout time.Duration
}

// Client is a connection to a cluster. It may be used by many at once.
type Client struct {
	kgo       *kgo.Client
	bootstrap []string
	log       *slog.Logger
	timeout   time.Duration
	id        string
	mode      plan.ControllerMode

	mu      sync.Mutex
	brokers map[int32]string // address of each broker of the last Metadata
	avoid   []int32
	seat    int32                                     // the broker that answered last, or -1
	told    map[int32]account                         // what brokers said of themselves, without their logs
	moving  map[plan.TopicPartition]reassign.InFlight // seen in flight, and not yet seen ended
}

// Dial connects to a cluster and learns the addresses of all its brokers, so
// that the one used as bootstrap may leave. All addresses are tried at once. An
// error is [ErrUnreachable] or [ErrAuthentication] and names the cause at each
// address; anything else is a fault of the options.
func Dial(ctx context.Context, o Options) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	opts, err := o.kgo()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	inner, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to %v: %w", o.Bootstrap, err)
	}
	c := &Client{kgo: inner, bootstrap: slices.Clone(o.Bootstrap), log: o.Logger, timeout: o.Timeout, seat: -1, told: map[int32]account{}, moving: map[plan.TopicPartition]reassign.InFlight{}}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("no answer within %v", o.Timeout))
	defer cancel()
	if err := c.connect(ctx); err != nil {
		inner.Close()
		return nil, err
	}
	return c, nil
}

func (o Options) kgo() ([]kgo.Opt, error) {
	if len(o.Bootstrap) == 0 {
		return nil, errors.New("no bootstrap address: name at least one host:port")
	}
	dial, err := o.dialer()
	if err != nil {
		return nil, err
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(o.Bootstrap...),
		kgo.ClientID("drain"),
		kgo.Dialer(dial),
		kgo.RequestTimeoutOverhead(o.Timeout),
		kgo.RetryTimeout(o.Timeout),
		kgo.BrokerMaxReadBytes(maxAnswer),
		kgo.DisableClientMetrics(), // KIP-714 is of no use to a tool that runs for an hour
		kgo.WithLogger(logger{o.Logger}),
	}
	if o.ClientID != "" {
		opts = append(opts, kgo.ClientID(o.ClientID))
	}
	if o.SASL != nil {
		mechanism, err := o.SASL.mechanism()
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, nil
}

// connect asks all bootstrap addresses who is there, then some of the brokers
// at their advertised addresses what they speak: a cluster whose advertised
// addresses can not be reached from here is better found now.
func (c *Client) connect(ctx context.Context) error {
	if causes := c.join(ctx); causes != nil {
		return connectError(causes)
	}
	const few = 8
	ids := c.candidates()
	var brokers []*kgo.Broker
	var names []string
	for _, id := range ids[:min(few, len(ids))] {
		brokers = append(brokers, c.kgo.Broker(int(id)))
		names = append(names, c.nameOf(id))
	}
	answer, first, causes := race(ctx, brokers, names, whatIsSpoken)
	if causes != nil {
		return fmt.Errorf("no broker at its advertised address: %w", connectError(causes))
	}
	apis := answer.(*kmsg.ApiVersionsResponse)
	if err := fault(apis.ErrorCode, nil); err != nil {
		return fmt.Errorf("api versions of %s: %w", names[first], err)
	}
	c.mode = modeOf(apis)
	c.settle(ids[first])
	return nil
}

// join learns the brokers from the first bootstrap address to answer, or says
// what is wrong at each.
func (c *Client) join(ctx context.Context) []AddressError {
	if err := c.kgo.UpdateSeedBrokers(c.bootstrap...); err != nil {
		return []AddressError{{"bootstrap", err}}
	}
	answer, first, causes := race(ctx, c.kgo.SeedBrokers(), c.bootstrap, whoIsThere)
	if causes != nil {
		return causes
	}
	meta := answer.(*kmsg.MetadataResponse)
	if c.id == "" {
		c.id = words(meta.ClusterID)
	}
	if err := c.learn(meta); err != nil {
		return []AddressError{{c.bootstrap[first], err}}
	}
	if len(meta.Brokers) == 0 {
		return []AddressError{{c.bootstrap[first], errors.New("it says that the cluster has no brokers")}}
	}
	// kgo learns them only from an answer to itself, and starts with a random
	// seed, where a dead one would cost a timeout.
	if err := c.kgo.UpdateSeedBrokers(c.bootstrap[first]); err != nil {
		return []AddressError{{c.bootstrap[first], err}}
	}
	if _, err := c.kgo.Request(ctx, whoIsThere()); err != nil {
		return []AddressError{{c.bootstrap[first], causeOf(ctx, err)}}
	}
	return nil
}

func whoIsThere() kmsg.Request   { return metadataOf([]string{}) }
func whatIsSpoken() kmsg.Request { return versionsOf() }

// Close ends all connections.
func (c *Client) Close() { c.kgo.Close() }

// ClusterID is the cluster's own ID; empty if it has none (before 0.10.1).
func (c *Client) ClusterID() string { return c.id }

// Mode is the kind of controller.
func (c *Client) Mode() plan.ControllerMode { return c.mode }

// learn notes who is in a Metadata answer. One of another cluster, which may
// have come to live at an old address, is an error.
func (c *Client) learn(meta *kmsg.MetadataResponse) error {
	if id := words(meta.ClusterID); id != c.id {
		return fmt.Errorf("it belongs to cluster %q, and not to %q", id, c.id)
	}
	brokers := make(map[int32]string, len(meta.Brokers))
	for _, b := range meta.Brokers {
		brokers[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.brokers = brokers
	return nil
}

func (c *Client) address(broker int32) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.brokers[broker]
}
