package runbooks

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Each example is accepted by the parser and the schema, and what it says is what this
// test thinks it says.
func TestExamples(t *testing.T) {
	t.Parallel()
	for file, brokers := range map[string][]int32{
		"broker-1.yaml":          {1},
		"ssh-systemd.yaml":       {3},
		"kubernetes.yaml":        {5},
		"rack.yaml":              {3, 6, 9},
		"short-maintenance.yaml": {2},
		"two-brokers.yaml":       {4, 5},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b := block{command: "parse BROKER=5", input: string(text)}
		r, err := b.parse()
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		assertReadsBack(t, r)
		if verdict := schemaVerdict(t, b); verdict != "accepts" {
			t.Errorf("%s: the schema %s it", file, verdict)
		}
		if !slices.Equal(r.Brokers, brokers) || r.Name == "" || r.Reason == "" {
			t.Errorf("%s drains %v, want %v, and says what it is", file, r.Brokers, brokers)
		}
		if err := Bound(r.Stop.Command, brokers[0], "kafka-9", map[int32]string{7: "kafka-7"}, len(brokers) > 1); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestEveryExampleIsTested(t *testing.T) {
	t.Parallel()
	built, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(built) != 6 {
		t.Errorf("found %v: name them in TestExamples", built)
	}
}
