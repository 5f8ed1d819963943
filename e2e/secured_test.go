package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drain/internal/kafkatest"
)

// TestSecuredListener drains through SASL_SSL with the login in the runbook, one
// broker by password and another by token, and asks through flags. A wrong secret
// is told as such, and never printed.
func TestSecuredListener(t *testing.T) {
	t.Parallel()
	const password = "s3cret-$word"
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers:  kafkatest.Brokers(3),
		Security: kafkatest.Security{Protocol: "SASL_SSL", Users: map[string]string{"ops": password}},
	})
	c.CreateTopic("log", map[int32][]int32{0: {1}, 1: {2}}, nil)
	t.Run("by password", func(t *testing.T) { byPassword(t, c, password) })
	t.Run("by token", func(t *testing.T) { byToken(t, c) })
}

// byPassword drains broker 1.
func byPassword(t *testing.T, c *kafkatest.Cluster, password string) {
	p := newPlace(t)
	p.env = []string{"OPS_PASSWORD=" + password}
	secret := filepath.Join(p.dir, "password")
	if err := os.WriteFile(secret, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	flags := []string{"--bootstrap", c.BootstrapOf(2), "--tls-ca-file", c.CAFile(), "--sasl-mechanism", "PLAIN",
		"--sasl-username", "ops", "--sasl-password-file", secret, "--broker", "1"}
	p.drain(append([]string{"check"}, flags...)...).want(t, 3)

	text := strings.Replace(runbookFor(c, "none"), "throttle:", fmt.Sprintf(`  tls:
    caFile: %s
  sasl:
    mechanism: SCRAM-SHA-512
    username: ops
    passwordEnv: OPS_PASSWORD
throttle:`, c.CAFile()), 1)
	runbook := p.runbook(text)
	p.env = []string{"OPS_PASSWORD=wrong-" + password}
	wrong := p.drain("run", runbook, "--yes")
	wrong.want(t, 1)
	if !strings.Contains(wrong.stderr, "authentication") || strings.Contains(wrong.stderr, password) {
		t.Errorf("a wrong password: %v", wrong)
	}
	p.env = []string{"OPS_PASSWORD=" + password}
	p.drain("run", runbook, "--yes").want(t, 0)
	if on := c.Describe().OnBroker(1); len(on) > 0 {
		t.Errorf("still on broker 1: %v", on)
	}
}

// byToken drains broker 2. Its tokens are good for some seconds only, and a new one
// is asked for at each login.
func byToken(t *testing.T, c *kafkatest.Cluster) {
	p := newPlace(t)
	command := tokenCommand(t, p)
	file := filepath.Join(p.dir, "token")
	flags := []string{"check", "--bootstrap", c.BootstrapOf(3), "--tls-ca-file", c.CAFile(), "--sasl-mechanism", kafkatest.OAuthBearer, "--sasl-password-file", file, "--broker", "2"}
	for _, seconds := range []string{"-60", "60"} {
		token, err := exec.Command(command, seconds).Output()
		if err == nil {
			err = os.WriteFile(file, token, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := p.drain(flags...)
		if seconds == "60" {
			r.want(t, 3)
		} else if r.exit != 1 || !strings.Contains(r.stderr, "authentication") || strings.Contains(r.stderr, string(token[:20])) {
			t.Errorf("a token that is over: %v", r)
		}
	}

	text := strings.Replace(runbookFor(c, "none"), "throttle:", fmt.Sprintf(`  tls:
    caFile: %s
  sasl:
    mechanism: OAUTHBEARER
    passwordCommand: [%q, "8"]
throttle:`, c.CAFile(), command), 1)
	p.drain("run", p.runbook(strings.Replace(text, "broker: 1", "broker: 2", 1)), "--yes").want(t, 0)
	if on := c.Describe().OnBroker(2); len(on) > 0 {
		t.Errorf("still on broker 2: %v", on)
	}
	made, err := os.ReadFile(filepath.Join(p.dir, "made"))
	if err != nil || len(made) < 5 {
		t.Errorf("%d tokens were made, %v: want one for each login, and more as they run out", len(made), err)
	}
}

// tokenCommand is a program that prints a token without a signature, good for as
// many seconds as it is told, and notes a byte in the file made for each.
func tokenCommand(t *testing.T, p *place) string {
	t.Helper()
	path := filepath.Join(p.dir, "token-maker")
	text := `#!/bin/sh
cd "$(dirname "$0")"
printf . >>made
part() { printf %s "$1" | base64 -w0 | tr +/ -_ | tr -d =; }
now=$(date +%s)
echo "$(part '{"alg":"none"}').$(part '{"sub":"ops","iat":'$((now - 100))',"exp":'$((now + $1))'}')."
`
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
