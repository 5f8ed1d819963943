package simkafka

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"drain/plan"
)

// StopBroker asks the simulated cluster behind addr, from another process, to
// shut a broker down in order, and returns once its process is gone. The
// address is that of [Cluster.ControlAddr].
func StopBroker(addr string, broker int32) error {
	conn, err := net.Dial("unix", addr)
	if err != nil {
		return fmt.Errorf("stop simulated broker %d: %w", broker, err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "stop %d\n", broker); err != nil {
		return fmt.Errorf("stop simulated broker %d: %w", broker, err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("stop simulated broker %d: %w", broker, err)
	}
	if answer = strings.TrimSpace(answer); answer != "stopped" {
		return fmt.Errorf("stop simulated broker %d: %s", broker, answer)
	}
	return nil
}

// openControl makes the temporary folder and listens in it for StopBroker, on a
// socket that only this user can reach.
func (c *Cluster) openControl() error {
	dir, err := os.MkdirTemp("", "drain-")
	if err != nil {
		return fmt.Errorf("folder of the simulated cluster: %w", err)
	}
	c.dir = dir
	l, err := net.Listen("unix", filepath.Join(dir, "control"))
	if err != nil {
		return fmt.Errorf("control address of the simulated cluster: %w", err)
	}
	c.control = l
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.obey(conn)
		}
	}()
	return nil
}

// ControlAddr is what DRAIN_SIMULATED holds for children; empty on a virtual
// network.
func (c *Cluster) ControlAddr() string {
	if c.control == nil {
		return ""
	}
	return c.control.Addr().String()
}

// TempDir is a folder that lives as long as the cluster; empty on a virtual
// network.
func (c *Cluster) TempDir() string { return c.dir }

func (c *Cluster) obey(conn net.Conn) {
	defer conn.Close()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	answer := "stopped"
	if err := c.stopped(strings.TrimSpace(line)); err != nil {
		answer = err.Error()
	}
	fmt.Fprintln(conn, answer)
}

// stopped shuts the broker down and waits until its process is gone.
func (c *Cluster) stopped(order string) error {
	number, ok := strings.CutPrefix(order, "stop ")
	id, err := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil {
		return fmt.Errorf("%q is no order", order)
	}
	var b *broker
	gone := make(chan struct{})
	c.do(func(m *model) {
		if b = m.brokers[int32(id)]; b == nil || !b.running {
			close(gone)
			return
		}
		m.terminate(b)
		m.after(m.timing.Shutdown, func() { close(gone) })
	})
	select {
	case <-gone:
	case <-c.gone:
		return errors.New("the simulated cluster has ended")
	}
	if b == nil {
		return fmt.Errorf("there is no broker %d", id)
	}
	if s := c.BrokerState(b.id); s == plan.Alive {
		return fmt.Errorf("broker %d is up again", id)
	}
	return nil
}
