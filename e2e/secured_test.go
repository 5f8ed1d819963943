package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drain/internal/kafkatest"
)

// TestSecuredListener drains through SASL_SSL with the login in the runbook, and
// asks through flags. A wrong password is told as such, and never printed.
func TestSecuredListener(t *testing.T) {
	t.Parallel()
	const password = "s3cret-$word"
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers:  kafkatest.Brokers(3),
		Security: kafkatest.Security{Protocol: "SASL_SSL", Users: map[string]string{"ops": password}},
	})
	c.CreateTopic("log", map[int32][]int32{0: {1}, 1: {2}}, nil)
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
