package kafka_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"drain/reassign"
)

// setting has a layer for each source, the most specific first.
func setting(name string, layers ...any) kmsg.DescribeConfigsResponseResourceConfig {
	c := kmsg.NewDescribeConfigsResponseResourceConfig()
	c.Name = name
	for i := 0; i < len(layers); i += 2 {
		s := kmsg.NewDescribeConfigsResponseResourceConfigConfigSynonym()
		s.Name, s.Source = name, layers[i].(kmsg.ConfigSource)
		s.Value = kmsg.StringPtr(layers[i+1].(string))
		c.ConfigSynonyms = append(c.ConfigSynonyms, s)
	}
	if len(c.ConfigSynonyms) > 0 {
		c.Value, c.Source = c.ConfigSynonyms[0].Value, c.ConfigSynonyms[0].Source
	}
	return c
}

func TestConfigsHoldEveryLayerAndComeFromTheirBroker(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.DescribeConfigs, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
		describeConfigs(req.(*kmsg.DescribeConfigsRequest), resp, func(kind kmsg.ConfigResourceType, name string) []kmsg.DescribeConfigsResponseResourceConfig {
			if kind == kmsg.ConfigResourceTypeBroker && name != "" {
				return []kmsg.DescribeConfigsResponseResourceConfig{setting("node", kmsg.ConfigSourceStaticBrokerConfig, fmt.Sprint(node))}
			}
			return []kmsg.DescribeConfigsResponseResourceConfig{
				setting("z", kmsg.ConfigSourceDynamicTopicConfig, "3", kmsg.ConfigSourceDynamicDefaultBrokerConfig, "2", kmsg.ConfigSourceDefaultConfig, "1"),
				setting("a", kmsg.ConfigSourceDefaultConfig, ""),
				setting("secret"), // no value is told
			}
		})
		for i := range resp.Resources {
			if resp.Resources[i].ResourceName == "gone" {
				resp.Resources[i].Configs, resp.Resources[i].ErrorCode = nil, kerr.UnknownTopicOrPartition.Code
			}
		}
		return resp, nil
	})
	c := f.dial()
	got, err := c.Configs(t.Context(), []reassign.Resource{
		reassign.OfTopic("pay"), reassign.OfBroker(2), reassign.OfBroker(1), {Kind: reassign.BrokerResource},
		reassign.OfTopic("gone"), reassign.OfBroker(9), reassign.OfTopic("pay"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range got {
		line := fmt.Sprintf("%s %q", r.Kind, r.Name)
		for _, e := range r.Entries {
			line += fmt.Sprintf(" %s=%s@%s", e.Key, e.Value, e.Layer)
		}
		if r.Err != nil {
			line += " error"
		}
		lines = append(lines, line)
	}
	want := []string{
		`broker "" a=@default z=3@dynamicTopic z=2@dynamicDefault z=1@default`,
		`broker "1" node=1@static`,
		`broker "2" node=2@static`,
		`broker "9" error`,
		`topic "gone" error`,
		`topic "pay" a=@default z=3@dynamicTopic z=2@dynamicDefault z=1@default`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestManyTopicsGoInParts(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var of []reassign.Resource
	var changes []reassign.Change
	for i := range 450 {
		r := reassign.OfTopic(fmt.Sprintf("t%03d", i))
		of = append(of, r)
		changes = append(changes,
			reassign.Change{Resource: r, Key: reassign.LeaderList, Op: reassign.Append, Value: "0:1"},
			reassign.Change{Resource: r, Key: reassign.FollowerList, Op: reassign.Append, Value: "0:2"})
	}
	f.on(kmsg.IncrementalAlterConfigs, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		return req.ResponseKind(), nil
	})
	c := f.dial()
	if got, err := c.Configs(t.Context(), of); err != nil || len(got) != 450 {
		t.Errorf("got %d configs and %v, want 450", len(got), err)
	}
	if refused, err := c.AlterConfigs(t.Context(), changes); err != nil || refused != nil {
		t.Errorf("got %v and %v, want neither", refused, err)
	}
	var asked, altered []int
	for _, a := range f.requests(kmsg.DescribeConfigs) {
		asked = append(asked, len(a.req.(*kmsg.DescribeConfigsRequest).Resources))
	}
	for _, a := range f.requests(kmsg.IncrementalAlterConfigs) {
		req := a.req.(*kmsg.IncrementalAlterConfigsRequest)
		altered = append(altered, len(req.Resources))
		for _, r := range req.Resources {
			if len(r.Configs) != 2 {
				t.Errorf("%s: got %d changes in its request, want both", r.ResourceName, len(r.Configs))
			}
		}
	}
	slices.Sort(asked)
	slices.Sort(altered)
	if want := []int{50, 200, 200}; !slices.Equal(asked, want) || !slices.Equal(altered, want) {
		t.Errorf("resources by request: got %v and %v, want %v", asked, altered, want)
	}
}

func TestAKeyThatIsChangedTwiceGoesInTwoRequestsInOrder(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.IncrementalAlterConfigs, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.IncrementalAlterConfigsResponse)
		for _, r := range req.(*kmsg.IncrementalAlterConfigsRequest).Resources {
			rr := kmsg.NewIncrementalAlterConfigsResponseResource()
			rr.ResourceType, rr.ResourceName = r.ResourceType, r.ResourceName
			if r.ResourceName == "2" {
				rr.ErrorCode, rr.ErrorMessage = kerr.PolicyViolation.Code, kmsg.StringPtr("not on a Sunday")
			}
			resp.Resources = append(resp.Resources, rr)
		}
		return resp, nil
	})
	rate := func(broker int32, op reassign.Op, value string) reassign.Change {
		return reassign.Change{Resource: reassign.OfBroker(broker), Key: reassign.LeaderRate, Op: op, Value: value}
	}
	c := f.dial()
	refused, err := c.AlterConfigs(t.Context(), []reassign.Change{
		rate(2, reassign.Set, "5"), rate(1, reassign.Set, "7"), rate(1, reassign.Delete, ""), rate(9, reassign.Set, "1"),
	})
	if len(refused) != 1 || refused[0].Error() != "broker 2 leader.replication.throttled.rate: POLICY_VIOLATION: not on a Sunday" {
		t.Errorf("refused: got %v, want that of broker 2", refused)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "alter configs of broker 9: ") {
		t.Errorf("got %v, want an error that names broker 9, which is not there", err)
	}
	var toOne []string
	for _, a := range f.requests(kmsg.IncrementalAlterConfigs) {
		for _, r := range a.req.(*kmsg.IncrementalAlterConfigsRequest).Resources {
			if r.ResourceName != fmt.Sprint(a.node) {
				t.Errorf("the settings of broker %s were sent to broker %d", r.ResourceName, a.node)
			}
			if a.node == 1 {
				toOne = append(toOne, fmt.Sprintf("%s %v nil=%v", r.Configs[0].Name, r.Configs[0].Op, r.Configs[0].Value == nil))
			}
		}
	}
	want := []string{"leader.replication.throttled.rate SET nil=false", "leader.replication.throttled.rate DELETE nil=true"}
	if !reflect.DeepEqual(toOne, want) {
		t.Errorf("sent to broker 1: got %q, want %q", toOne, want)
	}
}

