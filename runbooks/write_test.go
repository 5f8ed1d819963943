package runbooks

import (
	"reflect"
	"strings"
	"testing"
)

func noEnv(string) (string, bool) { return "", false }

// assertReadsBack prints r and parses it again: the value must be the same.
func assertReadsBack(t *testing.T, r Runbook) {
	t.Helper()
	again, err := ParseWith(strings.NewReader(r.String()), noEnv, Options{Planned: true})
	if err != nil {
		t.Fatalf("what was printed is refused: %v\n%s", err, r)
	}
	if !reflect.DeepEqual(again, r) {
		t.Fatalf("printed and parsed again:\n%+v\nwant:\n%+v\nprinted:\n%s", again, r, r)
	}
}
