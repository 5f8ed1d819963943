package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// TLS says how to encrypt. The zero value trusts the system's roots and checks
// the name that was dialled.
type TLS struct {
	CAFile     string // PEM; trusted instead of the system's roots
	CertFile   string // PEM; the client's own certificate, with KeyFile
	KeyFile    string
	ServerName string // checked instead of the name dialled
}

// SASL says how to log in.
type SASL struct {
	Mechanism string // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER
	Username  string // unused with OAUTHBEARER
	// Secret gives the password, or the token with OAUTHBEARER. It is asked at
	// each login, so a secret that was changed meanwhile is found.
	Secret func(ctx context.Context) (string, error)
}

func (s SASL) mechanism() (sasl.Mechanism, error) {
	if s.Secret == nil {
		return nil, fmt.Errorf("sasl %s: no secret: give a password file, variable or command", s.Mechanism)
	}
	scrammed := func(ctx context.Context) (scram.Auth, error) {
		secret, err := s.secret(ctx)
		return scram.Auth{User: s.Username, Pass: secret}, err
	}
	switch strings.ToUpper(s.Mechanism) {
	case "PLAIN":
		return plain.Plain(func(ctx context.Context) (plain.Auth, error) {
			secret, err := s.secret(ctx)
			return plain.Auth{User: s.Username, Pass: secret}, err
		}), nil
	case "SCRAM-SHA-256":
		return scram.Sha256(scrammed), nil
	case "SCRAM-SHA-512":
		return scram.Sha512(scrammed), nil
	case "OAUTHBEARER":
		return oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
			secret, err := s.secret(ctx)
			return oauth.Auth{Token: secret}, err
		}), nil
	}
	return nil, fmt.Errorf("sasl mechanism %q is not known: use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER", s.Mechanism)
}

func (s SASL) secret(ctx context.Context) (string, error) {
	secret, err := s.Secret(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: secret: %w", ErrAuthentication, err)
	}
	return secret, nil
}

func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("tls caFile: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("tls caFile %s holds no PEM certificate", t.CAFile)
		}
	}
	if t.CertFile == "" && t.KeyFile == "" {
		return config, nil
	}
	if t.CertFile == "" || t.KeyFile == "" {
		return nil, errors.New("tls certFile and keyFile belong together: give both")
	}
	if _, err := t.certificate(nil); err != nil {
		return nil, err
	}
	config.GetClientCertificate = t.certificate // read anew: it may be renewed during a long run
	return config, nil
}

func (t TLS) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls certFile and keyFile: %w", err)
	}
	return &pair, nil
}

// dialer opens a connection, TLS included. It has less than half the time of an
// answer, since kgo tries twice, and only a dial that ends before says what it
// was waiting for.
func (o Options) dialer() (func(ctx context.Context, network, address string) (net.Conn, error), error) {
	open := o.Dialer
	if open == nil {
		open = new(net.Dialer).DialContext
	}
	var config *tls.Config
	if o.TLS != nil {
		var err error
		if config, err = o.TLS.config(); err != nil {
			return nil, err
		}
	}
	timeout := o.Timeout * 2 / 5
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no connection within %v", timeout))
		defer cancel()
		conn, err := open(ctx, network, address)
		if err != nil || config == nil {
			return conn, err
		}
		return secure(ctx, conn, config, address)
	}, nil
}

func secure(ctx context.Context, conn net.Conn, config *tls.Config, address string) (net.Conn, error) {
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			host = address
		}
		config = config.Clone()
		config.ServerName = host
	}
	secured := tls.Client(conn, config)
	err := secured.HandshakeContext(ctx)
	switch {
	case err == nil:
		return secured, nil
	case ctx.Err() != nil, errors.Is(err, io.EOF):
		err = fmt.Errorf("tls handshake: %w: does the listener speak TLS?", causeOf(ctx, err))
	default:
		err = fmt.Errorf("%w: tls handshake: %w", ErrAuthentication, err)
	}
	conn.Close() // its error would be that the handshake has closed it
	return nil, err
}
