package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is the module's version, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

func versionVerb() verb {
	return verb{
		name: "version", usage: "print the version",
		act: func(_ context.Context, s *session) error {
			if s.output == "json" {
				return json.NewEncoder(s.stdout).Encode(map[string]string{"version": version(), "go": runtime.Version()})
			}
			_, err := fmt.Fprintf(s.stdout, "drain %s (%s)\n", version(), runtime.Version())
			return err
		},
	}
}
