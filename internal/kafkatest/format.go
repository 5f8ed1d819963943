package kafkatest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// formatted returns a metadata dir as StorageTool writes it, without the names
// of a cluster and a node. It depends on the release and the format arguments
// alone, so that the second of JVM time is spent once for each of these.
func (c cache) formatted(jars, version string, args []string) (string, error) {
	sum := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	name := fmt.Sprintf("%s-%s", version, hex.EncodeToString(sum[:6]))
	return c.once(filepath.Join("formatted", name), func(dir string) error {
		file := filepath.Join(dir, "format.properties")
		props := propertiesText(map[string]string{
			"log.dirs": dir, "node.id": "100", "process.roles": "controller",
			"controller.quorum.voters":  "100@127.0.0.1:9093",
			"controller.listener.names": "CONTROLLER", "listeners": "CONTROLLER://127.0.0.1:9093",
		})
		if err := os.WriteFile(file, props, 0o644); err != nil {
			return err
		}
		command := javaCommand(jars, nil, formatClass,
			append([]string{"format", "-t", randomUUID(), "-c", file}, args...)...)
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("format for kafka %s with %q: %w\n%s", version, args, err, out)
		}
		return errors.Join(os.Remove(file), os.Remove(filepath.Join(dir, metaFile)))
	})
}

// format gives a node its log dirs: the first is a copy of the formatted one,
// and each has the node's own meta.properties. Without a formatted one, a
// broker's first start does all of that.
func (n *node) format(formatted, clusterID string) error {
	if formatted == "" {
		return os.MkdirAll(n.home, 0o755)
	}
	for i, dir := range n.dirs() {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if i == 0 {
			if err := os.CopyFS(dir, os.DirFS(formatted)); err != nil {
				return err
			}
		}
		meta := propertiesText(map[string]string{
			"version": "1", "cluster.id": clusterID,
			"node.id": fmt.Sprint(n.id), "directory.id": randomUUID(),
		})
		if err := os.WriteFile(filepath.Join(dir, metaFile), meta, 0o644); err != nil {
			return err
		}
	}
	return nil
}

const metaFile = "meta.properties"

// randomUUID is a UUID in Kafka's own form: 16 bytes in base64 for URLs, never
// with a leading dash, which command lines would take for a flag.
//
// Source: org.apache.kafka.common.Uuid.randomUuid.
func randomUUID() string {
	for {
		var b [16]byte
		rand.Read(b[:])
		if s := base64.RawURLEncoding.EncodeToString(b[:]); s[0] != '-' {
			return s
		}
	}
}
