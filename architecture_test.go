// Package drain_test holds what is checked of the project as a whole.
package drain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says what each package may import of ours. It is the map of
// docs/ARCHITECTURE.md; a package that is not here may not be imported by the
// product.
var arrows = map[string][]string{
	"drain/election":          {},
	"drain/plan":              {"drain/election"},
	"drain/runbooks":          {},
	"drain/reassign":          {"drain/plan"},
	"drain/executor":          {"drain/election", "drain/plan", "drain/runbooks", "drain/reassign", "drain/executor/child"},
	"drain/executor/child":    {},
	"drain/internal/kafka":    {"drain/plan", "drain/reassign"},
	"drain/internal/simkafka": {"drain/plan", "drain/election"},
	"drain/cmd/drain": {
		"drain/election", "drain/plan", "drain/runbooks", "drain/reassign", "drain/executor", "drain/executor/child",
		"drain/internal/kafka", "drain/internal/simkafka",
	},
}

// pure are the packages that decide and do not act.
var pure = []string{"drain/election", "drain/plan", "drain/runbooks"}

// acting are the standard packages that no pure one may import.
var acting = []string{"context", "os", "net", "log/slog", "math/rand", "math/rand/v2"}

// clients are the Kafka client modules, and who may import them.
var clients = map[string][]string{
	"github.com/twmb/franz-go/pkg/kgo":   {"drain/internal/kafka", "drain/internal/kafkatest"},
	"github.com/twmb/franz-go/pkg/kadm":  {"drain/internal/kafka", "drain/internal/kafkatest"},
	"github.com/twmb/franz-go/pkg/kmsg":  {"drain/internal/kafka", "drain/internal/simkafka", "drain/internal/kafkatest"},
	"github.com/twmb/franz-go/pkg/kfake": {"drain/internal/simkafka"},
}

type goPackage struct {
	ImportPath, Name, Doc string
	Imports, GoFiles      []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Doc,Imports,GoFiles", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsFollowTheMap(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		allowed, known := arrows[p.ImportPath]
		if !known {
			continue // it serves tests, or measures
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "drain/") && !slices.Contains(allowed, imported) {
				t.Errorf("%s imports %s: the map allows only %v", p.ImportPath, imported, allowed)
			}
		}
	}
}

func TestEveryPackageOfTheMapIsThere(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for path := range arrows {
		if !slices.ContainsFunc(all, func(p goPackage) bool { return p.ImportPath == path }) {
			t.Errorf("%s is in the map, and not in the tree", path)
		}
	}
}

func TestPurePackagesDoNotAct(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.ImportPath) {
			continue
		}
		for _, imported := range p.Imports {
			if slices.Contains(acting, imported) {
				t.Errorf("%s is pure and imports %s", p.ImportPath, imported)
			}
		}
	}
}

func TestOnlyTheAdapterKnowsTheClient(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for client, may := range clients {
			if slices.Contains(p.Imports, client) && !within(p.ImportPath, may) {
				t.Errorf("%s imports %s: only %v may", p.ImportPath, client, may)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" { // a folder of tests only has none

			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func within(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+"/")
	})
}
