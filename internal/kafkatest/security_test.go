package kafkatest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"drain/internal/kafkatest"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

func TestASaslSslListenerLetsInWhoKnowsThePassword(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(2),
		Security: kafkatest.Security{
			Protocol: "SASL_SSL", Users: map[string]string{"alice": "wonder land", "boss": "s3cret"},
			ClientCert: true, Authorizer: true, SuperUsers: []string{"boss"},
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c.CreateTopic("pay", map[int32][]int32{0: {1, 2}}, nil)
	for _, mechanism := range []string{kafkatest.Plain, kafkatest.ScramSHA256, kafkatest.ScramSHA512} {
		for user, want := range map[string]error{"boss": nil, "alice": kerr.TopicAuthorizationFailed} {
			if err := topicSeenBy(ctx, c.ClientOptions(mechanism, user)); !errors.Is(err, want) {
				t.Errorf("%s as %s: got %v, want %v", mechanism, user, err, want)
			}
		}
	}
	stranger := []kgo.Opt{
		kgo.SeedBrokers(c.Bootstrap()...), kgo.DialTLSConfig(c.TLSConfig()),
		kgo.SASL(plain.Auth{User: "alice", Pass: "guessed"}.AsMechanism()),
	}
	if err := topicSeenBy(ctx, stranger); !errors.Is(err, kerr.SaslAuthenticationFailed) {
		t.Errorf("a wrong password: got %v, want %v", err, kerr.SaslAuthenticationFailed)
	}
}

// topicSeenBy asks for the topic pay.
func topicSeenBy(ctx context.Context, opts []kgo.Opt) error {
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	defer cl.Close()
	topics, err := kadm.NewClient(cl).ListTopics(ctx, "pay")
	if err != nil {
		return err
	}
	return topics["pay"].Err
}
