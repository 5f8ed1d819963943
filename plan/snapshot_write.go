package plan

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// The snapshot form as it is written. It is read by snapshotReader, without
// these.
type snapshotJSON struct {
	Version int          `json:"version"`
	TakenAt *time.Time   `json:"takenAt,omitempty"`
	Cluster clusterJSON  `json:"cluster"`
	Brokers []brokerJSON `json:"brokers"`
	Notes   []Finding    `json:"notes,omitempty"`
	Topics  []topicJSON  `json:"topics"` // last, so that it can be written by stream
}

type clusterJSON struct {
	ID              string          `json:"id,omitempty"`
	Mode            string          `json:"mode,omitempty"`
	ControllerID    *int32          `json:"controllerId,omitempty"`
	Release         string          `json:"release,omitempty"`
	MetadataVersion int             `json:"metadataVersion,omitempty"`
	ELR             bool            `json:"elr"`
	MinISRDefault   int             `json:"minInsyncReplicasDefault,omitempty"`
	UncleanDefault  json.RawMessage `json:"uncleanDefault,omitempty"`
	Quorum          *quorumJSON     `json:"quorum,omitempty"`
	Releases        []string        `json:"releases,omitempty"`
	Heard           []heardJSON     `json:"heard,omitempty"`
	Throttle        throttleJSON    `json:"throttle,omitzero"`
}

type throttleJSON struct {
	Leader   int64 `json:"leader,omitempty"`
	Follower int64 `json:"follower,omitempty"`
}

type quorumJSON struct {
	LeaderID int32       `json:"leaderId"`
	Voters   []voterJSON `json:"voters"`
	Lagging  []int32     `json:"lagging"`
}

type heardJSON struct {
	ID int32     `json:"id"`
	At time.Time `json:"at"`
}

type voterJSON struct {
	ID   int32  `json:"id"`
	Host string `json:"host,omitempty"`
}

type brokerJSON struct {
	ID       int32        `json:"id"`
	Rack     *string      `json:"rack"`
	Host     string       `json:"host,omitempty"`
	Port     int32        `json:"port,omitempty"`
	State    string       `json:"state,omitempty"`
	Cordoned bool         `json:"cordoned,omitempty"`
	Capacity *int64       `json:"capacityBytes,omitempty"`
	Usable   *int64       `json:"usableBytes,omitempty"`
	LogDirs  []logDirJSON `json:"logDirs,omitempty"`
	Throttle throttleJSON `json:"throttle,omitzero"`
}

type logDirJSON struct {
	Path     string `json:"path"`
	Total    *int64 `json:"totalBytes,omitempty"`
	Usable   *int64 `json:"usableBytes,omitempty"`
	Offline  bool   `json:"offline,omitempty"`
	Replicas int    `json:"replicas"`
}

type topicJSON struct {
	Name       string            `json:"name"`
	ID         string            `json:"id,omitempty"`
	Configs    map[string]string `json:"configs,omitempty"`
	Partitions []partitionJSON   `json:"partitions"`
}

type partitionJSON struct {
	Partition    int32   `json:"partition"`
	Leader       *int32  `json:"leader"`
	LeaderEpoch  *int32  `json:"leaderEpoch,omitempty"`
	Replicas     []int32 `json:"replicas"`
	ISR          []int32 `json:"isr"`
	ELR          []int32 `json:"elr,omitempty"`
	LastKnownELR []int32 `json:"lastKnownElr,omitempty"`
	Adding       []int32 `json:"adding,omitempty"`
	Removing     []int32 `json:"removing,omitempty"`
	Offline      []int32 `json:"offline,omitempty"`
	Size         *int64  `json:"sizeBytes,omitempty"`
}

