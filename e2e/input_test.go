package e2e_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// simulated is a runbook on the embedded cluster with some lines replaced.
func simulated(replace ...string) string {
	text := `version: 1
broker: 1
cluster:
  simulated: log-cluster
throttle: 25MB/s
poll: 250ms
confirm: 2s
stop:
  command: ["{drain}", simulated-stop, "{broker}"]
`
	return strings.NewReplacer(replace...).Replace(text)
}

// TestBadInput is each kind of bad input: one clear message, the right code, and
// soon.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, runbook string
		args          []string
		exit          int
		says          string
	}{
		{"unknown key", simulated("throttle:", "throtle:"), nil, 4, "broker.yaml:5: throtle: unknown key; did you mean throttle?"},
		{"missing unit", simulated("250ms", "250"), nil, 4, "broker.yaml:6: poll:"},
		{"octal broker", simulated("broker: 1", "broker: 010"), nil, 4, "broker.yaml:2: broker:"},
		{"empty file", "", nil, 4, "broker.yaml:1: the runbook is empty"},
		{"no YAML", "{[", nil, 4, "not YAML"},
		{"over 1 MiB", strings.Repeat("# padding padding padding\n", 50_000), nil, 4, "larger than 1 MiB"},
		{"no such command", simulated(`"{drain}"`, "./no-such-program"), nil, 4, "no-such-program"},
		{"no such broker", simulated("broker: 1", "broker: 77"), nil, 4, "no broker 77"},
		{"unbound stop", simulated(`["{drain}", simulated-stop, "{broker}"]`, `["true"]`), nil, 3, "unbound-stop"},
		{"unknown simulated cluster", simulated("log-cluster", "lag-cluster"), nil, 4, "log-cluster"},
		{"unknown flag", simulated(), []string{"--bogus"}, 4, "unknown flag --bogus"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			r := p.drain(append([]string{"run", p.runbook(tc.runbook)}, tc.args...)...)
			r.want(t, tc.exit)
			if !strings.Contains(r.stderr, tc.says) {
				t.Errorf("want %q said, got %v", tc.says, r)
			}
			if r.took > 15*time.Second {
				t.Errorf("the answer took %v", r.took)
			}
		})
	}
}

func TestUnknownVerbIsUsage(t *testing.T) {
	t.Parallel()
	r := newPlace(t).drain("drian")
	r.want(t, 4)
	if !strings.Contains(r.stderr, `unknown verb "drian"`) {
		t.Error(r)
	}
}

// TestUnreachableClusterNamesEachAddress: kgo alone says only that time ran out.
func TestUnreachableClusterNamesEachAddress(t *testing.T) {
	t.Parallel()
	closed, silent := closedPort(t), silentPort(t)
	p := newPlace(t)
	text := simulated("simulated: log-cluster", fmt.Sprintf("bootstrap: [%q, %q]", closed, silent), `"{drain}"`, "kill")
	r := p.drain("run", p.runbook(text), "--yes")
	r.want(t, 1)
	if r.took > 15*time.Second {
		t.Errorf("the answer took %v, want 15 s at most", r.took)
	}
	for _, address := range []string{closed, silent} {
		if !strings.Contains(r.stderr, address) {
			t.Errorf("%s is not named in %v", address, r)
		}
	}
}

// closedPort is an address that refuses connections.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// silentPort is an address that accepts connections and says nothing.
func silentPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// TestEmbeddedRunFromACleanFolder is the README's first command.
func TestEmbeddedRunFromACleanFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.drain("run", p.runbook(simulated()))
	r.want(t, 0)
	bar(t, r.took <= 15*time.Second, "the embedded run took %v, want at most 15 s", r.took)
	for _, says := range []string{"12 partitions would lose their leader", "20 of 20 moved", "broker 1 has left"} {
		if !strings.Contains(r.stderr, says) {
			t.Errorf("want %q said, got %v", says, r)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(p.dir, "state")); len(left) > 0 {
		t.Errorf("a simulated run left %v in the state folder", left)
	}
}
