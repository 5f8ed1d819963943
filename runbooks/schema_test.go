package runbooks

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// compiledSchema is the schema, compiled once for all stories.
var compiledSchema = sync.OnceValues(func() (*jsonschema.Schema, error) { return compiled(Schema()) })

func compiled(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("runbook.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("runbook.json")
}

// schemaVerdict is what an editor that knows the schema says of the story: "accepts",
// "refuses", or "cannot tell" when the text is not one document that JSON can hold. A
// story without a version is a fragment, and judged as a part of a sound runbook,
// unless it says "whole".
func schemaVerdict(t *testing.T, b block) string {
	t.Helper()
	var value any
	if err := yaml.NewDecoder(strings.NewReader(b.input)).Decode(&value); err != nil {
		return "cannot tell"
	}
	if m, ok := value.(map[string]any); ok && m["version"] == nil && b.command != "parse whole" {
		value = completed(m)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "cannot tell"
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := compiledSchema()
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(doc) != nil {
		return "refuses"
	}
	return "accepts"
}

// completed is the fragment within a runbook that has nothing wrong with it.
func completed(fragment map[string]any) map[string]any {
	whole := map[string]any{
		"version":  1,
		"cluster":  map[string]any{"simulated": "log-cluster"},
		"throttle": "none",
		"stop":     map[string]any{"command": []string{"stop", "{broker}"}},
	}
	if _, several := fragment["brokers"]; !several {
		whole["broker"] = 1
	}
	for key, value := range fragment {
		outer, both := whole[key].(map[string]any)
		inner, ok := value.(map[string]any)
		if both && ok {
			maps.Copy(outer, inner)
			if key == "cluster" && inner["bootstrap"] != nil && inner["simulated"] == nil {
				delete(outer, "simulated")
			}
			continue
		}
		whole[key] = value
	}
	return whole
}

func TestSchemaOfTheRepositoryIsTheOneOfTheTable(t *testing.T) {
	t.Parallel()
	golden(t, "schema.json", Schema())
}

// golden compares a file with what it should hold, or rewrites it.
func golden(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table of keys says; run go test ./runbooks -update and review the diff", file)
	}
}
