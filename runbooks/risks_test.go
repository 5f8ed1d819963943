package runbooks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The packages that find something, and the names of those that say a risk word
// in another way than as the field Risk or a parameter risk.
var (
	finders = []string{"plan", "executor", "internal/kafka", "cmd/drain"}
	sayers  = []string{"OutcomeRisk", "accepts"}
)

// A word that a finding shows and a runbook may not write would leave a person
// without a way, and one that no finding shows would be accepted for nothing.
func TestTheRiskWordsAreThoseOfTheFindings(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	for _, dir := range finders {
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for word, where := range riskWordsIn(t, files) {
			found[word] = where
		}
	}
	for _, word := range slices.Sorted(maps.Keys(found)) {
		if !slices.ContainsFunc(Risks(), func(r Risk) bool { return r.Word == word }) {
			t.Errorf("%s: %q is not in the table of risks", found[word], word)
		}
	}
	for _, r := range Risks() {
		if found[r.Word] == "" {
			t.Errorf("no finding has the risk %q", r.Word)
		}
		if r.Doc == "" || strings.HasSuffix(r.Doc, ".") {
			t.Errorf("%q: %q is no word with its line", r.Word, r.Doc)
		}
	}
	if !slices.IsSortedFunc(Risks(), func(a, b Risk) int { return strings.Compare(a.Word, b.Word) }) {
		t.Error("the table is not sorted")
	}
}

func TestAMisspeltRiskIsRefusedWithTheNearestWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"under-min-irs", `"under-min-irs" is not a risk word; did you mean under-min-isr?`},
		{"under_min_isr", `"under_min_isr" is not a risk word; did you mean under-min-isr?`},
		{"Leaderless", `"Leaderless" is not a risk word; did you mean leaderless?`},
		{"stray-logs", `"stray-logs" is not a risk word; did you mean stray-log?`},
		{"all", `"all" is not a risk word; write the word that the finding shows, such as under-min-isr; docs/RUNBOOK.md lists them`},
	} {
		rb := Defaults()
		if err := rb.Set("acceptRisks", c.text); err == nil || err.Error() != "--accept-risk: "+c.want {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
	rb := Defaults()
	if err := rb.Set("acceptRisks", "rf-1,leaderless"); err != nil || len(rb.AcceptRisks) != 2 {
		t.Errorf("got %v, %v", rb.AcceptRisks, err)
	}
}

// riskWordsIn are the words in the files of a package that are not tests, and
// where.
func riskWordsIn(t *testing.T, names []string) map[string]string {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	w := words{set: set, constants: map[string]*ast.BasicLit{}, takes: map[string]int{}, found: map[string]string{}}
	for _, f := range files {
		ast.Inspect(f, w.declared)
	}
	for _, f := range files {
		ast.Inspect(f, w.used)
	}
	return w.found
}

// words finds risk words in the source of a package.
type words struct {
	set       *token.FileSet
	constants map[string]*ast.BasicLit // texts by name
	takes     map[string]int           // functions with a parameter risk, and which it is
	found     map[string]string
}

func (w words) declared(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) {
				if text, ok := n.Values[i].(*ast.BasicLit); ok {
					w.constants[name.Name] = text
				}
			}
		}
	case *ast.FuncDecl:
		at := 0
		for _, field := range n.Type.Params.List {
			for _, name := range field.Names {
				if name.Name == "risk" {
					w.takes[n.Name.Name] = at
				}
				at++
			}
		}
		if slices.Contains(sayers, n.Name.Name) {
			ast.Inspect(n.Body, func(in ast.Node) bool {
				if ret, ok := in.(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
					w.take(ret.Results[0])
				}
				return true
			})
		}
	}
	return true
}

func (w words) used(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Risk" {
			w.take(n.Value)
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if field, ok := to.(*ast.SelectorExpr); ok && field.Sel.Name == "Risk" && len(n.Rhs) == len(n.Lhs) {
				w.take(n.Rhs[i])
			}
		}
	case *ast.CallExpr:
		if at, ok := w.takes[nameOf(n.Fun)]; ok && at < len(n.Args) {
			w.take(n.Args[at])
		}
	}
	return true
}

func nameOf(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// take notes a text, or the constant that is one.
func (w words) take(e ast.Expr) {
	if name, ok := e.(*ast.Ident); ok && w.constants[name.Name] != nil {
		e = w.constants[name.Name]
	}
	if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
		if word, err := strconv.Unquote(text.Value); err == nil && word != "" {
			w.found[word] = w.set.Position(text.Pos()).String()
		}
	}
}
