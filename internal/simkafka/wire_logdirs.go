package simkafka

import (
	"cmp"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// describeLogDirs is what the asked broker has on its own disks. It takes no
// topic right: hidden topics are listed.
func (q *question) describeLogDirs(req *kmsg.DescribeLogDirsRequest, resp *kmsg.DescribeLogDirsResponse) {
	asked := map[string][]int32{}
	for _, t := range req.Topics {
		asked[t.Topic] = t.Partitions
	}
	for _, d := range q.at.dirs {
		out := kmsg.NewDescribeLogDirsResponseDir()
		out.Dir, out.TotalBytes, out.UsableBytes = d.path, d.total, q.usable(q.at, d)
		out.IsCordoned = q.cordonedDir(q.at, d)
		if d.offline {
			out.ErrorCode, out.TotalBytes, out.UsableBytes = kerr.KafkaStorageError.Code, -1, -1
		} else {
			out.Topics = q.logsIn(d, func(p *partition) bool {
				numbers, named := asked[p.topic.name]
				return req.Topics == nil || named && slices.Contains(numbers, p.number)
			})
		}
		resp.Dirs = append(resp.Dirs, out)
	}
}

func (q *question) logsIn(d *dir, wanted func(*partition) bool) []kmsg.DescribeLogDirsResponseDirTopic {
	var topics []kmsg.DescribeLogDirsResponseDirTopic
	for _, p := range sortedLogs(q.at) {
		if q.at.logs[p].dir != d || !wanted(p) {
			continue
		}
		if len(topics) == 0 || topics[len(topics)-1].Topic != p.topic.name {
			t := kmsg.NewDescribeLogDirsResponseDirTopic()
			t.Topic = p.topic.name
			topics = append(topics, t)
		}
		at := kmsg.NewDescribeLogDirsResponseDirTopicPartition()
		at.Partition, at.Size = p.number, q.logSize(q.at, p)
		last := &topics[len(topics)-1]
		last.Partitions = append(last.Partitions, at)
	}
	return topics
}

func sortedLogs(b *broker) []*partition {
	return slices.SortedFunc(maps.Keys(b.logs), func(x, y *partition) int {
		return cmp.Or(cmp.Compare(x.topic.name, y.topic.name), cmp.Compare(x.number, y.number))
	})
}

func refuseDescribeLogDirs(_ *kmsg.DescribeLogDirsRequest, resp *kmsg.DescribeLogDirsResponse, code int16) {
	resp.ErrorCode = code
}

// alterReplicaLogDirs moves a log between the dirs of the asked broker, at
// once. For a replica that is not there the dir is remembered, and the answer
// is an error all the same.
func (q *question) alterReplicaLogDirs(req *kmsg.AlterReplicaLogDirsRequest, resp *kmsg.AlterReplicaLogDirsResponse) {
	for _, d := range req.Dirs {
		for _, t := range d.Topics {
			out := kmsg.NewAlterReplicaLogDirsResponseTopic()
			out.Topic = t.Topic
			for _, number := range t.Partitions {
				at := kmsg.NewAlterReplicaLogDirsResponseTopicPartition()
				at.Partition = number
				at.ErrorCode, _ = q.moveLog(d.Dir, plan.TopicPartition{Topic: t.Topic, Partition: number}).parts()
				out.Partitions = append(out.Partitions, at)
			}
			resp.Topics = append(resp.Topics, out)
		}
	}
}

func (q *question) moveLog(path string, tp plan.TopicPartition) *refusal {
	if no := q.spoilt(tp); no != nil {
		return no
	}
	to := q.at.dir(path)
	switch {
	case to == nil:
		return refuse(kerr.LogDirNotFound, "")
	case to.offline:
		return refuse(kerr.KafkaStorageError, "")
	case q.cordonedDir(q.at, to):
		return refuse(kerr.InvalidReplicaAssignment, "")
	}
	p := q.partition(tp.Topic, tp.Partition)
	if p == nil || q.at.logs[p] == nil {
		q.at.named[tp] = to
		return refuse(kerr.ReplicaNotAvailable, "")
	}
	q.at.logs[p].moveTo(to)
	q.copying.stale = true // a log on a failed disk may be copied again
	return nil
}

func refuseAlterReplicaLogDirs(req *kmsg.AlterReplicaLogDirsRequest, resp *kmsg.AlterReplicaLogDirsResponse, code int16) {
	for _, d := range req.Dirs {
		for _, t := range d.Topics {
			out := kmsg.NewAlterReplicaLogDirsResponseTopic()
			out.Topic = t.Topic
			for _, number := range t.Partitions {
				at := kmsg.NewAlterReplicaLogDirsResponseTopicPartition()
				at.Partition, at.ErrorCode = number, code
				out.Partitions = append(out.Partitions, at)
			}
			resp.Topics = append(resp.Topics, out)
		}
	}
}
