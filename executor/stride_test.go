package executor

import "os"

// stride is the step from one point of a crash to the next, for a test that
// would try all of them: one with DRAIN_LONG=1, the usual one otherwise, and
// more under the race detector. All are odd, so that what alternates does.
func stride(usual int) int {
	switch {
	case os.Getenv("DRAIN_LONG") == "1":
		return 1
	case raced:
		return max(usual, 27)
	}
	return usual
}
