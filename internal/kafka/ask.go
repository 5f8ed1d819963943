package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// Avoid names brokers that are asked only what they alone can tell, as long as
// another one answers: the drained ones, whose view ends before the cluster's.
func (c *Client) Avoid(brokers ...int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.avoid = slices.Clone(brokers)
	c.seat = -1
}

// candidates are the known brokers in the order in which they are asked: the
// one that answered last, then by ID, those to be avoided at the end.
func (c *Client) candidates() []int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	rank := func(id int32) int {
		switch {
		case id == c.seat:
			return 0
		case slices.Contains(c.avoid, id):
			return 2
		}
		return 1
	}
	return slices.SortedFunc(maps.Keys(c.brokers), func(a, b int32) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return int(a) - int(b)
	})
}

func (c *Client) settle(broker int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seat = broker
}

// ask puts a request to one broker after the other until one answers. An
// answer may still hold errors. If none does, the bootstrap addresses may know
// where they are now.
func (c *Client) ask(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	answer, causes := c.askAround(ctx, req)
	if answer != nil {
		return answer, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if unknown := c.join(ctx); unknown != nil {
		return nil, connectError(append(causes, unknown...))
	}
	if answer, causes = c.askAround(ctx, req); answer != nil {
		return answer, nil
	}
	return nil, connectError(causes)
}

func (c *Client) askAround(ctx context.Context, req kmsg.Request) (kmsg.Response, []AddressError) {
	var causes []AddressError
	for _, id := range c.candidates() {
		answer, err := c.askBroker(ctx, id, req)
		if err == nil {
			c.settle(id)
			return answer, nil
		}
		causes = append(causes, AddressError{c.nameOf(id), err})
		if ctx.Err() != nil {
			break
		}
	}
	return nil, causes
}

// askBroker puts a request to exactly that broker; -1 is any.
func (c *Client) askBroker(ctx context.Context, broker int32, req kmsg.Request) (kmsg.Response, error) {
	if broker < 0 {
		return c.ask(ctx, req)
	}
	target := c.kgo.Broker(int(broker))
	answer, err := target.Request(ctx, req)
	if err != nil && ctx.Err() == nil && isLostConnection(err) {
		answer, err = target.Request(ctx, req) // it was closed since its last use
	}
	return answer, causeOf(ctx, err)
}

// askController puts a request to the controller. In KRaft every broker
// forwards it, and via does; kgo would choose one at random and stay with it
// though it hangs.
func (c *Client) askController(ctx context.Context, via int32, req kmsg.Request) (kmsg.Response, error) {
	if c.mode == plan.KRaft {
		return c.askBroker(ctx, via, req)
	}
	answer, err := c.kgo.Request(ctx, req) // finds the controller anew on NOT_CONTROLLER
	return answer, causeOf(ctx, err)
}

// isLostConnection tells a connection that broke from a broker that is silent:
// only the former is worth another try with the same broker.
func isLostConnection(err error) bool {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return false
	}
	return kgo.IsRetryableBrokerErr(err)
}

func (c *Client) nameOf(broker int32) string {
	return fmt.Sprintf("broker %d at %s", broker, c.address(broker))
}

// race puts one question to several brokers at once. The first answer and its
// index are returned, or what is wrong with each.
func race(ctx context.Context, brokers []*kgo.Broker, names []string, question func() kmsg.Request) (kmsg.Response, int, []AddressError) {
	type result struct {
		index  int
		answer kmsg.Response
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result, len(brokers))
	for i, broker := range brokers {
		go func() {
			answer, err := broker.Request(ctx, question()) // kgo writes the version into it
			results <- result{i, answer, causeOf(ctx, err)}
		}()
	}
	var causes []AddressError
	for range brokers {
		r := <-results
		if r.err == nil {
			return r.answer, r.index, nil
		}
		causes = append(causes, AddressError{names[r.index], r.err})
	}
	return nil, 0, causes
}

// each calls do for every broker, a few at once, and waits for all.
func each(brokers []int32, do func(i int, broker int32)) {
	const atOnce = 32
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, broker := range brokers {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			do(i, broker)
		})
	}
	wg.Wait()
}
