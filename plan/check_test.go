package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drain/election"
)

// sketched reads a cluster from short lines:
//
//	cluster elr zookeeper release=3.9 version=20 min=2 unclean=unknown
//	broker 1 fenced
//	topic log min=2 unclean=true
//	0 1,2,3 isr=1,2 leader=1 elr=3 adding=.. removing=.. offline=..
//
// Without isr all replicas are in sync, without leader the first leads.
func sketched(t *testing.T, text string) *Cluster {
	t.Helper()
	var b Builder
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "cluster":
			sketchCluster(t, &b.Head, words[1:])
		case "broker":
			broker := Broker{ID: sketchIDs(t, words[1])[0], CapacityBytes: Unknown, UsableBytes: Unknown}
			if len(words) > 2 {
				broker.State = map[string]State{"fenced": Fenced, "shuttingDown": ShuttingDown, "down": Down}[words[2]]
			}
			b.Broker(broker)
		case "topic":
			b.Topic(Topic{Name: words[1], Configs: sketchConfigs(t, words[2:])})
		default:
			b.Partition(sketchPartition(t, words))
		}
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func sketchCluster(t *testing.T, c *Cluster, words []string) {
	t.Helper()
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "elr":
			c.ELR = true
		case "zookeeper":
			c.Mode = ZooKeeper
		case "release":
			c.Release = value
		case "version":
			c.MetadataVersion = int(sketchIDs(t, value)[0])
		case "min":
			c.MinISRDefault = int(sketchIDs(t, value)[0])
		case "unclean":
			c.UncleanDefault = map[string]Tristate{"true": On, "false": Off, "unknown": Maybe}[value]
		default:
			t.Fatalf("no word %q of a cluster", word)
		}
	}
}

func sketchConfigs(t *testing.T, words []string) map[string]string {
	t.Helper()
	configs := map[string]string{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		name, ok := map[string]string{"min": "min.insync.replicas", "unclean": "unclean.leader.election.enable"}[key]
		if !ok {
			t.Fatalf("no word %q of a topic", word)
		}
		configs[name] = value
	}
	return configs
}

func sketchPartition(t *testing.T, words []string) PartitionView {
	t.Helper()
	v := PartitionView{Number: sketchIDs(t, words[0])[0], Replicas: sketchIDs(t, words[1]), LeaderEpoch: -1, SizeBytes: Unknown}
	v.ISR, v.Leader = v.Replicas, v.Replicas[0]
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "isr":
			v.ISR = sketchIDs(t, value)
		case "leader":
			v.Leader = sketchIDs(t, value)[0]
		case "elr":
			v.ELR = sketchIDs(t, value)
		case "known":
			v.LastKnownELR = sketchIDs(t, value)
		case "adding":
			v.Adding = sketchIDs(t, value)
		case "removing":
			v.Removing = sketchIDs(t, value)
		case "offline":
			v.Offline = sketchIDs(t, value)
		default:
			t.Fatalf("no word %q of a partition", word)
		}
	}
	return v
}

func sketchIDs(t *testing.T, list string) []int32 {
	t.Helper()
	var ids []int32
	for _, word := range strings.Split(list, ",") {
		if word == "" {
			continue
		}
		id, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			t.Fatalf("%q: %v", list, err)
		}
		ids = append(ids, int32(id))
	}
	return ids
}

// told is a report in lines, as a person would read it.
func told(r Report) string {
	var text strings.Builder
	for _, row := range r.Touched {
		fmt.Fprintf(&text, "%v %d>%d %v %v\n", row.TopicPartition, row.Leader, row.After.Leader, row.After.ISR, row.After.Outcome)
	}
	for _, row := range r.OnStop {
		fmt.Fprintf(&text, "stop: %v %d>%d %v %v still led %v\n", row.TopicPartition, row.Leader, row.After.Leader, row.After.ISR, row.After.Outcome, row.After.StillLed)
	}
	for _, f := range r.Warnings {
		fmt.Fprintf(&text, "%v %s: %s\n", f.Level, f.Risk, f.Message)
	}
	return text.String()
}

