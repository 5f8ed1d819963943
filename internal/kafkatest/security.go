package kafkatest

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Security is how clients and other brokers talk to a broker's client listener.
// The zero value is plain text, in which everybody may do everything.
type Security struct {
	Protocol string // "SSL", "SASL_PLAINTEXT" or "SASL_SSL"; "" is "PLAINTEXT"

	// Users are passwords by name. Each is good for the mechanisms PLAIN,
	// SCRAM-SHA-256 and SCRAM-SHA-512. The name "broker" is taken. With
	// OAUTHBEARER a token without a signature is good for any name
	// (OAuthBearerUnsecuredValidatorCallbackHandler).
	Users map[string]string

	ClientCert bool // TLS asks for a certificate of the client; see Cluster.ClientCert

	// Authorizer makes Kafka ask ACLs: users have only the rights that a test
	// gives them (through Cluster.Client), except those in SuperUsers. The
	// judge's listeners keep all rights.
	Authorizer bool
	SuperUsers []string
}

// Mechanisms of Security.Users, as Kafka spells them.
const (
	Plain       = "PLAIN"
	ScramSHA256 = "SCRAM-SHA-256"
	ScramSHA512 = "SCRAM-SHA-512"
	OAuthBearer = "OAUTHBEARER"
)

// brokerUser is who brokers are to each other.
const brokerUser = "broker"

func (s Security) on() bool { return s.protocol() != "PLAINTEXT" || s.Authorizer }

func (s Security) protocol() string {
	if s.Protocol == "" {
		return "PLAINTEXT"
	}
	return s.Protocol
}

func (s Security) tls() bool { return strings.HasSuffix(s.protocol(), "SSL") }

func (s Security) sasl() bool { return strings.HasPrefix(s.protocol(), "SASL_") }

