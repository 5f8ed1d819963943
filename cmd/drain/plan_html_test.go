package main

import (
	"regexp"
	"strings"
	"testing"

	"drain/plan"
)

// hostile is a plan with names that only a forged snapshot can hold.
func hostile(t *testing.T) (plan.Cluster, plan.Plan) {
	t.Helper()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1}}
	for id := int32(1); id <= 3; id++ {
		b.Broker(plan.Broker{ID: id, Rack: "<b>\x1b[31mred</b>", CapacityBytes: 1000, UsableBytes: plan.Unknown})
	}
	b.Topic(plan.Topic{Name: "</table><script>alert(1)</script>\x1b[2J"})
	for n := range int32(5) {
		b.Partition(plan.PartitionView{Number: n, Leader: 1, Replicas: []int32{1}, ISR: []int32{1}, SizeBytes: 10})
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Compute(c, plan.Request{Brokers: []int32{1}})
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

func page(t *testing.T, c plan.Cluster, p plan.Plan) string {
	t.Helper()
	var out strings.Builder
	if err := writeHTMLPlan(&out, c, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPageNeedsNothingElse(t *testing.T) {
	t.Parallel()
	code, text, _ := call(t, "plan", "--snapshot", "testdata/books.json", "--broker", "1", "--output", "html")
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	for _, outside := range []string{"://", "src=", "href=", "url(", "@import", "<link", "<iframe", "fetch(", "XMLHttpRequest"} {
		if strings.Contains(text, outside) {
			t.Errorf("the page has %q in it", outside)
		}
	}
}

func TestPageHoldsEachMoveAndEachBroker(t *testing.T) {
	t.Parallel()
	c, err := readSnapshotFile("testdata/books.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Compute(c, plan.Request{Brokers: []int32{1}, BytesPerSec: 50e6, Slack: 0.25, DiskHeadroom: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	text := page(t, c, p)
	body := text[strings.Index(text, "<tbody>"):strings.Index(text, "</tbody>")]
	rows := strings.Count(body, "<tr>")
	if rows != len(p.Moves) {
		t.Errorf("%d rows for %d moves", rows, len(p.Moves))
	}
	for _, says := range []string{
		"<td>audit</td><td class=\"n\">1</td><td>1</td><td>2</td><td class=\"n\" data-value=\"35000000000\">35 GB</td><td>3, 1</td><td>3, 2</td>",
		"<td>broker 7</td>", "<td>rack c</td>", "bound by what has to come into the destinations", "internal-topic",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("the page lacks %q", says)
		}
	}
}

func TestPageSaysWhenAPlanIsRefused(t *testing.T) {
	t.Parallel()
	c, p := hostile(t)
	if strings.Contains(page(t, c, p), "refused") {
		t.Error("a plan without a block is called refused")
	}
	p.Findings = []plan.Finding{{Level: plan.Block, Risk: "disk-full", Partition: -1, Broker: 2, Message: "no room", Remedy: "make some"}}
	if text := page(t, c, p); !strings.Contains(text, "refused") || !strings.Contains(text, "make some") {
		t.Error("a refused plan is not called so")
	}
}

func TestPageEscapesNames(t *testing.T) {
	t.Parallel()
	text := page(t, plan.Cluster{}, plan.Plan{})
	scripts := strings.Count(text, "<script")
	c, p := hostile(t)
	text = page(t, c, p)
	if got := strings.Count(text, "<script"); got != scripts {
		t.Errorf("%d scripts, and the page itself has %d", got, scripts)
	}
	if strings.Contains(text, "<b>") || !strings.Contains(text, "&lt;/table&gt;&lt;script&gt;alert(1)") {
		t.Error("names are not escaped")
	}
}

var control = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)

func TestTextObeysNoName(t *testing.T) {
	t.Parallel()
	c, p := hostile(t)
	var out strings.Builder
	if err := writePlanText(&out, false, c, p, true); err != nil {
		t.Fatal(err)
	}
	if found := control.FindString(out.String()); found != "" {
		t.Errorf("a control character %q reaches the terminal:\n%q", found, out.String())
	}
}
