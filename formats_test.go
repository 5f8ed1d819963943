package drain_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// written says in which section of docs/FORMATS.md the keys of a struct are, or
// the words of a type or list. A struct with JSON keys that is not here fails
// the test: nothing goes out that is not described.
var written = map[string]string{
	"plan.snapshotJSON": "Snapshot", "plan.clusterJSON": "Snapshot", "plan.quorumJSON": "Snapshot", "plan.heardJSON": "Snapshot",
	"plan.voterJSON": "Snapshot", "plan.brokerJSON": "Snapshot", "plan.logDirJSON": "Snapshot", "plan.throttleJSON": "Snapshot", "plan.topicJSON": "Snapshot",
	"plan.partitionJSON": "Snapshot", "plan.findingJSON": "Findings",

	"plan.planJSON": "drain plan", "plan.nameJSON": "drain plan", "plan.moveJSON": "drain plan", "plan.totalsJSON": "drain plan",
	"plan.boundJSON": "drain plan", "plan.overrideJSON": "drain plan",
	"drain.reassignmentJSON": "drain plan --output kafka", "drain.reassignmentPartition": "drain plan --output kafka",

	"drain.checkJSON": "drain check", "drain.checkRow": "drain check", "drain.checkCounts": "drain check", "election.outcomeWords": "drain check",
	"drain.diagnosisJSON": "drain diagnose", "drain.diagnosisCounts": "drain diagnose", "drain.stuckJSON": "drain diagnose",
	"drain.copyJSON": "drain diagnose", "drain.cureJSON": "drain diagnose", "plan.actionWords": "drain diagnose",
	"plan.lossWords": "drain diagnose", "plan.healthWords": "drain diagnose",
	"drain.statusJSON": "drain status", "drain.stepStatusJSON": "drain status",
	"drain.map": "drain validate, version, throttle and approve", "drain.problemJSON": "drain validate, version, throttle and approve",

	"drain.eventJSON": "Events", "drain.progressJSON": "Events", "drain.endJSON": "Events", "drain.moveEventJSON": "Events", "reassign.EventKind": "Events", "child.Exit": "Events",
	"executor.EventKind": "Events", "runbooks.StepKind": "Events",

	"executor.Record": "Journal", "executor.Header": "Journal", "executor.Baseline": "Journal", "executor.Target": "Journal",
	"executor.Health": "Journal", "executor.PlanPart": "Journal", "executor.Move": "Journal", "executor.Act": "Journal",
	"executor.Answer": "Journal", "child.Process": "Journal", "reassign.Debt": "Journal", "reassign.Resource": "Journal",
	"executor.Kind": "Journal", "reassign.Kind": "Journal",

	"executor.Request": "Requests", "executor.RequestKind": "Requests", "executor.holder": "Locks",
}

// apart are names that no declaration has.
var apart = map[string][]string{"Events": {"end"}, "Journal": {"sum"}}

func TestEveryNameInJSONIsDescribed(t *testing.T) {
	t.Parallel()
	page := sections(t, "docs/FORMATS.md")
	for of, names := range declared(t) {
		section, known := written[of]
		text, found := page[section]
		switch {
		case !known:
			t.Errorf("%s has JSON keys: describe them in docs/FORMATS.md, and name the section here", of)
			continue
		case !found:
			t.Errorf("docs/FORMATS.md has no section %q, which is to describe %s", section, of)
			continue
		}
		for _, name := range names {
			if !regexp.MustCompile("`([A-Za-z]+\\.)?" + regexp.QuoteMeta(name) + "`").MatchString(text) {
				t.Errorf("docs/FORMATS.md, section %q, does not name `%s` of %s", section, name, of)
			}
		}
	}
}

func TestNothingIsDescribedThatIsNotThere(t *testing.T) {
	t.Parallel()
	names := maps.Clone(apart)
	found := declared(t)
	for of, section := range written {
		if len(found[of]) == 0 {
			t.Errorf("%s is to be described in section %q, and declares nothing", of, section)
		}
		names[section] = slices.Concat(names[section], found[of])
	}
	row := regexp.MustCompile("(?m)^\\| `(?:[A-Za-z]+\\.)?([A-Za-z_]+)` \\|")
	for section, text := range sections(t, "docs/FORMATS.md") {
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(names[section], m[1]) {
				t.Errorf("docs/FORMATS.md, section %q, describes `%s`, which no code writes", section, m[1])
			}
		}
	}
}

func TestTheExamplesAreJSON(t *testing.T) {
	t.Parallel()
	for section, text := range sections(t, "docs/FORMATS.md") {
		for i, block := range strings.Split(text, "```") {
			example, ok := strings.CutPrefix(block, "json\n")
			if i%2 == 0 || !ok {
				continue
			}
			dec := json.NewDecoder(strings.NewReader(example))
			for {
				var value any
				err := dec.Decode(&value)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Errorf("docs/FORMATS.md, section %q: %v in\n%s", section, err, example)
					break
				}
			}
		}
	}
}

// sections are the texts of a page by their headings of the second level.
func sections(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		found[heading] = body
	}
	return found
}

// declared are the JSON keys of structs, the words of string types and of lists
// of words, and the keys of maps that are encoded as they stand ("map").
func declared(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, dir := range []string{"cmd/drain", "election", "executor", "executor/child", "plan", "reassign", "runbooks"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || file == "runbooks/deciding.go" { // what is hashed, and never written
				continue
			}
			ast.Inspect(parsed(t, file), func(n ast.Node) bool {
				for of, names := range namesOf(n) {
					of = filepath.Base(dir) + "." + of
					if _, kept := written[of]; kept || !isWordList(n) {
						found[of] = append(found[of], names...)
					}
				}
				return true
			})
		}
	}
	return found
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// isWordList says that a declaration may well be of words that never get into JSON.
func isWordList(n ast.Node) bool {
	_, is := n.(*ast.ValueSpec)
	return is
}

func namesOf(n ast.Node) map[string][]string {
	switch n := n.(type) {
	case *ast.TypeSpec:
		if fields, ok := n.Type.(*ast.StructType); ok {
			if keys := tags(fields); len(keys) > 0 {
				return map[string][]string{n.Name.Name: keys}
			}
		}
	case *ast.ValueSpec:
		return wordsOf(n)
	case *ast.CallExpr:
		call, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || call.Sel.Name != "Encode" || len(n.Args) != 1 {
			return nil
		}
		if list, ok := n.Args[0].(*ast.CompositeLit); ok {
			return map[string][]string{"map": texts(list)}
		}
	}
	return nil
}

func tags(fields *ast.StructType) []string {
	var keys []string
	for _, f := range fields.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		if key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

// wordsOf are those of a constant, by its type, or of a list, by its name.
func wordsOf(v *ast.ValueSpec) map[string][]string {
	if len(v.Values) != 1 {
		return nil
	}
	if kind, ok := v.Type.(*ast.Ident); ok {
		if word, ok := text(v.Values[0]); ok {
			return map[string][]string{kind.Name: {word}}
		}
	}
	if list, ok := v.Values[0].(*ast.CompositeLit); ok {
		return map[string][]string{v.Names[0].Name: texts(list)}
	}
	return nil
}

// texts are the strings in a list, or the keys of a map.
func texts(list *ast.CompositeLit) []string {
	var found []string
	for _, e := range list.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Key
		}
		if s, ok := text(e); ok {
			found = append(found, s)
		}
	}
	return found
}

func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