// In ZooKeeper mode the broker that receives a change reads, alters and writes
// the list: two brokers at once would lose one.
func TestTopicChangesGoToTheControllerInZooKeeperMode(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.release = kversion.V2_8_0()
	f.on(kmsg.IncrementalAlterConfigs, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		return req.ResponseKind(), nil
	})
	change := reassign.Change{Resource: reassign.OfTopic("pay"), Key: reassign.LeaderList, Op: reassign.Append, Value: "0:1"}
	if _, err := f.dial().AlterConfigs(t.Context(), []reassign.Change{change}); err != nil {
		t.Fatal(err)
	}
	for _, a := range f.requests(kmsg.IncrementalAlterConfigs) {
		if a.node != 1 {
			t.Errorf("sent to broker %d, want the controller, 1", a.node)
		}
	}
	if n := len(f.requests(kmsg.IncrementalAlterConfigs)); n != 1 {
		t.Errorf("got %d requests, want 1", n)
	}
}

// Before 2.6 a broker breaks on APPEND or SUBTRACT where there is no list yet
// (KAFKA-9644).
func TestAListThatIsNotThereIsSetInZooKeeperMode(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.release = kversion.V2_4_0()
	f.on(kmsg.DescribeConfigs, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
		describeConfigs(req.(*kmsg.DescribeConfigsRequest), resp, func(kmsg.ConfigResourceType, string) []kmsg.DescribeConfigsResponseResourceConfig {
			return []kmsg.DescribeConfigsResponseResourceConfig{
				setting(reassign.LeaderList, kmsg.ConfigSourceDynamicTopicConfig, "0:1"),
				setting(reassign.FollowerList, kmsg.ConfigSourceDefaultConfig, ""),
			}
		})
		return resp, nil
	})
	f.on(kmsg.IncrementalAlterConfigs, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		return req.ResponseKind(), nil
	})
	change := func(key string, op reassign.Op) reassign.Change {
		return reassign.Change{Resource: reassign.OfTopic("pay"), Key: key, Op: op, Value: "0:2"}
	}
	c := f.dial()
	for _, op := range []reassign.Op{reassign.Append, reassign.Subtract} {
		changes := []reassign.Change{change(reassign.LeaderList, op), change(reassign.FollowerList, op)}
		if refused, err := c.AlterConfigs(t.Context(), changes); err != nil || refused != nil {
			t.Fatalf("refused %v, %v", refused, err)
		}
	}
	var sent []string
	for _, a := range f.requests(kmsg.IncrementalAlterConfigs) {
		for _, r := range a.req.(*kmsg.IncrementalAlterConfigsRequest).Resources {
			for _, config := range r.Configs {
				sent = append(sent, config.Name+" "+config.Op.String())
			}
		}
	}
	want := []string{reassign.LeaderList + " APPEND", reassign.FollowerList + " SET", reassign.LeaderList + " SUBTRACT"}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
}

func TestAResourceWithoutAnAnswerCarriesAnError(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.DescribeConfigs, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		if node == 2 {
			return nil, errors.New("close the connection")
		}
		return req.ResponseKind(), nil // forgets what was asked
	})
	got, err := f.dial().Configs(t.Context(), []reassign.Resource{reassign.OfBroker(1), reassign.OfBroker(2)})
	if err != nil || len(got) != 2 || got[0].Err == nil || got[1].Err == nil {
		t.Errorf("got %+v and %v, want an error for each resource", got, err)
	}
}
