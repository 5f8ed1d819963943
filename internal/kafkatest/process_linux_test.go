package kafkatest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestAChildDiesWithATestThatIsKilled runs itself once more as a test that
// starts a child and is killed before any cleanup.
func TestAChildDiesWithATestThatIsKilled(t *testing.T) {
	if os.Getenv("KAFKATEST_VICTIM") == "1" {
		p, err := startProcess(os.TempDir(), []string{"sleep", "600"}, io.Discard, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(p.pid())
		<-p.done
		return
	}
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	victim := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	victim.Env = append(os.Environ(), "KAFKATEST_VICTIM=1", "TMPDIR="+t.TempDir())
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child := strings.TrimSpace(line)
	if !runs(child) {
		t.Fatalf("child %q does not run", child)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // it was killed
	err = poll(ctx, "the child to die", func() error {
		if runs(child) {
			return fmt.Errorf("child %s runs on", child)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// runs tells whether a process is there and is no zombie, which an orphan stays
// under an init that reaps none.
func runs(pid string) bool {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	return err == nil && !strings.Contains(string(status), "State:\tZ")
}