// WriteSnapshot writes a cluster in the snapshot form, a partition a line.
func WriteSnapshot(w io.Writer, c Cluster) error {
	out := bufio.NewWriterSize(w, 1<<16)
	head := snapshotJSON{Version: 1, Cluster: c.headJSON(), Brokers: []brokerJSON{}}
	if !c.TakenAt.IsZero() {
		head.TakenAt = &c.TakenAt
	}
	head.Notes = append(head.Notes, c.Notes...)
	for _, b := range c.Brokers {
		head.Brokers = append(head.Brokers, b.json())
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	out.Write(text[:len(text)-len("null}")])
	out.WriteString("[")
	for t := range c.Topics {
		if t > 0 {
			out.WriteString(",")
		}
		if err := c.writeTopic(out, t); err != nil {
			return err
		}
	}
	out.WriteString("]}\n")
	return out.Flush()
}

func (c *Cluster) writeTopic(out *bufio.Writer, t int) error {
	topic := &c.Topics[t]
	text, err := json.Marshal(topicJSON{Name: topic.Name, ID: FormatTopicID(topic.ID), Configs: topic.Configs, Partitions: []partitionJSON{}})
	if err != nil {
		return err
	}
	out.WriteString("\n")
	out.Write(text[:len(text)-len("]}")])
	var line []byte
	for i := topic.First; i < topic.First+topic.Count; i++ {
		if i > topic.First {
			out.WriteString(",")
		}
		line = appendPartition(line[:0], c.Partition(i))
		out.Write(line)
	}
	out.WriteString("]}")
	return nil
}

func appendPartition(b []byte, v PartitionView) []byte {
	b = strconv.AppendInt(append(b, "\n{\"partition\":"...), int64(v.Number), 10)
	b = strconv.AppendInt(append(b, `,"leader":`...), int64(v.Leader), 10)
	if v.LeaderEpoch >= 0 {
		b = strconv.AppendInt(append(b, `,"leaderEpoch":`...), int64(v.LeaderEpoch), 10)
	}
	b = appendIDs(append(b, `,"replicas":`...), v.Replicas)
	b = appendIDs(append(b, `,"isr":`...), v.ISR)
	for _, l := range []struct {
		key string
		ids []int32
	}{{"elr", v.ELR}, {"lastKnownElr", v.LastKnownELR}, {"adding", v.Adding}, {"removing", v.Removing}, {"offline", v.Offline}} {
		if len(l.ids) > 0 {
			b = appendIDs(append(append(append(b, `,"`...), l.key...), `":`...), l.ids)
		}
	}
	if v.SizeBytes >= 0 {
		b = strconv.AppendInt(append(b, `,"sizeBytes":`...), v.SizeBytes, 10)
	}
	return append(b, '}')
}

func appendIDs(b []byte, ids []int32) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']')
}

func (c *Cluster) headJSON() clusterJSON {
	j := clusterJSON{ID: c.ID, Mode: "kraft", ControllerID: known(c.ControllerID), Release: c.Release, Releases: c.Releases, MetadataVersion: c.MetadataVersion,
		ELR: c.ELR, MinISRDefault: c.MinISRDefault, UncleanDefault: json.RawMessage([...]string{"false", "true", "null"}[c.UncleanDefault]), Throttle: throttleJSON(c.Throttle)}
	if c.Mode == ZooKeeper {
		j.Mode = "zookeeper"
	}
	if q := c.Quorum; q != nil {
		j.Quorum = &quorumJSON{LeaderID: q.LeaderID, Voters: []voterJSON{}, Lagging: append([]int32{}, q.Lagging...)}
		for _, v := range q.Voters {
			j.Quorum.Voters = append(j.Quorum.Voters, voterJSON(v))
		}
	}
	for _, h := range c.Heard {
		j.Heard = append(j.Heard, heardJSON(h))
	}
	return j
}

func (b *Broker) json() brokerJSON {
	j := brokerJSON{ID: b.ID, Host: b.Host, Port: b.Port, State: b.State.String(), Cordoned: b.Cordoned, Capacity: orNil(b.CapacityBytes), Usable: orNil(b.UsableBytes), Throttle: throttleJSON(b.Throttle)}
	if b.Rack != "" {
		j.Rack = &b.Rack
	}
	for _, l := range b.LogDirs {
		j.LogDirs = append(j.LogDirs, logDirJSON{l.Path, orNil(l.TotalBytes), orNil(l.UsableBytes), l.Offline, l.Replicas})
	}
	return j
}

func orNil(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}
