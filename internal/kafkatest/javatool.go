package kafkatest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// JavaTool runs one of Kafka's own commands, such as
// org.apache.kafka.tools.TopicCommand, against the judge's listeners and returns
// its standard output. The bootstrap servers are added to args. The error holds
// both outputs; the JVM's start alone takes about a second.
func (c *Cluster) JavaTool(ctx context.Context, class string, args ...string) (string, error) {
	c.t.Helper()
	argv := c.toolCommand(class, append([]string{"--bootstrap-server", strings.Join(c.JudgeBootstrap(), ",")}, args...)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %q: %w\n%s%s", class, args, err, &out, &errOut)
	}
	return out.String(), nil
}

// JavaReassign runs Kafka's kafka-reassign-partitions with the given plan, in the
// JSON form of that tool, and further arguments such as "--execute", "--throttle",
// "1500000" or "--verify". It needs Kafka 2.6, whose tool was the first without
// ZooKeeper.
func (c *Cluster) JavaReassign(ctx context.Context, plan []byte, args ...string) (string, error) {
	c.t.Helper()
	file, err := os.CreateTemp(c.root, "plan-*.json")
	if err != nil {
		return "", err
	}
	defer file.Close()
	if _, err := file.Write(plan); err != nil {
		return "", err
	}
	class := "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
	if c.spec.before(3, 7) { // where KAFKA-14595 moved it
		class = "kafka.admin.ReassignPartitionsCommand"
	}
	return c.JavaTool(ctx, class, append([]string{"--reassignment-json-file", file.Name()}, args...)...)
}

// toolCommand is the argv of a main class of the tools, or of the server jars
// where that one lived there.
func (c *Cluster) toolCommand(class string, args ...string) []string {
	c.t.Helper()
	jars := c.jars
	if strings.HasPrefix(class, "org.apache.kafka.tools.") {
		jars = ToolJars(c.t, c.spec.Version)
	}
	return javaCommand(jars, []string{"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"}, class, args...)
}

// javaConfig writes a properties file for a Java client at the client listener.
func (c *Cluster) javaConfig(name string, extra map[string]string) (string, error) {
	p := c.javaClient()
	for key, value := range extra {
		p[key] = value
	}
	file := filepath.Join(c.root, name)
	return file, os.WriteFile(file, propertiesText(p), 0o600)
}
