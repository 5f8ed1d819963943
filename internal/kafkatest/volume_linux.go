package kafkatest

import (
	"errors"
	"fmt"
	"syscall"
)

// mountVolume mounts a file system in memory that holds so many bytes. It takes
// the right to mount (CAP_SYS_ADMIN).
func mountVolume(dir string, bytes int64) error {
	if err := syscall.Mount("kafkatest", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, fmt.Sprintf("size=%d", bytes)); err != nil {
		return fmt.Errorf("%w: mount a volume of %d bytes on %s: %w", errNoVolume, bytes, dir, err)
	}
	return nil
}

// unmountVolume gives it back, also while a process that was killed still dies.
func unmountVolume(dir string) error {
	err := syscall.Unmount(dir, syscall.MNT_DETACH)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOENT) {
		return nil // it was never mounted
	}
	return err
}
