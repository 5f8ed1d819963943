package plan_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"drain/plan"
	"drain/plan/plantest"
)

const wholeSnapshot = `{"version": 1, "takenAt": "2026-11-29T20:00:00Z",
 "cluster": {"id": "abc", "mode": "zookeeper", "controllerId": 3, "release": "4.3", "metadataVersion": 30, "elr": true, "minInsyncReplicasDefault": 2, "uncleanDefault": null,
             "quorum": {"leaderId": 3, "voters": [{"id": 1, "host": "kafka-1"}, {"id": 3}], "lagging": [1]},
             "releases": ["4.3", "4.1"], "heard": [{"id": 3, "at": "2026-11-29T19:59:59.5Z"}], "throttle": {"leader": 5000000}},
 "brokers": [{"id": 1, "rack": "a\u00e9\ud83d\ude00", "host": "kafka-1", "port": 9092, "state": "fenced", "cordoned": true, "capacityBytes": 8000000000000, "usableBytes": 3000000000000,
              "logDirs": [{"path": "/d1", "totalBytes": 8, "usableBytes": 3, "offline": true, "replicas": 1500}, {"path": "/d2"}], "throttle": {"leader": 7, "follower": 8}},
             {"id": 0, "rack": null}],
 "unheardOf": {"a": [1, 2.5e3, {"b": [null, true, "x\n"]}]},
 "topics": [{"name": "orders", "id": "AAECAwQFBgcICQoLDA0ODw", "configs": {"min.insync.replicas": "2", "retention.ms": 5, "preallocate": false},
   "partitions": [{"partition": 7, "leader": -1, "leaderEpoch": 4, "replicas": [1, 0, 2], "isr": [0, 9], "elr": [1], "lastKnownElr": [2],
                   "adding": [2], "removing": [1], "offline": [0], "sizeBytes": 1073741824},
                  {"partition": 2, "leader": 0, "replicas": [0], "isr": [0]}]},
  {"name": "empty", "partitions": []}]}
`

func TestReadSnapshotReadsEveryKey(t *testing.T) {
	t.Parallel()
	// A byte at a time: tokens lie across reads wherever they can.
	c, err := plan.ReadSnapshot(iotest.OneByteReader(strings.NewReader(wholeSnapshot)))
	if err != nil {
		t.Fatal(err)
	}
	if !c.TakenAt.Equal(time.Date(2026, 11, 29, 20, 0, 0, 0, time.UTC)) || c.ID != "abc" || c.Mode != plan.ZooKeeper ||
		c.ControllerID != 3 || c.Release != "4.3" || c.MetadataVersion != 30 || !c.ELR || c.MinISRDefault != 2 || c.UncleanDefault != plan.Maybe || c.Throttle != (plan.Throttle{Leader: 5e6}) ||
		!reflect.DeepEqual(c.Releases, []string{"4.3", "4.1"}) ||
		!reflect.DeepEqual(c.Heard, []plan.Heard{{ID: 3, At: time.Date(2026, 11, 29, 19, 59, 59, 5e8, time.UTC)}}) {
		t.Errorf("cluster: %+v", c)
	}
	if want := (&plan.Quorum{LeaderID: 3, Voters: []plan.Voter{{ID: 1, Host: "kafka-1"}, {ID: 3}}, Lagging: []int32{1}}); !reflect.DeepEqual(c.Quorum, want) {
		t.Errorf("quorum: got %+v, want %+v", c.Quorum, want)
	}
	brokers := []plan.Broker{
		{ID: 0, CapacityBytes: plan.Unknown, UsableBytes: plan.Unknown},
		{
			ID: 1, Rack: "aé😀", Host: "kafka-1", Port: 9092, State: plan.Fenced, Cordoned: true, CapacityBytes: 8e12, UsableBytes: 3e12,
			LogDirs: []plan.LogDir{
				{Path: "/d1", TotalBytes: 8, UsableBytes: 3, Offline: true, Replicas: 1500},
				{Path: "/d2", TotalBytes: plan.Unknown, UsableBytes: plan.Unknown},
			},
			Throttle: plan.Throttle{Leader: 7, Follower: 8},
		},
	}
	if !reflect.DeepEqual(c.Brokers, brokers) {
		t.Errorf("brokers: got %+v, want %+v", c.Brokers, brokers)
	}
	if c.Topics[0].Name != "empty" || c.Topics[1].Name != "orders" || c.Topics[1].ID != [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} {
		t.Errorf("topics: %+v", c.Topics)
	}
	if want := map[string]string{"min.insync.replicas": "2", "retention.ms": "5", "preallocate": "false"}; !reflect.DeepEqual(c.Topics[1].Configs, want) {
		t.Errorf("configs: got %v, want %v", c.Topics[1].Configs, want)
	}
	want := plan.PartitionView{
		Topic: 1, Number: 7, Leader: -1, LeaderEpoch: 4, Replicas: []int32{1, 0, 2}, ISR: []int32{0, 9}, ELR: []int32{1}, LastKnownELR: []int32{2},
		Adding: []int32{2}, Removing: []int32{1}, Offline: []int32{0}, SizeBytes: 1 << 30,
	}
	if got := c.Partition(1); !reflect.DeepEqual(got, want) {
		t.Errorf("orders-7: got %+v, want %+v", got, want)
	}
	if got := c.Partition(0); got.Number != 2 || got.LeaderEpoch != -1 || got.SizeBytes != plan.Unknown || got.InFlight() {
		t.Errorf("orders-2: %+v", got)
	}
}

