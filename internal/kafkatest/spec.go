package kafkatest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// DefaultVersion is the Kafka release that a Spec without a version starts.
const DefaultVersion = "4.4.0"

// Spec says what cluster to start. Its zero value is three brokers without racks
// and one controller, of DefaultVersion, in plain text.
type Spec struct {
	Version string   // release of Kafka, such as "3.9.2"; "" is DefaultVersion
	Brokers []Broker // none is Brokers(3)

	// Controllers is the number of quorum voters: 1 (also for 0) or 3. They are
	// processes of their own with the ids 100, 101, 102, unless Combined makes
	// the first brokers controllers too.
	Controllers int
	Combined    bool

	// ZooKeeper starts one ZooKeeper instead of controllers; versions before 4.0.
	ZooKeeper bool

	Config map[string]string // server properties of every node; they beat the harness's own

	// Format are further arguments of the format command, such as
	// "--feature", "eligible.leader.replicas.version=0" or "--release-version", "4.0".
	Format []string

	Security Security
	Relay    bool // a Relay in front of every broker, for clients and between brokers
}

// Broker is one broker of a Spec.
type Broker struct {
	ID      int32
	Rack    string            // "" is none
	LogDirs int               // how many log dirs; 0 is one
	Volume  int64             // bytes of a volume that holds the first log dir alone; 0: it shares the host's
	Config  map[string]string // its own server properties; they beat Spec.Config
}

// Brokers makes n brokers with the ids 1 to n. The racks are dealt out in turn;
// without racks the brokers have none.
func Brokers(n int, racks ...string) []Broker {
	bs := make([]Broker, n)
	for i := range bs {
		bs[i].ID = int32(i + 1)
		if len(racks) > 0 {
			bs[i].Rack = racks[i%len(racks)]
		}
	}
	return bs
}

// withDefaults fills what was left out and refuses what cannot be started.
func (s Spec) withDefaults() (Spec, error) {
	if s.Version == "" {
		s.Version = DefaultVersion
	}
	if len(s.Brokers) == 0 {
		s.Brokers = Brokers(3)
	}
	if s.Controllers == 0 {
		s.Controllers = 1
	}
	switch {
	case s.Controllers != 1 && s.Controllers != 3:
		return s, fmt.Errorf("%d controllers: a quorum has 1 or 3", s.Controllers)
	case s.Combined && s.Controllers > len(s.Brokers):
		return s, fmt.Errorf("%d combined controllers among %d brokers", s.Controllers, len(s.Brokers))
	case s.ZooKeeper && !s.before(4, 0):
		return s, fmt.Errorf("kafka %s has no ZooKeeper mode; 3.9 was the last", s.Version)
	case !s.ZooKeeper && s.before(3, 3):
		return s, fmt.Errorf("kafka %s has no KRaft mode fit for use; set ZooKeeper", s.Version)
	case s.Security.on() && s.before(2, 7):
		return s, fmt.Errorf("kafka %s reads no PEM files; security needs 2.7", s.Version)
	}
	return s, errors.Join(s.Security.check(), s.checkIDs())
}

func (s Spec) checkIDs() error {
	seen := map[int32]bool{}
	for _, b := range s.Brokers {
		if b.ID < 0 || b.ID >= firstController || seen[b.ID] {
			return fmt.Errorf("broker id %d: ids are unique and from 0 to %d", b.ID, firstController-1)
		}
		seen[b.ID] = true
	}
	return nil
}

// before tells whether the release is older than major.minor.
func (s Spec) before(major, minor int) bool {
	var nums [2]int
	for i, word := range strings.SplitN(s.Version, ".", 3)[:2] {
		nums[i], _ = strconv.Atoi(word) // a release that is no number fails in Maven
	}
	return slices.Compare(nums[:], []int{major, minor}) < 0
}

// firstController is the id of the first controller that is no broker.
const firstController = 100

// nodes lists the processes that the spec asks for: controllers first, then
// brokers in the order given.
func (s Spec) nodes() []*node {
	var ns []*node
	if !s.Combined && !s.ZooKeeper {
		for i := range s.Controllers {
			ns = append(ns, &node{id: firstController + int32(i), controller: true, logDirs: 1, config: s.Config})
		}
	}
	for i, b := range s.Brokers {
		config := maps.Clone(s.Config)
		if config == nil {
			config = map[string]string{}
		}
		maps.Copy(config, b.Config)
		ns = append(ns, &node{
			id: b.ID, rack: b.Rack, config: config, logDirs: max(1, b.LogDirs), volume: b.Volume,
			broker: true, controller: s.Combined && i < s.Controllers,
		})
	}
	return ns
}
