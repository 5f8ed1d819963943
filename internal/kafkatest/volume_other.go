//go:build !linux

package kafkatest

import "fmt"

// mountVolume is for Linux.
func mountVolume(dir string, bytes int64) error {
	return fmt.Errorf("%w: a volume of %d bytes on %s: only Linux can", errNoVolume, bytes, dir)
}

func unmountVolume(string) error { return nil }
