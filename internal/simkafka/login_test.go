package simkafka

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// metadataWith asks for metadata as a client that logs in in that way.
func metadataWith(t *testing.T, c *Cluster, with ...kgo.Opt) error {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.Bootstrap()...), kgo.Dialer(c.Dial), kgo.RequestRetries(1)}, with...)...)
	must(t, err)
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err = cl.Request(ctx, kmsg.NewPtrMetadataRequest())
	return err
}

func TestALoginIsAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := Start(pair(), On(new(kfake.VirtualNetwork)), WithLogin("PLAIN", "ada", "secret"), WithLogin("SCRAM-SHA-512", "bob", "secret"))
		must(t, err)
		defer c.Close()
		for _, login := range []struct {
			name string
			with sasl.Mechanism
			ok   bool
		}{
			{"none", nil, false},
			{"plain", plain.Auth{User: "ada", Pass: "secret"}.AsMechanism(), true},
			{"plain, wrong", plain.Auth{User: "ada", Pass: "guess"}.AsMechanism(), false},
			{"scram", scram.Auth{User: "bob", Pass: "secret"}.AsSha512Mechanism(), true},
			{"scram, wrong", scram.Auth{User: "bob", Pass: "guess"}.AsSha512Mechanism(), false},
		} {
			var opts []kgo.Opt
			if login.with != nil {
				opts = append(opts, kgo.SASL(login.with))
			}
			if err := metadataWith(t, c, opts...); (err == nil) != login.ok {
				t.Errorf("%s: %v", login.name, err)
			}
		}
	})
}

// A token lasts a minute. A client that gets a new one each time goes on; one
// whose token is refused later is turned away.
func TestTokensRunOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		valid := func(token string) (time.Duration, bool) {
			logins.Add(1)
			return time.Minute, token == "fresh"
		}
		c, err := Start(pair(), On(new(kfake.VirtualNetwork)), WithTokens(valid))
		must(t, err)
		defer c.Close()
		var token atomic.Value
		token.Store("fresh")
		mechanism := oauth.Oauth(func(context.Context) (oauth.Auth, error) { return oauth.Auth{Token: token.Load().(string)}, nil })
		cl, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.Dialer(c.Dial), kgo.SASL(mechanism), kgo.RequestRetries(1))
		must(t, err)
		defer cl.Close()
		for range 10 {
			if _, err := cl.Request(t.Context(), kmsg.NewPtrMetadataRequest()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(30 * time.Second)
		}
		if n := logins.Load(); n < 5 {
			t.Errorf("%d logins in five minutes, want one a minute at least", n)
		}
		token.Store("stale")
		time.Sleep(2 * time.Minute)
		if _, err := cl.Request(t.Context(), kmsg.NewPtrMetadataRequest()); !errors.Is(err, kerr.SaslAuthenticationFailed) {
			t.Errorf("with a stale token: %v", err)
		}
	})
}
