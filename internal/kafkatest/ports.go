package kafkatest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Ports come from below the range from which the kernel picks the ports of
// outgoing connections, else a client could sit on a broker's port while that
// broker is down.
const (
	lowestPort  = 20000
	highestPort = 31999
)

// ports claims loopback ports for the life of a cluster. A claim is a file lock
// in a folder that all test processes of the host share, so that a port stays
// ours while its broker is stopped.
type ports struct{ claims []*flock.Flock }

// claim returns a port that is free and that no other cluster has claimed.
func (p *ports) claim() (int, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("kafkatest-ports-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	for range 200 {
		port := lowestPort + rand.IntN(highestPort-lowestPort+1)
		lock := flock.New(filepath.Join(dir, fmt.Sprint(port)))
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue
		}
		if l, err := net.Listen("tcp", loopback(port)); err == nil {
			p.claims = append(p.claims, lock)
			return port, l.Close()
		}
		lock.Close()
	}
	return 0, fmt.Errorf("no free port between %d and %d after 200 tries", lowestPort, highestPort)
}

// release gives all ports back.
func (p *ports) release() {
	for _, c := range p.claims {
		c.Close()
	}
	p.claims = nil
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
