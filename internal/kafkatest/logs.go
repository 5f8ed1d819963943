package kafkatest

import (
	"bytes"
	"os"
	"path/filepath"
)

// tailLines is how much of each log a failed test prints.
const tailLines = 15

// reportLogs prints where the servers' logs are and how they end.
func (c *Cluster) reportLogs() {
	c.t.Logf("the servers' logs are kept in %s", c.logs)
	files, _ := filepath.Glob(filepath.Join(c.logs, "*.log"))
	for _, file := range files {
		c.t.Logf("end of %s:\n%s", filepath.Base(file), tail(file, tailLines))
	}
}

// tail returns the last n lines of a file, or why it cannot.
func tail(file string, n int) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-n):], []byte("\n"))
}
