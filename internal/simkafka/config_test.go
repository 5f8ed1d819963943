package simkafka

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// change is one IncrementalAlterConfigs of a topic, and what is left.
type change struct {
	op    kadm.IncrementalOp
	value string
	err   *kerr.Error
	want  string // of the setting; "absent" if there is none
}

func TestTopicSettingsChangeAsKafkaChangesThem(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0:1,", 8191) + "0:1" // 32,767 characters
	tests := []struct {
		name, release, key string
		steps              []change
	}{
		{name: "a list grows and shrinks, and ends empty, not absent", key: leaderReplicas, steps: []change{
			{op: kadm.AppendConfig, value: "0:1,1:1", want: "0:1,1:1"},
			{op: kadm.AppendConfig, value: "1:1,2:1", want: "0:1,1:1,2:1"},
			{op: kadm.SubtractConfig, value: "0:1,9:9", want: "1:1,2:1"},
			{op: kadm.SubtractConfig, value: "1:1,2:1", want: ""},
			{op: kadm.DeleteConfig, want: "absent"},
			{op: kadm.DeleteConfig, want: "absent"},
		}},
		{name: "nothing is appended to a star", key: leaderReplicas, steps: []change{
			{op: kadm.SetConfig, value: "*", want: "*"},
			{op: kadm.AppendConfig, value: "0:1", err: kerr.InvalidConfig, want: "*"},
		}},
		{name: "no list, no append", key: "retention.ms", steps: []change{
			{op: kadm.AppendConfig, value: "5", err: kerr.InvalidConfig, want: "absent"},
		}},
		{name: "a list of something else", key: followerReplicas, steps: []change{
			{op: kadm.SetConfig, value: "0-1", err: kerr.InvalidConfig, want: "absent"},
		}},
		{name: "an unknown setting", key: "no.such.thing", steps: []change{
			{op: kadm.SetConfig, value: "1", err: kerr.InvalidConfig, want: "absent"},
		}},
		{name: "grown too long from 4.1 on", key: leaderReplicas, steps: []change{
			{op: kadm.SetConfig, value: long, want: long},
			{op: kadm.AppendConfig, value: "1:1", err: kerr.InvalidConfig, want: long},
		}},
		{name: "grown too long before", release: "4.0", key: leaderReplicas, steps: []change{
			{op: kadm.SetConfig, value: long, want: long},
			{op: kadm.AppendConfig, value: "1:1", err: kerr.UnknownServerError, want: long},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := Spec{Release: test.release, Brokers: brokers(1), Topics: []Topic{{Name: "t", Partitions: []Partition{{Replicas: []int32{1}}}}}}
			simulated(t, s, func(t *testing.T, r *rig) {
				for i, step := range test.steps {
					alter := kadm.AlterConfig{Op: step.op, Name: test.key}
					if step.op != kadm.DeleteConfig {
						alter.Value = &step.value
					}
					resp, err := r.adm.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{alter}, "t")
					if err != nil {
						t.Fatal(err)
					}
					if step.err == nil && resp[0].Err != nil || step.err != nil && !errors.Is(resp[0].Err, step.err) {
						t.Fatalf("step %d: got %v, want %v", i, resp[0].Err, step.err)
					}
					got, ok := r.State().Topics[0].Configs[test.key]
					if !ok {
						got = "absent"
					}
					if got != step.want {
						t.Fatalf("step %d: left %q, want %q", i, got, step.want)
					}
				}
			})
		})
	}
}

