package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// startZooKeeper starts one ZooKeeper and waits until its port answers. Its ticks
// are short, so that the brokers' session timeout of 3 s is within what it
// grants (2 to 20 ticks).
func (c *Cluster) startZooKeeper(ctx context.Context) error {
	home := filepath.Join(c.root, "zookeeper")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	file := filepath.Join(home, "zoo.cfg")
	config := propertiesText(map[string]string{
		"dataDir": filepath.Join(home, "data"), "tickTime": "500", "admin.enableServer": "false",
		"clientPort": fmt.Sprint(c.zookeeperPort), "clientPortAddress": "127.0.0.1",
		"maxClientCnxns": "0",
	})
	if err := os.WriteFile(file, config, 0o644); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(c.logs, "zookeeper.log"))
	if err != nil {
		return err
	}
	defer out.Close() // the child has its own descriptor
	c.zookeeper, err = startProcess(home, javaCommand(c.jars, nil, zooKeeperClass, file), out, out)
	if err != nil {
		return err
	}
	return poll(ctx, "zookeeper to answer", func() error {
		conn, err := net.Dial("tcp", loopback(c.zookeeperPort))
		if err != nil {
			return err
		}
		return conn.Close()
	})
}

// learnID asks for the cluster's id, which in ZooKeeper mode the brokers choose.
func (c *Cluster) learnID(ctx context.Context) error {
	resp, err := ask[*kmsg.MetadataResponse](ctx, c, c.Brokers()[0], kmsg.NewPtrMetadataRequest())
	if err != nil {
		return err
	}
	if resp.ClusterID == nil {
		return errors.New("the cluster has no id")
	}
	c.id = *resp.ClusterID
	return nil
}
