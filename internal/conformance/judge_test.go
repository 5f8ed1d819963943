package conformance

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drain/internal/kafkatest"
)

// judge is a running Java program that prints what Kafka's classes make of
// what it is told.
type judge struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
	log *os.File
}

// startJudge compiles a program of the folder java against the jars of a
// release and starts it.
func startJudge(t *testing.T, version, file, class string, args ...string) *judge {
	t.Helper()
	jars := filepath.Join(kafkatest.Jars(t, version), "*")
	classes := t.TempDir()
	javac := exec.CommandContext(t.Context(), "javac", "-nowarn", "-d", classes, "-cp", jars, filepath.Join("java", file))
	if out, err := javac.CombinedOutput(); err != nil {
		t.Fatalf("javac %s against Kafka %s: %v\n%s", file, version, err, out)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	argv := append([]string{"-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
		"-cp", classes + string(os.PathListSeparator) + jars, class}, args...)
	j := &judge{t: t, cmd: exec.CommandContext(t.Context(), "java", argv...), log: log}
	j.cmd.Stderr, j.cmd.SysProcAttr = log, leash()
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	j.out = bufio.NewReaderSize(out, 1<<20)
	if err := j.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = j.cmd.Process.Kill(), log.Close() })
	return j
}

// tell writes all lines and closes the input. It runs beside the reading of
// the answers, which would otherwise fill the pipe.
func (j *judge) tell(lines func(w *bufio.Writer)) <-chan error {
	done := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(j.in, 1<<16)
		lines(w)
		done <- errors.Join(w.Flush(), j.in.Close())
	}()
	return done
}

// line reads one line of the answer.
func (j *judge) line() string {
	j.t.Helper()
	text, err := j.out.ReadString('\n')
	if err != nil {
		j.t.Fatalf("the judge ends early: %v, %v\n%s", err, j.cmd.Wait(), j.stderr())
	}
	return strings.TrimSuffix(text, "\n")
}

// end waits for the end of the program.
func (j *judge) end(told <-chan error) {
	j.t.Helper()
	if err := <-told; err != nil {
		j.t.Fatalf("tell the judge: %v\n%s", err, j.stderr())
	}
	if err := j.cmd.Wait(); err != nil {
		j.t.Fatalf("the judge: %v\n%s", err, j.stderr())
	}
}

func (j *judge) stderr() string {
	text, err := os.ReadFile(j.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(text)
}
