package e2e_test

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafkatest"
)

// TestALoginThatMayOnlyLookIsRefused: the rights of a read-only plan, and a run.
func TestALoginThatMayOnlyLookIsRefused(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(3),
		Security: kafkatest.Security{
			Protocol: "SASL_PLAINTEXT", Authorizer: true,
			Users: map[string]string{"viewer": "look"},
		},
	})
	c.CreateTopic("log", map[int32][]int32{0: {1}, 1: {2}}, nil)
	look := []kmsg.ACLOperation{kmsg.ACLOperationDescribe, kmsg.ACLOperationDescribeConfigs}
	acls := kadm.NewACLs().Allow("User:viewer").AllowHosts().Topics("*").Clusters().Operations(look...).ResourcePatternType(kadm.ACLPatternLiteral)
	if _, err := kadm.NewClient(c.Client()).CreateACLs(t.Context(), acls); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.env = []string{"VIEWER=look"}
	text := strings.Replace(runbookFor(c, "5MB/s"), "throttle:", `  sasl: {mechanism: PLAIN, username: viewer, passwordEnv: VIEWER}
throttle:`, 1)
	runbook := p.runbook(text)
	before := c.Describe()
	p.drain("plan", runbook).want(t, 0)
	r := p.drain("run", runbook, "--yes")
	r.want(t, 3)
	if !strings.Contains(r.stderr, "lacks ALTER on the cluster") {
		t.Errorf("the missing right is not named: %v", r)
	}
	if diff := before.Diff(c.Describe()); len(diff) > 0 {
		t.Errorf("a refusal changed the cluster: %v", diff)
	}
	if _, err := kadm.NewClient(c.Client()).DeleteACLs(t.Context(), acls); err != nil {
		t.Fatal(err)
	}
	s := p.drain("status", runbook)
	s.want(t, 0)
	if !strings.Contains(s.stdout, "ended, ") || !strings.Contains(s.stdout, "could not be read:\n") || !strings.Contains(s.stdout, "  reassignments-unread: ") {
		t.Errorf("status without a right: %v", s)
	}
}
