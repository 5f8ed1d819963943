package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// system is what surrounds the program, so that tests can stand in for it.
type system struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) (string, bool)
}

// env is the value of an environment variable, empty if it is not set.
func (s system) env(name string) string {
	v, _ := s.getenv(name)
	return v
}

// isTerminal says that a stream is a character device that lines can be redrawn
// on.
func (s system) isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok || s.env("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device too
	return err != nil || !os.SameFile(info, null)
}

// main runs one command line and returns the exit code.
func (s system) main(ctx context.Context, argv []string) int {
	ctx, release := withSignals(ctx)
	defer release()
	err := s.run(ctx, argv)
	s.complain(err)
	return exitCode(err)
}

// defaultStateDir is where journals lie: DRAIN_STATE_DIR, else
// $XDG_STATE_HOME/drain, else as root /var/lib/drain, else ~/.local/state/drain.
func (s system) defaultStateDir() string {
	if dir := s.env("DRAIN_STATE_DIR"); dir != "" {
		return dir
	}
	if dir := s.env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "drain")
	}
	if os.Geteuid() == 0 {
		return "/var/lib/drain"
	}
	return filepath.Join(s.env("HOME"), ".local", "state", "drain")
}
