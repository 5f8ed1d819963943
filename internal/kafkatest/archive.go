package kafkatest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// classArchive returns an AppCDS archive of the classes that a server of the
// cluster's release loads, which halves the time of a start on few cores. The
// first call runs one server of that release to write it.
func (c *Cluster) classArchive() (string, error) {
	store, err := openCache()
	if err != nil {
		return "", err
	}
	build, err := javaBuild()
	if err != nil {
		return "", err
	}
	mode := "kraft"
	if c.spec.ZooKeeper {
		mode = "zookeeper"
	}
	name := fmt.Sprintf("%s-%s-java-%s", c.spec.Version, mode, build)
	dir, err := store.once(filepath.Join("archives", name), func(dir string) error {
		return writeArchive(filepath.Join(dir, archiveFile), c.spec)
	})
	return filepath.Join(dir, archiveFile), err
}

const archiveFile = "classes.jsa"

// writeArchive starts the smallest cluster of the release, a single node in all
// its roles, and ends it in peace: the JVM writes the archive as it leaves.
func writeArchive(file string, like Spec) error {
	root, err := os.MkdirTemp("", "kafkatest-archive-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	c, err := newCluster(root, "archive", Spec{
		Version: like.Version, Brokers: Brokers(1), Combined: !like.ZooKeeper, ZooKeeper: like.ZooKeeper,
	})
	if err != nil {
		return err
	}
	defer os.RemoveAll(c.logs)
	defer c.close()
	c.options = []string{"-XX:ArchiveClassesAtExit=" + file}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := c.up(ctx); err != nil {
		return err
	}
	if err := c.signal(1, terminate); err != nil {
		return err
	}
	if err := c.WaitExit(1, time.Minute); err != nil {
		return err
	}
	_, err = os.Stat(file)
	return err
}
