package plan_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drain/plan"
)

// The document of docs/FORMATS.md, key by key.
func TestPlanAsJSON(t *testing.T) {
	t.Parallel()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1}}
	for id := range int32(3) {
		b.Broker(plan.Broker{ID: id + 1, CapacityBytes: 1000, UsableBytes: plan.Unknown})
	}
	b.Topic(plan.Topic{Name: "log", ID: [16]byte{15: 1}})
	b.Partition(plan.PartitionView{Number: 101, Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{1, 2}, SizeBytes: 930})
	b.Partition(plan.PartitionView{Number: 102, Leader: 1, Replicas: []int32{1}, ISR: []int32{1}, SizeBytes: 2000})
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Compute(c, plan.Request{Brokers: []int32{1}, BytesPerSec: 100})
	if err != nil {
		t.Fatal(err)
	}
	p.Findings = p.Findings[:1]
	p.Bounds = p.Bounds[:1]
	got, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"brokers":[1],"mode":"evacuate",` +
		`"moves":[{"topic":"log","partition":101,"from":[1],"to":[3],"bytes":930,"leadsDuring":2,"leadsFirst":3,` +
		`"topicId":"AAAAAAAAAAAAAAAAAAAAAQ","leader":1,"before":[1,2],"after":[3,2]}],` +
		`"totals":{"moves":1,"bytes":930,"boundBytes":2930,"seconds":12,"boundSeconds":20,"binding":"partition"},` +
		`"findings":[{"level":"warn","risk":"rf-1","topic":"log","message":"1 partition of topic log with a single replica: only the drained broker holds what is in them until it is copied",` +
		`"remedy":"none needed for the drain; the broker has to stay up until it has ended"}],` +
		`"bounds":[{"name":"destinations","bytes":1465,"seconds":14.65}],` +
		`"left":[{"topic":"log","partition":102}]}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPlansReadWhatTheyWrite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		if rapid.Bool().Draw(rt, "at risk") {
			r.Mode = plan.AtRisk
		}
		p, err := plan.Compute(c, r)
		if err != nil {
			rt.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			rt.Fatal(err)
		}
		var back plan.Plan
		if err := json.Unmarshal(text, &back); err != nil {
			rt.Fatal(err)
		}
		if back.String() != p.String() || !reflect.DeepEqual(back.Totals, p.Totals) || !reflect.DeepEqual(back.Bounds, p.Bounds) {
			rt.Errorf("got\n%v\nwant\n%v", back, p)
		}
		for i := range p.Moves {
			if !reflect.DeepEqual(back.Moves[i], p.Moves[i]) {
				rt.Errorf("got %+v, want %+v", back.Moves[i], p.Moves[i])
			}
		}
	})
}

func TestPlanFilesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, want string }{
		{"no JSON", `{`, "unexpected end"},
		{"an unknown mode", `{"mode":"halve"}`, `unknown mode "halve": evacuate or at-risk`},
		{"a cut list", `{"moves":[{"topic":"t","partition":3,"from":[1],"to":[]}]}`, "move of t-3: its lists differ in length"},
		{"no topic ID", `{"moves":[{"topic":"t","partition":3,"topicId":"x"}]}`, `move of t-3: topic ID "x" is not 22 characters`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var p plan.Plan
			if err := json.Unmarshal([]byte(test.file), &p); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
