package kafka_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafka"
	"drain/plan"
)

// closedPort is an address where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// silentPort takes connections and says nothing.
func silentPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func TestAnUnreachableClusterIsOneErrorThatNamesEachAddress(t *testing.T) {
	t.Parallel()
	a, b, silent := closedPort(t), closedPort(t), silentPort(t)
	begin := time.Now()
	_, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: []string{b, silent, a}, Timeout: 500 * time.Millisecond})
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v with a timeout of 500ms", took)
	}
	if !errors.Is(err, kafka.ErrUnreachable) || errors.Is(err, kafka.ErrAuthentication) {
		t.Fatalf("got %v, want %v", err, kafka.ErrUnreachable)
	}
	for _, want := range []string{a + ": ", b + ": ", "connection refused", silent + ": "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if one, two := strings.Index(err.Error(), a), strings.Index(err.Error(), b); (one < two) != (a < b) {
		t.Errorf("the addresses are not sorted:\n%v", err)
	}
}

func TestOneAddressThatAnswersIsEnough(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	begin := time.Now()
	c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: []string{silentPort(t), closedPort(t), f.ListenAddrs()[2]}, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v: the silent address was waited for", took)
	}
	if c.ClusterID() != "fake" || c.Mode() != plan.KRaft {
		t.Errorf("got %s %v, want fake kraft", c.ClusterID(), c.Mode())
	}
}

func TestAdvertisedAddressesThatCanNotBeReachedAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	away := closedPort(t)
	f.on(kmsg.Metadata, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(req.(*kmsg.MetadataRequest), resp)
		for i := range resp.Brokers {
			resp.Brokers[i].Host, resp.Brokers[i].Port = split(t, away)
		}
		return resp, nil
	})
	_, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs()})
	if !errors.Is(err, kafka.ErrUnreachable) || !strings.Contains(err.Error(), "advertised") || !strings.Contains(err.Error(), away) {
		t.Errorf("got %v, want an error that names the advertised address %s", err, away)
	}
}

func TestTheOneWhoIsDrainedMayBeTheBootstrapAndLeave(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs()[:1]})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Avoid(0)
	answer := func(node int32, req kmsg.Request) (kmsg.Response, error) {
		if node == 0 {
			return nil, errors.New("it has left")
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(req.(*kmsg.MetadataRequest), resp)
		resp.Brokers = resp.Brokers[1:]
		return resp, nil
	}
	f.on(kmsg.Metadata, answer)
	for range 20 {
		ids, err := c.LiveBrokers(t.Context())
		if err != nil || len(ids) != 2 {
			t.Fatalf("got %v and %v, want the other two", ids, err)
		}
	}
}

func TestABrokerThatIsAvoidedIsAskedOnlyIfNoOtherAnswers(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.dial()
	c.Avoid(0, 1)
	before := len(f.requests(kmsg.ListPartitionReassignments))
	list := func() int32 {
		t.Helper()
		if _, err := c.InFlight(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := f.requests(kmsg.ListPartitionReassignments)
		return all[len(all)-1].node
	}
	for range 5 {
		if node := list(); node != 2 {
			t.Errorf("broker %d was asked, want 2", node)
		}
	}
	f.on(kmsg.ListPartitionReassignments, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		if node == 2 {
			return nil, errors.New("close the connection")
		}
		return req.ResponseKind(), nil
	})
	if node := list(); node == 2 {
		t.Error("the answer came from broker 2, which gives none")
	}
	if n := len(f.requests(kmsg.ListPartitionReassignments)) - before; n < 7 {
		t.Errorf("got %d requests, want one for each call and the one in vain", n)
	}
}

func TestTheErrorOfACallNamesEachBroker(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.dial()
	f.Close()
	begin := time.Now()
	_, err := c.LiveBrokers(t.Context())
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v where every address refuses", took)
	}
	if !errors.Is(err, kafka.ErrUnreachable) {
		t.Errorf("got %v, want %v", err, kafka.ErrUnreachable)
	}
	for _, want := range []string{"broker 0 at 127.0.0.1:", "broker 1 at 127.0.0.1:", "broker 2 at 127.0.0.1:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %q: %v", want, err)
		}
	}
}