func TestBrokerSettingsBelongToTheBrokerAsked(t *testing.T) {
	t.Parallel()
	simulated(t, Spec{Brokers: brokers(0, 1)}, func(t *testing.T, r *rig) {
		alter := kmsg.NewPtrIncrementalAlterConfigsRequest()
		resource := kmsg.NewIncrementalAlterConfigsRequestResource()
		resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeBroker, "1"
		config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		config.Name, config.Value = leaderRate, new("1000")
		resource.Configs = append(resource.Configs, config)
		alter.Resources = append(alter.Resources, resource)
		got := askOf[*kmsg.IncrementalAlterConfigsResponse](r, 0, alter).Resources[0]
		if got.ErrorCode != kerr.InvalidRequest.Code || !strings.Contains(*got.ErrorMessage, "Unexpected broker id") {
			t.Errorf("asked of 0: got %d %q", got.ErrorCode, *got.ErrorMessage)
		}
		if got := askOf[*kmsg.IncrementalAlterConfigsResponse](r, 1, alter).Resources[0]; got.ErrorCode != 0 {
			t.Errorf("asked of 1: got %d", got.ErrorCode)
		}
		alter.Resources[0].Configs = append(alter.Resources[0].Configs, config)
		if got := askOf[*kmsg.IncrementalAlterConfigsResponse](r, 1, alter).Resources[0]; got.ErrorCode != kerr.InvalidRequest.Code {
			t.Errorf("the same key twice: got %d", got.ErrorCode)
		}
		if got := r.State().Brokers[1].Configs[leaderRate]; got != "1000" {
			t.Errorf("left %q, want 1000", got)
		}
	})
}

// The min.insync.replicas of a topic, layer by layer, with where each value
// comes from.
func TestDescribeConfigsTellsTheLayers(t *testing.T) {
	t.Parallel()
	s := Spec{
		Static: map[string]string{minISRKey: "4"}, Defaults: map[string]string{minISRKey: "3"}, Brokers: brokers(1),
		Topics: []Topic{{Name: "t", Configs: map[string]string{minISRKey: "2"}, Partitions: []Partition{{Replicas: []int32{1}}}}},
	}
	simulated(t, s, func(t *testing.T, r *rig) {
		for _, want := range []struct {
			value  string
			source kmsg.ConfigSource
		}{
			{"2", kmsg.ConfigSourceDynamicTopicConfig},
			{"3", kmsg.ConfigSourceDynamicDefaultBrokerConfig},
			{"4", kmsg.ConfigSourceStaticBrokerConfig},
		} {
			configs, err := r.adm.DescribeTopicConfigs(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range configs[0].Configs {
				if c.Key == minISRKey && (*c.Value != want.value || c.Source != want.source) {
					t.Errorf("got %s from %v, want %s from %v", *c.Value, c.Source, want.value, want.source)
				}
			}
			switch want.source {
			case kmsg.ConfigSourceDynamicTopicConfig:
				must(t, r.SetTopicConfig("t", minISRKey, nil))
			case kmsg.ConfigSourceDynamicDefaultBrokerConfig:
				must(t, r.SetDefaultConfig(minISRKey, nil))
			}
		}
	})
}

func TestMinISRWipesTheELR(t *testing.T) {
	t.Parallel()
	s := Spec{ELR: true, Brokers: brokers(1, 2, 3), Topics: []Topic{{Name: "t", Configs: map[string]string{minISRKey: "2"}, Partitions: []Partition{
		{Replicas: []int32{1, 2, 3}, ISR: []int32{1}, ELR: []int32{2}, Stuck: []int32{2, 3}},
	}}}}
	simulated(t, s, func(t *testing.T, r *rig) {
		must(t, r.SetTopicConfig("t", minISRKey, new("2")))
		if got := r.at("t", 0).ELR; got != nil {
			t.Errorf("ELR after min.insync.replicas was set to what it was: %v", got)
		}
		if err := r.SetBrokerConfig(1, minISRKey, new("1")); !errors.Is(err, kerr.InvalidConfig) {
			t.Errorf("a broker's own min.insync.replicas with ELR on: %v", err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A value that no string of the protocol holds is not refused: the broker cuts
// the connection.
func TestAValueOverTheLimitCutsTheConnection(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		req := kmsg.NewPtrIncrementalAlterConfigsRequest()
		resource := kmsg.NewIncrementalAlterConfigsRequestResource()
		resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, "log"
		config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		config.Name, config.Value = leaderReplicas, new(strings.Repeat("0:1,", 8192))
		resource.Configs = append(resource.Configs, config)
		req.Resources = append(req.Resources, resource)
		if resp, err := r.cl.Broker(1).Request(t.Context(), req); err == nil {
			t.Errorf("answered: %+v", resp)
		}
	})
}
