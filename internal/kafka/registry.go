package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// Unregister makes the controller forget a broker (KRaft). Kafka does so even
// if it is alive, and it can not come back then without a restart: only for a
// fenced broker in no replica list. One that is not registered is forgotten
// already, as after a lost answer.
func (c *Client) Unregister(ctx context.Context, broker int32) error {
	if c.mode == plan.ZooKeeper {
		return fmt.Errorf("unregister broker %d: %w: with ZooKeeper a broker is forgotten when it stops", broker, ErrUnsupported)
	}
	req := kmsg.NewPtrUnregisterBrokerRequest()
	req.BrokerID = broker
	answer, err := c.ask(ctx, req)
	if err != nil {
		return fmt.Errorf("unregister broker %d: %w", broker, err)
	}
	resp := answer.(*kmsg.UnregisterBrokerResponse)
	if err := fault(resp.ErrorCode, resp.ErrorMessage); err != nil && !errors.Is(err, kerr.BrokerIDNotRegistered) {
		return fmt.Errorf("unregister broker %d: %w", broker, err)
	}
	return nil
}

// SessionTimeout is how long a killed broker still counts as alive: the largest
// that the live brokers have, since what counts in KRaft is the controllers'
// own, which they do not tell.
func (c *Client) SessionTimeout(ctx context.Context) (time.Duration, error) {
	key := "broker.session.timeout.ms"
	if c.mode == plan.ZooKeeper {
		key = "zookeeper.session.timeout.ms"
	}
	brokers, err := c.LiveBrokers(ctx)
	if err != nil {
		return 0, err
	}
	configs := make([]reassign.ResourceConfig, len(brokers))
	each(brokers, func(i int, broker int32) {
		of := []reassign.Resource{reassign.OfBroker(broker)}
		configs[i] = c.describe(ctx, routed[reassign.Resource]{broker, of}, []string{key})[0]
	})
	var longest time.Duration
	var errs []error
	for _, config := range configs {
		timeout, err := millisOf(config, key)
		longest = max(longest, timeout)
		errs = append(errs, err)
	}
	if longest == 0 {
		return 0, fmt.Errorf("session timeout: %w", errors.Join(errs...))
	}
	return longest, nil
}

func millisOf(config reassign.ResourceConfig, key string) (time.Duration, error) {
	if config.Err != nil {
		return 0, config.Err
	}
	value, _ := effective(config, key)
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s of broker %s: %w", key, config.Name, err)
	}
	return time.Duration(ms) * time.Millisecond, nil
}