func expectReport(t *testing.T, got Report, want string, counts Counts) {
	t.Helper()
	want = strings.ReplaceAll(strings.TrimPrefix(want, "\n"), "\t", "")
	if told(got) != want {
		t.Errorf("got\n%swant\n%s", told(got), want)
	}
	if got.Counts != counts {
		t.Errorf("got counts %+v, want %+v", got.Counts, counts)
	}
}

const fourBrokers = "broker 1\nbroker 2\nbroker 3\nbroker 4 down\n"

func TestCheckTellsEachOutcomeAndCountsTheRest(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+`
		topic __consumer_offsets
		0 3
		1 1
		topic orders min=2
		0 3,1,2
		1 1,2,3
		2 3,1 isr=3,1
		3 1,2
		topic payments unclean=true
		7 3,1,2 isr=3
		topic telemetry
		0 1,3 isr=1`)
	expectReport(t, Check(c, []int32{3}), `
		__consumer_offsets-0 3>-1 [3] leaderless
		orders-0 3>1 [1 2] elected
		orders-1 1>1 [1 2] unaffected
		orders-2 3>1 [1] underMinIsr
		payments-7 3>1 [1] unclean
		`, Counts{Partitions: 8, Unaffected: 4, Elected: 1, UnderMinISR: 1, Unclean: 1, Leaderless: 1, AtMinISR: 3})
}

func TestCheckOfSeveralBrokersTakesThemTogether(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+`
		topic t
		0 2,3
		topic u
		0 3,2`)
	for _, one := range []int32{2, 3} {
		if got := Check(c, []int32{one}); !got.Safe() {
			t.Errorf("broker %d alone is not safe:\n%s", one, told(got))
		}
	}
	got := Check(c, []int32{3, 2, 3})
	expectReport(t, got, `
		t-0 2>-1 [3] leaderless
		u-0 3>-1 [3] leaderless
		`, Counts{Partitions: 2, Leaderless: 2})
	if want := []int32{2, 3}; !slices.Equal(got.Brokers, want) {
		t.Errorf("got brokers %v, want %v", got.Brokers, want)
	}
}

func TestCheckWarnsOfWhatTheStopDoesNotDo(t *testing.T) {
	t.Parallel()
	c := sketched(t, "cluster unclean=unknown\n"+fourBrokers+`
		topic a min=2
		0 1,2 isr=1
		1 4,2 isr=4 leader=-1
		2 3,1,4 isr=3,1
		3 3,1,4 isr=3 leader=3
		4 1
		topic b min=2
		0 1,2 isr=2 leader=2
		topic c min=3
		0 1,2,3 isr=1,3`)
	expectReport(t, Check(c, []int32{3, 9}), `
		a-2 3>1 [1] underMinIsr
		a-3 3>-1 [3] leaderless
		c-0 1>1 [1] underMinIsr
		warn unknown-broker: broker 9 is not known to the cluster
		warn already-under-min-isr: a-0 is under its min ISR already: [1] in sync, 2 needed
		warn already-leaderless: a-1 is leaderless already, with [4] in its ISR and [] in its ELR
		warn unclean-unknown: predicted with unclean election off, and nobody could tell whether it is: if it is on, a broker out of sync takes over and what it lacks is lost
		warn already-under-min-isr: b-0 is under its min ISR already: [2] in sync, 2 needed
		`, Counts{Partitions: 7, Unaffected: 4, UnderMinISR: 2, Leaderless: 1})
}

// An ID under 0 is nobody's, which is no reason to panic; -1 is also how a
// partition without a leader has it.
func TestCheckTakesAnIDThatNoBrokerCanHave(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"elr", "zookeeper"} {
		c := sketched(t, "cluster "+mode+"\n"+fourBrokers+"topic a\n0 1,2\n1 3,2 isr=3 leader=-1")
		want, got := Check(c, []int32{9}), Check(c, []int32{-5, -1, math.MinInt32})
		if got.Counts != want.Counts {
			t.Errorf("%s: got %+v, want as of any other that is not there: %+v", mode, got.Counts, want.Counts)
		}
		for i, id := range []int32{math.MinInt32, -5, -1} {
			if f := got.Warnings[i]; f.Risk != "unknown-broker" || f.Broker != id {
				t.Errorf("%s: got %+v, want broker %d unknown", mode, f, id)
			}
		}
	}
}

