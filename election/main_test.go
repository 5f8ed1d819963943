package election

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets the properties try more than rapid's hundred inputs, since a
// prediction takes microseconds. -rapid.checks on the command line wins.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "2000", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
