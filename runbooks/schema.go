package runbooks

import (
	"encoding/json"
	"slices"
)

// schema is a piece of a JSON Schema.
type schema map[string]any

// Schema is the JSON Schema (draft 2020-12) of what Parse reads, for editors and
// other programs. It is made from the table of keys, and stricter checks (whether an
// id was quoted or written with a leading zero, what stands behind what) remain with
// Parse.
func Schema() []byte {
	s := objectSchema(keys(), "")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Runbook of drain"
	s["required"] = []string{"version", "cluster"}
	s["oneOf"] = []any{schema{"required": []string{"broker"}}, schema{"required": []string{"brokers"}}}
	// Only the default steps are known to move and to stop.
	stops := schema{"required": []string{"throttle", "stop"}, "properties": schema{"stop": schema{"required": []string{"command"}}}}
	s["anyOf"] = []any{stops, schema{"required": []string{"steps"}}}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("runbooks: a schema of texts and numbers cannot be encoded: " + err.Error())
	}
	return append(b, '\n')
}

// objectSchema is the mapping whose keys are the rows right under path.
func objectSchema[S any](rows []row[S], path string) schema {
	properties, required := schema{}, []string{}
	for _, k := range rows {
		if parent(k.path) != path {
			continue
		}
		p := schema{}
		if !k.value.section {
			p = k.value.schema
		}
		if k.value.holds != nil {
			p = either(p, objectSchema(rows, k.path))
		}
		p["description"] = k.doc
		properties[leaf(k.path)] = p
		if k.must {
			required = append(required, leaf(k.path))
		}
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	exclusive(s, rows, path)
	return s
}

// either is a value that has a short and a long form, or only the long one.
func either(short, long schema) schema {
	if len(short) == 0 {
		return long
	}
	return schema{"anyOf": []any{short, long}}
}

// exclusive says which keys right under path are not given together.
func exclusive[S any](s schema, rows []row[S], path string) {
	groups, order := map[string][]any{}, []string{}
	for _, k := range rows {
		if k.group == "" || parent(k.path) != path || path == "" {
			continue
		}
		if !slices.Contains(order, k.group) {
			order = append(order, k.group)
		}
		groups[k.group] = append(groups[k.group], schema{"required": []string{leaf(k.path)}})
	}
	for _, g := range order {
		s["oneOf"] = groups[g]
	}
}

// withVariable allows ${NAME} where s alone would not.
func withVariable(s schema, bare bool) schema {
	pattern := `\$\{[A-Za-z_][A-Za-z0-9_]*\}`
	if bare {
		pattern = "^" + pattern + "$"
	}
	return schema{"anyOf": []any{s, schema{"type": "string", "pattern": pattern}}}
}

func stepSchema(kinds choices) schema {
	var words []string
	anyOf := []any{}
	for _, c := range kinds {
		switch StepKind(c.word) {
		case Run:
			anyOf = append(anyOf, longStep("run", objectSchema(runKeys(), "steps.run")))
		case Approve:
			anyOf = append(anyOf, longStep("approve", question().schema))
		default:
			words = append(words, c.word)
		}
	}
	return schema{"anyOf": append([]any{schema{"enum": words}}, anyOf...)}
}

func longStep(key string, s schema) schema {
	return schema{"type": "object", "properties": schema{key: s}, "required": []string{key}, "additionalProperties": false}
}