func TestAWarningNamesItsPartitionOrItsBroker(t *testing.T) {
	t.Parallel()
	c := sketched(t, "cluster unclean=unknown\n"+fourBrokers+`
		topic a min=2
		0 1,2 isr=1
		1 4 leader=-1
		2 3,1 isr=3`)
	var got []string
	for _, f := range Check(c, []int32{3, 9}).Warnings {
		got = append(got, fmt.Sprintf("%s: topic %q, partition %d, broker %d; %s", f.Risk, f.Topic, f.Partition, f.Broker, f.Remedy))
	}
	want := []string{
		`unknown-broker: topic "", partition -1, broker 9; check the id`,
		`already-under-min-isr: topic "a", partition 0, broker -1; wait until its replicas are in sync, or see which of them are down`,
		`already-leaderless: topic "a", partition 1, broker -1; see what drain diagnose says`,
		`unclean-unknown: topic "a", partition 2, broker -1; set unclean.leader.election.enable for the topic, or as the cluster default`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCheckNamesTheReleasesThatTheOutcomeHangsOn(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+"topic a unclean=true\n0 3,1 isr=3")
	expectReport(t, Check(c, []int32{3}, election.Release{Major: 4, Minor: 3}, election.Release{Major: 3, Minor: 7}), `
		a-0 3>-1 [3] leaderless
		warn release-unknown: a-0: what becomes of it hangs on the release of the controllers, which may be any of 4.3, 3.7; the worst is told
		`, Counts{Partitions: 1, Leaderless: 1})
}

func TestCheckPassesOnWhatCouldNotBeTold(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+"topic a\n0 1,2 leader=-1")
	c.Notes = []Finding{{Level: Warn, Risk: "incomplete", Partition: -1, Broker: 2, Message: "broker 2 did not answer"}}
	expectReport(t, Check(c, []int32{3}), `
		warn incomplete: broker 2 did not answer
		warn already-leaderless: a-0 is leaderless already, with [1 2] in its ISR and [] in its ELR
		`, Counts{Partitions: 1, Unaffected: 1})
}

func TestCheckPredictsUnderEachReleaseAndTheWorstCounts(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+`
		topic a unclean=true
		0 3,1 isr=3`)
	for _, k := range []struct {
		releases []election.Release
		want     election.Outcome
	}{
		{nil, election.UncleanLeader},
		{[]election.Release{{Major: 3, Minor: 7}}, election.Leaderless},
		{[]election.Release{{Major: 4, Minor: 3}, {Major: 3, Minor: 7}}, election.Leaderless},
		{[]election.Release{{Major: 4, Minor: 3}, {Major: 3, Minor: 9}}, election.UncleanLeader},
	} {
		if got := Check(c, []int32{3}, k.releases...).Touched[0].After.Outcome; got != k.want {
			t.Errorf("under %v: %v, want %v", k.releases, got, k.want)
		}
	}
}

func TestCheckTakesTheReleaseFromTheClusterElseFromItsMetadataVersion(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]election.Outcome{
		"cluster release=3.8.1 version=30": election.Leaderless,
		"cluster release=4.4":              election.UncleanLeader,
		"cluster version=20":               election.Leaderless,
		"cluster version=21":               election.UncleanLeader,
		"cluster release=odd version=20":   election.Leaderless,
		"cluster zookeeper":                election.UncleanLeader,
	} {
		c := sketched(t, head+"\n"+fourBrokers+"topic a unclean=true\n0 3,1 isr=3")
		if got := Check(c, []int32{3}).Touched[0].After.Outcome; got != want {
			t.Errorf("%s: %v, want %v", head, got, want)
		}
	}
}

func TestCheckSaysWhereAControlledShutdownUnderZooKeeperEndsDifferently(t *testing.T) {
	t.Parallel()
	c := sketched(t, "cluster zookeeper release=3.9\n"+fourBrokers+`
		topic a
		0 3
		1 3,1,2
		2 3,1 isr=3
		3 3,1,4`)
	expectReport(t, Check(c, []int32{3}), `
		a-0 3>-1 [3] leaderless
		a-1 3>1 [1 2] elected
		a-2 3>-1 [3] leaderless
		a-3 3>1 [1] elected
		stop: a-0 3>-1 [3] leaderless still led true
		stop: a-2 3>-1 [3] leaderless still led true
		stop: a-3 3>1 [1 4] elected still led false
		`, Counts{Partitions: 4, Elected: 2, Leaderless: 2, AtMinISR: 1})
}

