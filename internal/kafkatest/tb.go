package kafkatest

import (
	"context"
	"os"
	"os/exec"
)

// TB is the part of testing.TB that a cluster needs; *testing.T has it. A
// program that is no test brings its own.
type TB interface {
	Helper()
	Name() string
	Context() context.Context // done when the test ends, before its cleanups run
	TempDir() string
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// Need skips the test when java or mvn is not on the PATH, since no broker can
// be started then. With DRAIN_REQUIRE_KAFKA=1 it fails the test instead, so that
// a CI that lost its JDK does not pass by skipping.
func Need(t TB) {
	t.Helper()
	for _, tool := range []string{"java", "mvn"} {
		_, err := exec.LookPath(tool)
		switch {
		case err == nil:
		case os.Getenv("DRAIN_REQUIRE_KAFKA") == "1":
			t.Fatalf("real Kafka is required (DRAIN_REQUIRE_KAFKA=1), and %s is missing: %v", tool, err)
		default:
			t.Skipf("real Kafka needs java and mvn: %v", err)
		}
	}
}
