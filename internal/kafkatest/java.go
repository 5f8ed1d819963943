package kafkatest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Main classes of the server jars.
const (
	serverClass    = "kafka.Kafka"
	formatClass    = "kafka.tools.StorageTool"
	zooKeeperClass = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
)

// smallJVM keeps a server at about 140 MB and makes it start fast: one garbage
// collector thread, no compiler that pays off only after minutes.
var smallJVM = []string{
	"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
	"-Dorg.slf4j.simpleLogger.showDateTime=true",
	"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
	// Each node would print some hundred lines of configuration at its start, and
	// one every 100 ms while it waits for the others.
	"-Dorg.slf4j.simpleLogger.log.org.apache.kafka.image.loader.MetadataLoader=warn",
	"-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaConfig=warn",
	"-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config.AbstractConfig=warn",
}

// javaCommand is the argv that runs a main class from a folder of jars. The
// class path is a wildcard, which java expands in the same order each time, as a
// class archive demands.
func javaCommand(jars string, options []string, class string, args ...string) []string {
	argv := append([]string{"java"}, smallJVM...)
	argv = append(argv, options...)
	argv = append(argv, "-cp", filepath.Join(jars, "*"), class)
	return append(argv, args...)
}

// javaBuild names the installed java, short enough for a file name: a class
// archive fits the very build that wrote it.
var javaBuild = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("java", "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("java -version: %w\n%s", err, out)
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(string(out))))
	return hex.EncodeToString(sum[:6]), nil
})