func TestCheckUnderZooKeeperSeesPartitionsWhoseLeaderShutsDown(t *testing.T) {
	t.Parallel()
	c := sketched(t, "cluster zookeeper\nbroker 1 shuttingDown\nbroker 2\nbroker 3\n"+`
		topic a unclean=true
		0 1,2 isr=1`)
	expectReport(t, Check(c, []int32{3}), "a-0 1>2 [2] unclean\n", Counts{Partitions: 1, Unclean: 1, AtMinISR: 1})
}

// Whichever broker is lost, a ZooKeeper controller tries each partition again
// whose leader cannot serve it.
func TestCheckUnderZooKeeperSeesALeaderOnAnOfflineLogDir(t *testing.T) {
	t.Parallel()
	c := sketched(t, "cluster zookeeper\n"+fourBrokers+"topic a\n0 1,2 offline=1\n1 1,2 offline=2")
	expectReport(t, Check(c, []int32{3}), "a-0 1>2 [2] elected\n", Counts{Partitions: 2, Unaffected: 1, Elected: 1, AtMinISR: 1})
}

func TestCheckWithEligibleReplicasTakesTheMinimumFromPartitionZero(t *testing.T) {
	t.Parallel()
	// The controller's minimum is no more than the replicas of partition 0, so
	// that nobody becomes eligible where that has one.
	c := sketched(t, "cluster elr release=4.4\n"+fourBrokers+`
		topic a min=2
		0 1
		1 3,1,2 isr=3,1
		topic b min=2
		0 1,2
		1 3,1,2 isr=3,1`)
	got := Check(c, []int32{3}).Touched
	if len(got) != 2 || len(got[0].After.ELR) != 0 || !slices.Equal(got[1].After.ELR, []int32{3}) {
		t.Errorf("got %+v", got)
	}
}

func TestARiskWordThatIsAcceptedMakesItsOutcomeSafe(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+`
		topic a min=2
		0 3,1
		topic b
		0 3`)
	r := Check(c, []int32{3})
	for _, k := range []struct {
		accepted []string
		want     bool
	}{
		{nil, false}, {[]string{"leaderless"}, false}, {[]string{"under-min-isr"}, false}, {[]string{"under-min-isr", "leaderless"}, true},
	} {
		if got := r.Safe(k.accepted...); got != k.want {
			t.Errorf("accepting %v: safe %v, want %v", k.accepted, got, k.want)
		}
	}
	var words []string
	for o := election.Unaffected; o <= election.Leaderless; o++ {
		words = append(words, OutcomeRisk(o))
	}
	if want := []string{"", "", "under-min-isr", "unclean", "leaderless"}; !slices.Equal(words, want) {
		t.Errorf("got risk words %q, want %q", words, want)
	}
}

func TestAllPredictionsAreEveryPartitionInOrder(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+`
		topic a
		0 1,2
		5 3,2
		topic b
		0 2 leader=-1
		1 3
		2 1`)
	r := Check(c, []int32{3})
	var got []string
	for row := range r.All() {
		got = append(got, fmt.Sprint(row.TopicPartition, " ", row.Leader, ">", row.After.Leader, " ", row.After.Outcome))
	}
	want := []string{"a-0 1>1 unaffected", "a-5 3>2 elected", "b-0 -1>-1 unaffected", "b-1 3>-1 leaderless", "b-2 1>1 unaffected"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for row := range r.All() {
		if row.Partition == 5 {
			break // at a partition that is touched; the one before is not
		}
		if got := row.String(); got != "a-0" {
			t.Errorf("got %s after the end was asked for", got)
		}
	}
}

func TestCheckFindsAMemberThatIsNoReplica(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+"topic a min=2\n0 1,2 isr=1,3")
	expectReport(t, Check(c, []int32{3}), "a-0 1>1 [1] underMinIsr\n", Counts{Partitions: 1, UnderMinISR: 1})
}