// check refuses what no broker could start with.
func (s Security) check() error {
	if !slices.Contains([]string{"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}, s.protocol()) {
		return fmt.Errorf("security protocol %q: Kafka knows PLAINTEXT, SSL, SASL_PLAINTEXT and SASL_SSL", s.Protocol)
	}
	if _, taken := s.Users[brokerUser]; taken {
		return fmt.Errorf("user %q is what brokers call themselves", brokerUser)
	}
	return nil
}

// secure makes what the protocol needs: certificates and the brokers' password.
func (c *Cluster) secure() (err error) {
	c.brokerPassword = rand.Text()
	if c.spec.Security.tls() {
		c.certs, err = makeCertificates(c.root)
	}
	return err
}

// addSecurity sets the properties of the client listener and of the authorizer.
func (c *Cluster) addSecurity(p map[string]string) {
	s := c.spec.Security
	prefix := "listener.name." + strings.ToLower(clientListener) + "."
	if s.tls() {
		maps.Copy(p, c.certs.stores(c.certs.broker))
		if s.ClientCert {
			p[prefix+"ssl.client.auth"] = "required"
		}
	}
	if s.sasl() {
		p["sasl.enabled.mechanisms"] = strings.Join([]string{Plain, ScramSHA256, ScramSHA512, OAuthBearer}, ",")
		p[prefix+"oauthbearer.sasl.jaas.config"] = tokenLogin
		p["sasl.mechanism.inter.broker.protocol"] = Plain
		p[prefix+"plain.sasl.jaas.config"] = c.plainLogin()
		for _, mechanism := range []string{ScramSHA256, ScramSHA512} {
			p[prefix+strings.ToLower(mechanism)+".sasl.jaas.config"] = scramLoginModule + " required;"
		}
	}
	if s.Authorizer {
		p["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
		if c.spec.ZooKeeper {
			p["authorizer.class.name"] = "kafka.security.authorizer.AclAuthorizer"
		}
		p["super.users"] = c.superUsers()
	}
}

const (
	plainLoginModule = "org.apache.kafka.common.security.plain.PlainLoginModule"
	scramLoginModule = "org.apache.kafka.common.security.scram.ScramLoginModule"
	// tokenLogin has the name with which a broker itself would log in by token,
	// which none does.
	tokenLogin = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";"
)

// plainLogin names the broker's own user, and all that it lets in.
func (c *Cluster) plainLogin() string {
	line := fmt.Sprintf("%s required username=%q password=%q", plainLoginModule, brokerUser, c.brokerPassword)
	line += fmt.Sprintf(" user_%s=%q", brokerUser, c.brokerPassword)
	for _, name := range slices.Sorted(maps.Keys(c.spec.Security.Users)) {
		line += fmt.Sprintf(" user_%s=%q", name, c.spec.Security.Users[name])
	}
	return line + ";"
}

// superUsers are the spec's, the brokers, and everybody on the judge's and the
// controllers' listeners, who have no name.
func (c *Cluster) superUsers() string {
	users := []string{"User:ANONYMOUS", "User:" + brokerUser, "User:CN=" + brokerUser}
	for _, name := range c.spec.Security.SuperUsers {
		users = append(users, "User:"+name)
	}
	return strings.Join(users, ";")
}

// addScramUsers stores the users' SCRAM credentials in the running cluster, in a
// request for each mechanism: Kafka takes a user only once in each.
func (c *Cluster) addScramUsers(ctx context.Context) error {
	if !c.spec.Security.sasl() || len(c.spec.Security.Users) == 0 {
		return nil
	}
	for _, mechanism := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		var upserts []kadm.UpsertSCRAM
		for _, name := range slices.Sorted(maps.Keys(c.spec.Security.Users)) {
			upserts = append(upserts, kadm.UpsertSCRAM{
				User: name, Mechanism: mechanism, Iterations: 4096, Password: c.spec.Security.Users[name],
			})
		}
		altered, err := kadm.NewClient(c.judge).AlterUserSCRAMs(ctx, nil, upserts)
		if err == nil {
			err = altered.Error()
		}
		if err != nil {
			return fmt.Errorf("store %v credentials: %w", mechanism, err)
		}
	}
	return nil
}

// ClientOptions are the franz-go options of a client at the client listener that
// logs in as one of Security.Users. Without SASL, mechanism and user do not
// matter.
func (c *Cluster) ClientOptions(mechanism, user string) []kgo.Opt {
	c.t.Helper()
	opts := []kgo.Opt{kgo.SeedBrokers(c.Bootstrap()...)}
	if c.spec.Security.tls() {
		opts = append(opts, kgo.DialTLSConfig(c.certs.clientConfig(c.spec.Security.ClientCert)))
	}
	if c.spec.Security.sasl() {
		opts = append(opts, kgo.SASL(c.login(mechanism, user)))
	}
	return opts
}

func (c *Cluster) login(mechanism, user string) sasl.Mechanism {
	c.t.Helper()
	password := c.spec.Security.Users[user]
	auth := scram.Auth{User: user, Pass: password}
	switch mechanism {
	case Plain:
		return plain.Auth{User: user, Pass: password}.AsMechanism()
	case ScramSHA256:
		return auth.AsSha256Mechanism()
	case ScramSHA512:
		return auth.AsSha512Mechanism()
	}
	c.t.Fatalf("no such mechanism here: %q", mechanism)
	return nil
}

// CAFile is the certificate, in PEM, that signed those of the brokers.
func (c *Cluster) CAFile() string { return c.certs.ca }

// ClientCert are a client's certificate and key, in PEM, that the brokers trust.
// Its principal is "User:CN=client".
func (c *Cluster) ClientCert() (certFile, keyFile string) {
	return c.certs.clientCert, c.certs.clientKey
}

// TLSConfig trusts the brokers, and has the client's certificate where the
// brokers ask for one.
func (c *Cluster) TLSConfig() *tls.Config { return c.certs.clientConfig(c.spec.Security.ClientCert) }

// javaClient are the properties of a Java client at the client listener, as the
// brokers' own user, who has all rights.
func (c *Cluster) javaClient() map[string]string {
	p := map[string]string{"security.protocol": c.spec.Security.protocol()}
	if c.spec.Security.tls() {
		maps.Copy(p, c.certs.stores(c.certs.broker))
	}
	if c.spec.Security.sasl() {
		p["sasl.mechanism"] = Plain
		p["sasl.jaas.config"] = fmt.Sprintf("%s required username=%q password=%q;", plainLoginModule, brokerUser, c.brokerPassword)
	}
	return p
}
