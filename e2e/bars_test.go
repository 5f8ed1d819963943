package e2e_test

import (
	"os"
	"testing"
)

// bar fails the test for a figure that was not reached, where the machine does
// nothing else (DRAIN_BARS=1, make bars). Elsewhere it is told: a test's verdict
// must not hang on what else a machine does.
func bar(t *testing.T, ok bool, format string, args ...any) {
	t.Helper()
	switch {
	case ok:
	case os.Getenv("DRAIN_BARS") == "1":
		t.Errorf(format, args...)
	default:
		t.Logf("a bar was missed on this machine: "+format, args...)
	}
}
