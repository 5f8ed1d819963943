package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"drain/runbooks"
)

func TestASecretComesFromWhereTheRunbookSays(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("from $file\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	s := &session{system: system{stderr: &errs, getenv: func(name string) (string, bool) { return "from $$" + name, name == "SECRET" }}}
	for _, tc := range []struct {
		name, want string
		from       runbooks.SASL
	}{
		{"a file, without its line end", "from $file", runbooks.SASL{PasswordFile: file}},
		{"a variable, as it is", "from $$SECRET", runbooks.SASL{PasswordEnv: "SECRET"}},
		{"a command's first line", "from command", runbooks.SASL{PasswordCommand: []string{"printf", `from command\nand more`}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.secret(t.Context(), tc.from)
			if err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	for name, from := range map[string]runbooks.SASL{
		"nothing": {}, "no such file": {PasswordFile: file + "x"}, "not set": {PasswordEnv: "OTHER"}, "fails": {PasswordCommand: []string{"false"}}, "empty": {PasswordCommand: []string{"true"}},
	} {
		if got, err := s.secret(t.Context(), from); err == nil || got != "" {
			t.Errorf("%s: got %q, want an error", name, got)
		}
	}
}
