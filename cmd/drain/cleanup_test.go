package main

import (
	"strings"
	"testing"
)

// A restore of the last run said "Restored." while what the one before it had
// moved was still away.
func TestARestoreSaysWhatIsStillAway(t *testing.T) {
	t.Parallel()
	for waiting, want := range map[int]string{
		0: "Restored.\n",
		1: "The last run is restored, and what 1 earlier run moved is still away: run `drain restore a.yaml` again.\n",
	} {
		var out strings.Builder
		if writeRestored(&out, waiting, "a.yaml"); out.String() != want {
			t.Errorf("%d waiting: got %q, want %q", waiting, out.String(), want)
		}
	}
}