func TestAClusterThatCameBackAtOtherAddressesIsFoundByItsBootstrap(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	away := closedPort(t)
	advertised := away
	f.on(kmsg.Metadata, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(req.(*kmsg.MetadataRequest), resp)
		if advertised != "" {
			for i := range resp.Brokers[1:] {
				resp.Brokers[i+1].Host, resp.Brokers[i+1].Port = split(t, advertised)
			}
			resp.Brokers = resp.Brokers[1:] // and broker 0, the bootstrap, is no broker any more
		}
		return resp, nil
	})
	f.mu.Lock()
	advertised = ""
	f.mu.Unlock()
	c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs()[:1]})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f.mu.Lock()
	advertised = away
	f.mu.Unlock()
	if _, err := c.LiveBrokers(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Now no broker it knows of can be reached, and all are back where they were.
	f.mu.Lock()
	advertised = ""
	f.mu.Unlock()
	if ids, err := c.LiveBrokers(t.Context()); err != nil || len(ids) != 3 {
		t.Errorf("got %v and %v, want the three found through the bootstrap address", ids, err)
	}
}

func TestAnAnswerOfAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.dial()
	f.on(kmsg.Metadata, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(req.(*kmsg.MetadataRequest), resp)
		resp.ClusterID = kmsg.StringPtr("staging")
		return resp, nil
	})
	if ids, err := c.LiveBrokers(t.Context()); err == nil || !strings.Contains(err.Error(), `"staging"`) {
		t.Errorf("got %v and %v, want an error that names the other cluster", ids, err)
	}
}

func TestTheEndOfAContextIsGivenByItsCause(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.dial()
	cause := errors.New("the deadline of the runbook")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := c.InFlight(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
	if _, err := c.Snapshot(ctx, plan.Scope{Via: 1}); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func login(mechanism, password string) *kafka.SASL {
	return &kafka.SASL{Mechanism: mechanism, Username: "ann", Secret: func(context.Context) (string, error) { return password, nil }}
}

func TestALoginIsMadeByEachMechanism(t *testing.T) {
	t.Parallel()
	mechanisms := []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}
	opts := []kfake.Opt{kfake.EnableSASL()}
	for _, m := range mechanisms {
		opts = append(opts, kfake.Superuser(m, "ann", "right"))
	}
	f := newFake(t, opts...)
	for _, m := range mechanisms {
		c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs(), SASL: login(m, "right")})
		if err != nil {
			t.Errorf("%s: %v", m, err)
			continue
		}
		c.Close()
	}
	lost := login("PLAIN", "")
	lost.Secret = func(context.Context) (string, error) { return "", errors.New("no such file") }
	_, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs(), SASL: lost})
	if !errors.Is(err, kafka.ErrAuthentication) || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("without a secret: got %v, want one that says why", err)
	}
}

func TestTLSToAPlainListenerSaysSo(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs()[:1], TLS: &kafka.TLS{}, Timeout: 2 * time.Second})
	if !errors.Is(err, kafka.ErrUnreachable) || !strings.Contains(err.Error(), "tls handshake: no connection within 800ms: does the listener speak TLS?") {
		t.Errorf("got %v, want an error that speaks of TLS", err)
	}
}

func TestTLSByAnUnknownRootIsRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{selfSigned(t)}}))
	_, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs()[:1], TLS: &kafka.TLS{}})
	if !errors.Is(err, kafka.ErrAuthentication) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want %v for its certificate", err, kafka.ErrAuthentication)
	}
}

func TestBadOptionsAreRefusedBeforeAnythingIsDialled(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]kafka.Options{
		"no bootstrap address":          {},
		"sasl mechanism \"GSSAPI\"":     {SASL: login("GSSAPI", "x")},
		"no secret":                     {SASL: &kafka.SASL{Mechanism: "PLAIN"}},
		"holds no PEM certificate":      {TLS: &kafka.TLS{CAFile: empty}},
		"tls caFile: open":              {TLS: &kafka.TLS{CAFile: empty + ".absent"}},
		"belong together":               {TLS: &kafka.TLS{CertFile: empty}},
		"tls certFile and keyFile: tls": {TLS: &kafka.TLS{CertFile: empty, KeyFile: empty}},
	} {
		if !strings.HasPrefix(want, "no boot") {
			o.Bootstrap = []string{"127.0.0.1:1"}
		}
		o.Dialer = func(context.Context, string, string) (net.Conn, error) {
			t.Errorf("%s: something was dialled", want)
			return nil, errors.New("not in this test")
		}
		if _, err := kafka.Dial(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
