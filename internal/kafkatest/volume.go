package kafkatest

import (
	"errors"
	"fmt"
	"os"
)

// errNoVolume is a broker whose log dir was to be on a volume of its own, where
// none can be mounted: the test is skipped.
var errNoVolume = errors.New("no volume of its own")

// mount puts the first log dir of the node on a volume of its own, if the spec
// asks for one.
func (n *node) mount() error {
	if n.volume == 0 {
		return nil
	}
	dir := n.dirs()[0]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return mountVolume(dir, n.volume)
}

func (n *node) unmount() error {
	if n.volume == 0 || n.home == "" {
		return nil
	}
	if err := unmountVolume(n.dirs()[0]); err != nil {
		return fmt.Errorf("unmount the log dir of node %d: %w", n.id, err)
	}
	return nil
}
