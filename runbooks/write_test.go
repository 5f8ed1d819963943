package runbooks

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
)

func noEnv(string) (string, bool) { return "", false }

// assertReadsBack prints r and parses it again: the value must be the same.
func assertReadsBack(t *testing.T, r Runbook) {
	t.Helper()
	var text bytes.Buffer
	if err := r.WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	again, err := Parse(&text, noEnv)
	if err != nil {
		t.Fatalf("what was printed is refused: %v\n%s", err, r)
	}
	if !reflect.DeepEqual(again, r) {
		t.Fatalf("printed and parsed again:\n%+v\nwant:\n%+v\nprinted:\n%s", again, r, r)
	}
}

func TestWriteYAMLHandsOnTheErrorOfItsWriter(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	r.CloseWithError(io.ErrShortWrite)
	if err := Defaults().WriteYAML(w); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v, want the writer's error", err)
	}
}
