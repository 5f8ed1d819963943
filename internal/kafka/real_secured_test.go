package kafka_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"drain/internal/kafka"
	"drain/internal/kafkatest"
	"drain/plan"
	"drain/reassign"
)

// TestRealSecuredCluster logs in to real SASL_SSL listeners, with all rights
// and with few.
func TestRealSecuredCluster(t *testing.T) {
	kc := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(2),
		// Else the internal topics, which are not there yet, would need both.
		Config: map[string]string{"offsets.topic.replication.factor": "1", "transaction.state.log.replication.factor": "1"},
		Security: kafkatest.Security{
			Protocol: "SASL_SSL", Users: map[string]string{"alice": "wonder land", "boss": "s3cret"},
			Authorizer: true, SuperUsers: []string{"boss"},
		},
	})
	kc.CreateTopic("seen", map[int32][]int32{0: {1, 2}}, nil)
	kc.CreateTopic("hidden", map[int32][]int32{0: {1}, 1: {2}}, nil)
	options := func(mechanism, user, password string) kafka.Options {
		return kafka.Options{
			Bootstrap: kc.Bootstrap(),
			TLS:       &kafka.TLS{CAFile: kc.CAFile()},
			SASL: &kafka.SASL{Mechanism: mechanism, Username: user, Secret: func(context.Context) (string, error) {
				return password, nil
			}},
		}
	}
	t.Run("every mechanism lets the boss in", func(t *testing.T) {
		for _, mechanism := range []string{kafkatest.Plain, kafkatest.ScramSHA256, kafkatest.ScramSHA512} {
			c, err := kafka.Dial(t.Context(), options(mechanism, "boss", "s3cret"))
			if err != nil {
				t.Errorf("%s: %v", mechanism, err)
				continue
			}
			defer c.Close()
			cluster, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{1}, Via: -1, Space: true})
			if err != nil || len(cluster.Topics) != 2 || len(cluster.Notes) > 0 {
				t.Errorf("%s: got %d topics, notes %+v, %v; want both topics", mechanism, len(cluster.Topics), cluster.Notes, err)
			}
		}
	})
	t.Run("refusals say why", func(t *testing.T) {
		wrong := options(kafkatest.ScramSHA512, "boss", "guessed")
		otherRoot := options(kafkatest.Plain, "boss", "s3cret")
		otherRoot.TLS = &kafka.TLS{}
		otherName := options(kafkatest.Plain, "boss", "s3cret")
		otherName.TLS.ServerName = "kafka.example"
		unknown := options("GSSAPI", "boss", "s3cret")
		for want, o := range map[string]kafka.Options{
			"SASL_AUTHENTICATION_FAILED": wrong, "unknown authority": otherRoot, "kafka.example": otherName, "GSSAPI": unknown,
		} {
			_, err := kafka.Dial(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), want) || want != "GSSAPI" && !errors.Is(err, kafka.ErrAuthentication) {
				t.Errorf("got %v, want a refusal with %q", err, want)
			}
		}
		plain := options(kafkatest.Plain, "boss", "s3cret")
		plain.TLS = nil
		begin := time.Now()
		if _, err := kafka.Dial(t.Context(), plain); !errors.Is(err, kafka.ErrUnreachable) || time.Since(begin) > 12*time.Second {
			t.Errorf("without TLS: got %v after %v", err, time.Since(begin))
		}
	})
	t.Run("few rights are named, and what they hide", func(t *testing.T) {
		grant(t, kc, "alice")
		c, err := kafka.Dial(t.Context(), options(kafkatest.Plain, "alice", "wonder land"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fewRights(t, c)
	})
}

// grant gives a user what is needed to look at the cluster and at one topic.
func grant(t *testing.T, kc *kafkatest.Cluster, user string) {
	t.Helper()
	cl := kc.Client()
	defer cl.Close()
	for _, acl := range []*kadm.ACLBuilder{kadm.NewACLs().Clusters(), kadm.NewACLs().Topics("seen")} {
		acl = acl.ResourcePatternType(kadm.ACLPatternLiteral).Allow("User:"+user).AllowHosts("*").
			Operations(kadm.OpDescribe, kadm.OpDescribeConfigs)
		if results, err := kadm.NewClient(cl).CreateACLs(t.Context(), acl); err != nil || results[0].Err != nil {
			t.Fatalf("grant: %v, %v", results, err)
		}
	}
}

func fewRights(t *testing.T, c *kafka.Client) {
	t.Helper()
	var cluster plan.Cluster
	soon(t, "the grants are known", func() (err error) {
		if cluster, err = c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{1}, Via: 2, Space: true}); err != nil {
			return err
		}
		if len(cluster.Topics) != 1 || len(cluster.Notes) != 1 {
			return errors.New("topics or notes are not one")
		}
		return nil
	})
	note := cluster.Notes[0]
	if note.Risk != "hidden-topic" || note.Level != plan.Block || note.Topic != "hidden" || note.Broker != 1 {
		t.Errorf("note: got %+v, want a block for the topic that is hidden on broker 1", note)
	}
	cluster, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{1}, Via: 2, Rights: true})
	want := []string{
		"the login lacks ALTER on the cluster, to move replicas and elect leaders",
		"the login lacks ALTER_CONFIGS on 1 topic (seen), to throttle their moves",
		"the login lacks ALTER_CONFIGS on the cluster, to throttle and to cordon brokers",
	}
	if got := missingRights(t, cluster); err != nil || !slices.Equal(got, want) {
		t.Errorf("rights: got %q and %v, want %q", got, err, want)
	}
	if _, err := c.Alter(t.Context(), []reassign.Target{target("seen", 0, 2, 1)}); !errors.Is(err, kafka.ErrAuthorization) {
		t.Errorf("alter: got %v, want %v", err, kafka.ErrAuthorization)
	}
	change := reassign.Change{Resource: reassign.OfTopic("seen"), Key: reassign.LeaderList, Op: reassign.Append, Value: "0:1"}
	if refused, err := c.AlterConfigs(t.Context(), []reassign.Change{change}); err != nil || len(refused) != 1 || refused[0].Kafka != "TOPIC_AUTHORIZATION_FAILED" {
		t.Errorf("alter configs: got %v and %v, want a refusal", refused, err)
	}
}
