package simkafka

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

func TestACordonedBrokerReceivesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, release string
		level         int16
		set           *kerr.Error // the answer to setting it
		cordoned      bool        // as DescribeLogDirs shows it
		reassign      int16       // onto it
	}{
		{name: "4.4", release: "4.4", cordoned: true, reassign: kerr.InvalidReplicaAssignment.Code},
		{name: "4.3.1 does not check targets", release: "4.3.1", cordoned: true},
		{name: "4.3.2 does", release: "4.3.2", cordoned: true, reassign: kerr.InvalidReplicaAssignment.Code},
		{name: "4.4 at an older metadata.version refuses", release: "4.4", level: 29, set: kerr.InvalidConfig},
		{name: "4.2 takes it, and it does nothing", release: "4.2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := trio()
			s.Release, s.MetadataVersion = test.release, test.level
			simulated(t, s, func(t *testing.T, r *rig) {
				err := r.SetBrokerConfig(3, cordonedDirs, new("*"))
				if (test.set == nil) != (err == nil) || test.set != nil && !errors.Is(err, test.set) {
					t.Fatalf("set: got %v, want %v", err, test.set)
				}
				if got := r.dirs(3)[defaultDir.Path].IsCordoned; got != test.cordoned {
					t.Errorf("cordoned: got %v", got)
				}
				if got := r.alter("log", 0, []int32{3}); got != test.reassign {
					t.Errorf("reassign: got %d, want %d", got, test.reassign)
				}
				topic, err := r.adm.CreateTopic(t.Context(), 20, 1, nil, "new")
				must(t, errors.Join(err, topic.Err))
				if got := r.held(3, "new"); (got == 0) != test.cordoned {
					t.Errorf("replicas of 20 new partitions on the broker: %d", got)
				}
				topic, err = r.adm.CreateTopic(t.Context(), 1, 3, nil, "wide")
				if test.cordoned != errors.Is(err, kerr.InvalidReplicationFactor) {
					t.Errorf("a factor of all brokers: %v, %v", topic.Err, err)
				}
			})
		})
	}
}

func TestACordonNamesItsDirsAsTheyAreSpelt(t *testing.T) {
	t.Parallel()
	s := Spec{Brokers: []Broker{{ID: 1, Dirs: []Dir{{Path: "/a", Bytes: 1}, {Path: "/b", Bytes: 1}}}}}
	simulated(t, s, func(t *testing.T, r *rig) {
		if err := r.SetBrokerConfig(1, cordonedDirs, new("/a/")); !errors.Is(err, kerr.InvalidRequest) {
			t.Errorf("another spelling: %v", err)
		}
		must(t, r.SetBrokerConfig(1, cordonedDirs, new("/b")))
		if d := r.dirs(1); d["/a"].IsCordoned || !d["/b"].IsCordoned {
			t.Errorf("cordoned: /a %v, /b %v", d["/a"].IsCordoned, d["/b"].IsCordoned)
		}
	})
}

// held counts the logs of a topic on a broker.
func (r *rig) held(broker int32, topic string) int {
	n := 0
	for _, d := range r.dirs(broker) {
		for _, t := range d.Topics {
			if t.Topic == topic {
				n += len(t.Partitions)
			}
		}
	}
	return n
}
