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
)

// DefaultTimeout bounds Dial, each connection and each answer. It is under the
// 15 s within which an unreachable cluster is reported.
const DefaultTimeout = 10 * time.Second

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
	// Timeout replaces DefaultTimeout.
	Timeout time.Duration
}

// Client is a connection to a cluster. It may be used by many at once.
type Client struct {
	kgo     *kgo.Client
	log     *slog.Logger
	timeout time.Duration
	id      string
	mode    plan.ControllerMode

	mu      sync.Mutex
	brokers map[int32]string // address of each broker of the last Metadata
	avoid   []int32
	seat    int32 // the broker that answered last, or -1
}

// Dial connects to a cluster and learns the addresses of all its brokers, so
// that the one used as bootstrap may leave. All addresses are tried at once. An
// error is [ErrUnreachable] or [ErrAuthentication] and names the cause at each
// address; anything else is a fault of the options.
func Dial(ctx context.Context, o Options) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	opts, err := o.kgo()
	if err != nil {
		return nil, err
	}
	inner, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to %v: %w", o.Bootstrap, err)
	}
	c := &Client{kgo: inner, log: o.Logger, timeout: o.Timeout, seat: -1}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("no answer within %v", o.Timeout))
	defer cancel()
	if err := c.connect(ctx, o.Bootstrap); err != nil {
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
func (c *Client) connect(ctx context.Context, bootstrap []string) error {
	seeds := c.kgo.SeedBrokers()
	answer, first, err := race(ctx, seeds, bootstrap, whoIsThere)
	if err != nil {
		return err
	}
	// kgo starts with a random seed, and a dead one would cost a timeout.
	if err := c.kgo.UpdateSeedBrokers(bootstrap[first]); err != nil {
		return err
	}
	if _, err := c.kgo.Request(ctx, whoIsThere()); err != nil {
		return connectError([]AddressError{{bootstrap[first], err}})
	}
	meta := answer.(*kmsg.MetadataResponse)
	c.learn(meta)
	if meta.ClusterID != nil {
		c.id = *meta.ClusterID
	}
	return c.meet(ctx, bootstrap)
}

// meet learns the kind of controller from the first of a few brokers to answer
// and adds the advertised addresses to the bootstrap ones.
func (c *Client) meet(ctx context.Context, bootstrap []string) error {
	const few = 8
	ids := c.candidates()
	var brokers []*kgo.Broker
	var addresses []string
	for _, id := range ids[:min(few, len(ids))] {
		brokers = append(brokers, c.kgo.Broker(int(id)))
		addresses = append(addresses, c.address(id))
	}
	if len(brokers) == 0 {
		return connectError([]AddressError{{bootstrap[0], errors.New("the cluster says that it has no brokers")}})
	}
	answer, first, err := race(ctx, brokers, addresses, whatIsSpoken)
	if err != nil {
		return fmt.Errorf("brokers at their advertised addresses: %w", err)
	}
	apis := answer.(*kmsg.ApiVersionsResponse)
	if err := fault(apis.ErrorCode, nil); err != nil {
		return fmt.Errorf("api versions of %s: %w", addresses[first], err)
	}
	c.mode = modeOf(apis)
	c.settle(ids[first])
	all := slices.Clone(bootstrap)
	for _, id := range ids {
		if a := c.address(id); !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return c.kgo.UpdateSeedBrokers(all...)
}

func whoIsThere() kmsg.Request   { return metadataOf([]string{}) }
func whatIsSpoken() kmsg.Request { return versionsOf() }

// Close ends all connections.
func (c *Client) Close() { c.kgo.Close() }

// ClusterID is the cluster's own ID; empty if it has none (before 0.10.1).
func (c *Client) ClusterID() string { return c.id }

// Mode is the kind of controller.
func (c *Client) Mode() plan.ControllerMode { return c.mode }

// learn notes who is in a Metadata answer.
func (c *Client) learn(meta *kmsg.MetadataResponse) {
	brokers := make(map[int32]string, len(meta.Brokers))
	for _, b := range meta.Brokers {
		brokers[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.brokers = brokers
}

func (c *Client) address(broker int32) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.brokers[broker]
}