// Tools write topic IDs as base64 or in hexadecimal, and may call a topic anything.
func TestATopicIDIsReadInEachSpelling(t *testing.T) {
	t.Parallel()
	read := func(id string) [16]byte {
		c, err := plan.ReadSnapshot(strings.NewReader(`{"topics":[{"name":"t","id":"` + id + `","partitions":[]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return c.Topics[0].ID
	}
	bytes := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	for _, same := range []string{"AAECAwQFBgcICQoLDA0ODw", "000102030405060708090a0b0c0d0e0f", "00010203-0405-0607-0809-0A0B0C0D0E0F"} {
		if got := read(same); got != bytes {
			t.Errorf("%s is %x, want %x", same, got, bytes)
		}
	}
	seen := map[[16]byte]string{{}: "none", bytes: "the bytes"}
	for _, other := range []string{"first", "second", "0001020304", "000102030405060708090a0b0c0d0e0f10"} {
		got := read(other)
		if twin, twice := seen[got]; twice || got != read(other) {
			t.Errorf("%q is %x, as %s", other, got, twin)
		}
		seen[got] = other
	}
}

func TestWhatASnapshotLeavesOutIsUnknown(t *testing.T) {
	t.Parallel()
	for _, partition := range []string{`{"partition":0,"replicas":[1]}`, `{"partition":0,"replicas":[1],"leader":null,"leaderEpoch":null,"sizeBytes":null,"elr":null}`} {
		c, err := plan.ReadSnapshot(strings.NewReader(`{"topics":[{"name":"t","id":null,"configs":{},"partitions":[` + partition + `]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		v := c.Partition(0)
		if v.Leader != plan.NoLeader || v.LeaderEpoch != -1 || v.SizeBytes != plan.Unknown || len(v.ISR)+len(v.ELR) > 0 {
			t.Errorf("got %+v of %s", v, partition)
		}
		if c.Topics[0].Configs != nil || c.Topics[0].ID != [16]byte{} {
			t.Errorf("got %+v", c.Topics[0])
		}
	}
}

// A file system without an end is told as 2^63-1 bytes, or rounded down a little.
func TestTheLargestNumbersAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{math.MaxInt64, math.MaxInt64 - 4095, 9223372036854775800, 999999999999999999, 1000000000000000000} {
		var b plan.Builder
		b.Broker(plan.Broker{ID: 1, CapacityBytes: n, UsableBytes: n})
		c, err := b.Cluster()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := plan.WriteSnapshot(&out, c); err != nil {
			t.Fatal(err)
		}
		back, err := plan.ReadSnapshot(&out)
		if err != nil {
			t.Errorf("%d: %v", n, err)
		} else if !reflect.DeepEqual(back.Brokers, c.Brokers) {
			t.Errorf("%d: read back as %+v", n, back.Brokers)
		}
	}
}

func TestSnapshotsReadWhatTheyWrite(t *testing.T) {
	t.Parallel()
	shape, _ := plantest.Named("S")
	whole, err := plan.ReadSnapshot(strings.NewReader(wholeSnapshot))
	if err != nil {
		t.Fatal(err)
	}
	whole.Notes = []plan.Finding{{Level: plan.Block, Risk: "hidden-topics", Topic: "t", Partition: -1, Broker: 3, Message: "m", Remedy: "r"}}
	for _, c := range []plan.Cluster{whole, shape.Cluster(1)} {
		var once, twice bytes.Buffer
		if err := plan.WriteSnapshot(&once, c); err != nil {
			t.Fatal(err)
		}
		back, err := plan.ReadSnapshot(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.WriteSnapshot(&twice, back); err != nil {
			t.Fatal(err)
		}
		if once.String() != twice.String() {
			t.Errorf("%s: written once and again differ", c.ID)
		}
		if !reflect.DeepEqual(back.Brokers, c.Brokers) || back.Throttle != c.Throttle || !reflect.DeepEqual(back.Notes, c.Notes) || back.NumPartitions() != c.NumPartitions() {
			t.Errorf("%s: read back differs", c.ID)
		}
		for i := range c.NumPartitions() {
			if got, want := back.Partition(i), c.Partition(i); !reflect.DeepEqual(got, want) {
				t.Fatalf("%v: got %+v, want %+v", c.Name(i), got, want)
			}
		}
	}
}

// topicOf wraps one partition.
func topicOf(partition string) string {
	return "{\"brokers\":[],\n\"topics\":[{\"name\":\"t\",\"partitions\":[\n" + partition + "]}]}"
}

func TestReadSnapshotRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, want string }{
		{"nothing", "", `snapshot, line 1 (byte 0): the file ends in the middle; was it cut off?`},
		{"cut off", topicOf(`{"partition":0,"repl`)[:60], `snapshot, line 3 (byte 60): a partition of topic t: the file ends in the middle; was it cut off?`},
		{"cut off in a string", `{"brokers": [{"rack": "abc`, `the file ends in the middle; was it cut off?`},
		{"no JSON", "hello", `snapshot, line 1 (byte 0): want '{', found 'h'`},
		{"no object", "[]", `want '{', found '['`},
		{"a later version", `{"version": 2}`, `version 2: this program reads version 1`},
		{"a key twice", topicOf(`{"partition":0,"leader":1,"leader":2}`), `partition t-0: the key "leader" is there twice`},
		{"a config twice", `{"topics":[{"name":"t","configs":{"a":"1","a":"2"}}]}`, `topic t: the key "a" is there twice`},
		{"a config twice, after a partition", `{"topics":[{"name":"t","partitions":[{"partition":0,"replicas":[1]}],"configs":{"a":"1","a":"2"}}]}`, `: topic t: the key "a" is there twice`},
		{"a fraction", topicOf(`{"partition":1.5}`), `want a whole number without leading zeros, fraction or exponent`},
		{"an exponent", topicOf(`{"partition":0,"sizeBytes":1e9}`), `want a whole number without`},
		{"a leading zero", topicOf(`{"partition":010}`), `want a whole number without`},
		{"a lone minus", topicOf(`{"partition":-}`), `want a whole number, found '}'`},
		{"too large for 64 bits", topicOf(`{"partition":0,"sizeBytes":99999999999999999999}`), `partition t-0: a number is too large`},
		{"one too large for 64 bits", topicOf(`{"partition":0,"sizeBytes":9223372036854775808}`), `partition t-0: a number is too large`},
		{"more than a cluster can hold", topicOf(`{"partition":0,"replicas":[1,2],"sizeBytes":600000000000000000}`),
			`the replicas add up to more than 1152921504606846976 bytes: partition t-0 alone is told to have 600000000000000000`},
		{"too large for 32 bits", topicOf(`{"partition":0,"replicas":[2147483648]}`), `partition t-0: 2147483648 is out of range`},
		{"negative bytes", topicOf(`{"partition":0,"sizeBytes":-5}`), `-5 is no number of bytes`},
		{"a word for a number", topicOf(`{"partition":"0"}`), `want a whole number, found '"'`},
		{"a number for a list", topicOf(`{"partition":0,"isr":3}`), `partition t-0: want '[', found '3'`},
		{"no number", topicOf(`{"leader":1}`), `a partition of topic t: a partition has no number of 0 or more`},
		{"no replicas", topicOf(`{"partition":0}`), `partition t-0 has no replicas`},
		{"a replica twice", topicOf(`{"partition":0,"replicas":[1,1]}`), `partition t-0 names broker 1 twice`},
		{"a topic without a name", `{"topics":[{"partitions":[]}]}`, `a topic has no name`},
		{"a broker without an id", `{"brokers":[{"rack":"a"}]}`, `a broker has no id of 0 or more`},
		{"a broker twice", `{"brokers":[{"id":1},{"id":1}]}`, `broker 1 is there twice`},
		{"an unknown state", `{"brokers":[{"id":1,"state":"asleep"}]}`, `broker 1: unknown word "asleep": want one of alive, fenced, shuttingDown, down`},
		{"an unknown mode", `{"cluster":{"mode":"raft"}}`, `cluster: unknown word "raft"`},
		{"no time", `{"takenAt":"yesterday"}`, `want a time such as`},
		{"half a surrogate", `{"brokers":[{"id":1,"rack":"\ud800"}]}`, `half of a surrogate pair`},
		{"a bad escape", `{"brokers":[{"id":1,"rack":"\x"}]}`, `an unknown escape`},
		{"a control character", "{\"brokers\":[{\"id\":1,\"rack\":\"\x01\"}]}", `control character 0x01`},
		{"deep nesting", `{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, `values are nested more than 100 deep`},
		{"an endless number", `{"x":` + strings.Repeat("1", 1<<20) + `}`, `a number is too long`},
		{"no value", `{"x":,"y":1}`, `want a value, found ','`},
		{"a long string", `{"x":"` + strings.Repeat("\\n", 1<<20) + `a"}`, `a string is longer than 1048576 bytes`},
		{"something behind it", `{} {}`, `something follows the end of the snapshot: '{'`},
		{"a comma too many", `{"brokers":[{"id":1},]}`, `want '{', found ']'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := plan.ReadSnapshot(strings.NewReader(test.file))
			var at *plan.SnapshotError
			if !errors.As(err, &at) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestReadSnapshotPassesTheErrorOfTheReader(t *testing.T) {
	t.Parallel()
	broken := fmt.Errorf("disk on fire")
	r := io.MultiReader(strings.NewReader("{\n\"brokers\": ["), iotest.ErrReader(broken))
	_, err := plan.ReadSnapshot(r)
	if !errors.Is(err, broken) || err.Error() != "snapshot, line 2 (byte 14): disk on fire" {
		t.Errorf("got %v, want line 2 and %v", err, broken)
	}
}

// A hostile file is refused, not followed into a panic; what is read, writes and
// reads to the same.
func FuzzReadSnapshot(f *testing.F) {
	f.Add([]byte(wholeSnapshot))
	f.Add([]byte(topicOf(`{"partition":0,"leader":1,"replicas":[1,2],"isr":[2,1],"sizeBytes":5}`)))
	f.Add([]byte(`{"x":[[[{"y":"\u0041"}]]],"brokers":null,"topics":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := plan.ReadSnapshot(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := plan.WriteSnapshot(&out, c); err != nil {
			t.Fatal(err)
		}
		back, err := plan.ReadSnapshot(&out)
		if err != nil {
			t.Fatalf("written from %q: %v", data, err)
		}
		if back.NumPartitions() != c.NumPartitions() || len(back.Brokers) != len(c.Brokers) || len(back.Topics) != len(c.Topics) {
			t.Errorf("%q: read back as %+v, want %+v", data, back, c)
		}
	})
}
