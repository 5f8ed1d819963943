package plan

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A finding about broker 0 once came out as one about no broker.
func TestAFindingIsAboutBroker0Too(t *testing.T) {
	t.Parallel()
	c := sketched(t, "broker 0\nbroker 1\nbroker 2\ntopic a\n0 1,0 isr=1")
	p, err := Compute(*c, Request{Brokers: []int32{1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Findings {
		if f.Risk == "under-replicated" && f.Broker == 0 && f.Topic == "a" && f.Partition == 0 {
			return
		}
	}
	t.Errorf("got %+v, want a-0 under-replicated on broker 0", p.Findings)
}

// What a controller makes of a move hangs on its release, or where that is not
// known on the metadata version.
func TestTheRulesOfTheReleaseDecideWhatIsFound(t *testing.T) {
	t.Parallel()
	const none = ""
	for _, k := range []struct {
		head     string
		waits    bool   // a move completes only with all of its target in sync
		cordoned string // level of the finding on a cordoned replica that stays
		limits   bool   // the number of replicas limits min.insync.replicas
	}{
		{"release=3.6", false, none, false},
		{"release=3.7", false, none, true},
		{"release=3.8", true, none, true},
		{"release=4.0", true, none, true},
		{"release=4.2.1", true, none, true},
		{"release=4.3", false, "warn", true},
		{"release=4.4", false, "block", true},
		{"release=5.0", false, "block", true},
		{"release=4", false, "warn", true}, // no release that could be read
		{"release=4.1x", false, "warn", true},
		{"zookeeper release=3.6", true, none, false},
		{"version=19", false, "warn", true},
		{"version=20", true, "warn", true},
		{"version=29", true, "warn", true},
		{"version=30", false, "warn", true},
	} {
		c := sketched(t, "cluster "+k.head+"\nbroker 1\nbroker 2\nbroker 3\ntopic a\n0 3,1")
		c.Brokers[0].Cordoned = true
		p, err := Compute(*c, Request{Brokers: []int32{3}})
		if err != nil {
			t.Fatal(err)
		}
		cordoned := none
		for _, f := range p.Findings {
			if f.Risk == "cordoned-survivor" {
				cordoned = f.Level.String()
			}
		}
		if c.waitsForAll() != k.waits || cordoned != k.cordoned || c.limitsMinISR() != k.limits {
			t.Errorf("%s: waits for all %v, cordoned %q, limits min ISR %v; want %v, %q, %v",
				k.head, c.waitsForAll(), cordoned, c.limitsMinISR(), k.waits, k.cordoned, k.limits)
		}
	}
}

// A controller that is no broker stands on the host of one: whoever stops all that
// runs there takes both. A loopback address is every host's.
func TestAVoterOnTheHostOfADrainedBrokerGoesWithIt(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]int{"h3": 1, "10.0.0.3": 1, "": 0, "localhost": 0, "::1": 0, "127.0.0.1": 0, "127.1.2.3": 0} {
		c := sketched(t, "broker 1\nbroker 2\nbroker 3\ntopic a\n0 3,1")
		c.Brokers[2].Host = host
		c.Quorum = &Quorum{Voters: []Voter{{101, "h1"}, {102, "h2"}, {103, host}}, Lagging: []int32{101}}
		p, err := Compute(*c, Request{Brokers: []int32{3}})
		if err != nil {
			t.Fatal(err)
		}
		lost := slices.DeleteFunc(p.Findings, func(f Finding) bool { return f.Risk != "quorum-lost" })
		if len(lost) != want || want == 1 && (lost[0].Broker != 103 || lost[0].Level != Block) {
			t.Errorf("host %q: got %+v, want %d about 103", host, lost, want)
		}
	}
}

func TestTheLimitThatTheMovesExceedIsNamed(t *testing.T) {
	t.Parallel()
	c := sketched(t, "broker 1\nbroker 2\nbroker 3\ntopic a\n0 3,1")
	c.partitions.size[0] = 3_000_000
	for _, k := range []struct {
		longest time.Duration
		want    string // the end of the message; empty: no finding
	}{
		{0, "longer than 30.0 days, with no deadline set"},
		{time.Hour, "longer than 1h0m0s, the deadline"},
		{10_000 * time.Hour, ""},
	} {
		p, err := Compute(*c, Request{Brokers: []int32{3}, BytesPerSec: 1, Longest: k.longest, AcceptRisks: []string{"space-unknown"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range p.Findings {
			if f.Risk == "throttle-too-long" {
				_, got, _ = strings.Cut(f.Message, "at least: ")
			}
		}
		if got != k.want {
			t.Errorf("%v: got %q, want %q", k.longest, got, k.want)
		}
	}
}

func TestAFindingIsSoftenedByItsWordAlone(t *testing.T) {
	t.Parallel()
	all := []Finding{
		{Level: Block, Risk: "disk-full", Broker: 1}, {Level: Block, Risk: "rack-lost", Broker: 2},
		{Level: Warn, Risk: "disk-full", Broker: 3}, {Level: Block, Broker: 4},
	}
	brokers := func(findings []Finding) (ids []int32) {
		for _, f := range findings {
			ids = append(ids, f.Broker)
		}
		return ids
	}
	if got := brokers(Blocking(Soften(all, []string{"disk-full", "", "no-such"}))); !slices.Equal(got, []int32{2, 4}) {
		t.Errorf("brokers %v block, want 2 and 4, which has no word to accept it by", got)
	}
	if got := brokers(Blocking(all)); !slices.Equal(got, []int32{1, 2, 4}) {
		t.Errorf("the findings that were handed in are changed: %v block", got)
	}
}

// A partition that nothing can be copied of was to be mended by bringing back one of
// nobody, where its ISR was empty.
func TestWhoHasToComeBackIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                string
		isr, elr, lastKnown []int32
		want                string
	}{
		{"in sync", []int32{2}, nil, []int32{1}, "bring one of [2] back first"},
		{"in sync and eligible", []int32{2}, []int32{1}, nil, "bring one of [2 1] back first"},
		{"the last known only", nil, nil, []int32{1}, "bring one of [1] back first"},
		{"nobody known", nil, nil, nil, "bring one of [2 1] back first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b Builder
			for id := range int32(3) {
				b.Broker(Broker{ID: id + 1, CapacityBytes: 1000, UsableBytes: Unknown, State: []State{Down, Down, Alive}[id]})
			}
			b.Topic(Topic{Name: "t"})
			b.Partition(PartitionView{Leader: NoLeader, Replicas: []int32{2, 1}, ISR: test.isr, ELR: test.elr, LastKnownELR: test.lastKnown})
			c, err := b.Cluster()
			if err != nil {
				t.Fatal(err)
			}
			p, err := Compute(c, Request{Brokers: []int32{1}})
			if err != nil || len(p.Findings) != 1 || !strings.HasPrefix(p.Findings[0].Remedy, test.want) {
				t.Errorf("got %+v, %v, want %s", p.Findings, err, test.want)
			}
		})
	}
}
