package simkafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// WithLogin asks clients to log in. The mechanism is PLAIN, SCRAM-SHA-256 or
// SCRAM-SHA-512; given again, it adds a user.
func WithLogin(mechanism, user, password string) Option {
	return func(o *options) {
		o.login = true
		o.kfake = append(o.kfake, kfake.EnableSASL(), kfake.Superuser(mechanism, user, password))
	}
}

// WithTokens asks clients to log in with OAUTHBEARER. check says whether a
// token is good, and for how long: a connection that has not logged in again by
// then is cut at its next request (KIP-368). It is called by many at once.
func WithTokens(check func(token string) (time.Duration, bool)) Option {
	return func(o *options) { o.login, o.tokens = true, check }
}

// gate lets nothing but a login pass before one has succeeded, nor after it has
// run out. kfake checks that too, but only for the keys it answers itself.
type gate struct {
	net.Conn
	in bytes.Buffer // of the request let in last

	mu      sync.Mutex
	asked   []header // requests without an answer yet
	rounds  int      // of the login that are left
	open    bool
	expires time.Time // zero: never
}

type header struct{ key, version int16 }

// longestRequest is socket.request.max.bytes.
const longestRequest = 100 << 20

var errNoLogin = errors.New("a request before the login, or after it ran out")

// Read hands on one whole request at a time.
func (g *gate) Read(p []byte) (int, error) {
	if g.in.Len() == 0 {
		if err := g.readRequest(); err != nil {
			return 0, err
		}
	}
	return g.in.Read(p)
}

func (g *gate) readRequest() error {
	size := make([]byte, 4)
	if _, err := io.ReadFull(g.Conn, size); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size)
	if n < 8 || n > longestRequest {
		return errNoLogin
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(g.Conn, body); err != nil {
		return err
	}
	h := header{int16(binary.BigEndian.Uint16(body)), int16(binary.BigEndian.Uint16(body[2:]))}
	if !g.admit(h, body) {
		return errNoLogin
	}
	g.in.Write(size)
	g.in.Write(body)
	return nil
}

// admit notes a request, or says that it is none to be let in.
func (g *gate) admit(h header, body []byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch kmsg.Key(h.key) {
	case kmsg.SASLHandshake:
		g.rounds = 1
		if bytes.Contains(body, []byte("SCRAM-")) {
			g.rounds = 2
		}
	case kmsg.SASLAuthenticate, kmsg.ApiVersions:
	default:
		if !g.open || !g.expires.IsZero() && time.Now().After(g.expires) {
			return false
		}
	}
	g.asked = append(g.asked, h)
	return true
}

// Write sends one whole answer, as kfake writes them, and learns from it
// whether the login has succeeded.
func (g *gate) Write(answer []byte) (int, error) {
	g.mu.Lock()
	if len(g.asked) > 0 {
		h := g.asked[0]
		g.asked = g.asked[1:]
		if kmsg.Key(h.key) == kmsg.SASLAuthenticate {
			g.learn(h, answer)
		}
	}
	g.mu.Unlock()
	return g.Conn.Write(answer)
}

func (g *gate) learn(h header, answer []byte) {
	resp := kmsg.NewPtrSASLAuthenticateResponse()
	resp.SetVersion(h.version)
	start := 8 // size and correlation id
	if resp.IsFlexible() {
		start++ // no tags
	}
	if len(answer) < start || resp.ReadFrom(answer[start:]) != nil || resp.ErrorCode != 0 {
		g.open = false
		return
	}
	if g.rounds--; g.rounds > 0 {
		return
	}
	g.open, g.expires = true, time.Time{}
	if resp.SessionLifetimeMillis > 0 {
		g.expires = time.Now().Add(time.Duration(resp.SessionLifetimeMillis) * time.Millisecond)
	}
}

// tokenLogin answers the two requests of an OAUTHBEARER login, which kfake does
// not know.
func (c *Cluster) tokenLogin(check func(string) (time.Duration, bool)) {
	c.fake.ControlKey(int16(kmsg.SASLHandshake), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.fake.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
		resp.SupportedMechanisms = []string{"OAUTHBEARER"}
		if req.(*kmsg.SASLHandshakeRequest).Mechanism != "OAUTHBEARER" {
			resp.ErrorCode = kerr.UnsupportedSaslMechanism.Code
		}
		return resp, nil, true
	})
	c.fake.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.fake.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		_, token, _ := strings.Cut(string(req.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes), "auth=Bearer ")
		token, _, _ = strings.Cut(token, "\x01")
		lifetime, ok := check(token)
		if !ok {
			resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
		}
		resp.SessionLifetimeMillis = lifetime.Milliseconds()
		return resp, nil, true
	})
}

// secure lays the gate on a connection.
func (o options) secure(conn net.Conn) net.Conn {
	if o.login {
		conn = &gate{Conn: conn}
	}
	return conn
}
