package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// said is a diagnosis in lines, as a person would read it.
func said(d Diagnosis) string {
	var text strings.Builder
	for _, s := range d.Leaderless {
		fmt.Fprintf(&text, "%v:", s.TopicPartition)
		for _, r := range s.Replicas {
			fmt.Fprintf(&text, " %d %v", r.Broker, r.Health)
		}
		text.WriteByte('\n')
		for _, c := range s.Cures {
			fmt.Fprintf(&text, "  %v", c.Action)
			if c.Broker != NoLeader {
				fmt.Fprintf(&text, " %d", c.Broker)
			}
			if c.Down {
				text.WriteString(" when started")
			}
			fmt.Fprintf(&text, ", loses %v", c.Loss)
			if c.AfterCrash != Trusted {
				fmt.Fprintf(&text, ", after a crash %v", c.AfterCrash)
			}
			if c.Target != nil {
				fmt.Fprintf(&text, " on %v", c.Target)
			}
			text.WriteByte('\n')
		}
	}
	return text.String()
}

func TestDiagnoseNamesTheCuresCleanestFirst(t *testing.T) {
	t.Parallel()
	for _, k := range []struct{ name, head, partition, want string }{
		{
			name: "one replica, and it is down", partition: "0 1 leader=-1",
			want: "1 down\n startBroker 1, loses nothing\n recreate, loses everything on [3]",
		},
		{
			name: "one replica of several in sync, another behind", partition: "0 2,3 isr=2 leader=-1",
			want: "2 fenced 3 alive\n startBroker 2, loses nothing\n electUncleanly 3, loses notCopied",
		},
		{
			name: "all are away, one of them in sync", partition: "0 2,1 isr=1 leader=-1",
			want: "2 fenced 1 down\n startBroker 1, loses nothing\n electUncleanly 2 when started, loses notCopied",
		},
		{
			name: "all are away, and unclean election is on", head: "cluster unclean=true", partition: "0 2,1 isr=1 leader=-1",
			want: "2 fenced 1 down\n startBroker 1, loses nothing\n startBroker 2, loses notCopied\n recreate, loses everything on [3 4]",
		},
		{
			name: "unclean election was just switched on", head: "cluster unclean=true", partition: "0 1,3 isr=1 leader=-1",
			want: "1 down 3 alive\n startBroker 1, loses nothing, after a crash notElected\n wait 3, loses notCopied\n electUncleanly 3, loses notCopied",
		},
		{
			name: "the controller has not acted yet", partition: "0 1,3 isr=3 leader=-1",
			want: "1 down 3 alive\n wait 3, loses nothing",
		},
		{
			name: "its log dir is offline", partition: "0 3 leader=-1 offline=3",
			want: "3 offlineDir\n mendLogDir 3, loses nothing\n recreate, loses everything on [3]",
		},
		{
			name: "a live broker lists a dead one's replica as offline too", partition: "0 1 leader=-1 offline=1",
			want: "1 down\n startBroker 1, loses nothing\n recreate, loses everything on [3]",
		},
		{
			name: "with ELR, the last known leader", head: "cluster elr release=4.4", partition: "0 1 isr= elr=1 known=1 leader=-1",
			want: "1 down\n startBroker 1, loses nothing, after a crash lastKnownLeader\n recreate, loses everything on [3]",
		},
		{
			name: "with ELR, several eligible ones", head: "cluster elr release=4.4 min=2", partition: "0 1,2,3 isr= elr=1,2 known=1 leader=-1",
			want: "1 down 2 fenced 3 alive\n startBroker 1, loses nothing, after a crash notElected\n startBroker 2, loses nothing, after a crash notElected\n electUncleanly 3, loses notCopied",
		},
		{
			name: "with ZooKeeper, several in sync", head: "cluster zookeeper release=3.9", partition: "0 1,2,3 isr=1,2 leader=-1",
			want: "1 down 2 fenced 3 alive\n startBroker 1, loses nothing\n startBroker 2, loses nothing\n electUncleanly 3, loses notCopied",
		},
		{
			name: "in controlled shutdown", partition: "1 4,5 isr=5 leader=-1",
			want: "4 alive 5 shuttingDown\n startBroker 5, loses nothing\n electUncleanly 4, loses notCopied",
		},
		{
			name: "the second partition begins anew elsewhere", partition: "1 1 leader=-1",
			want: "1 down\n startBroker 1, loses nothing\n recreate, loses everything on [4]",
		},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			c := sketched(t, k.head+"\nbroker 2 fenced\nbroker 3\nbroker 4\nbroker 5 shuttingDown\ntopic log\n"+k.partition)
			number, _, _ := strings.Cut(k.partition, " ")
			want := "log-" + number + ": " + strings.ReplaceAll(k.want, "\n ", "\n  ") + "\n"
			if got := said(Diagnose(c)); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestDiagnoseCountsWhatIsNotWell(t *testing.T) {
	t.Parallel()
	c := sketched(t, fourBrokers+`
		topic a min=2
		0 1,2,3
		1 1,2,4 isr=1,2
		2 1,4 isr=1
		3 2,1 leader=1
		4 1,2,3,4 isr=1,2,3 adding=4
		topic b min=2
		0 3
		1 4 leader=-1`)
	d := Diagnose(c)
	for _, k := range []struct {
		name  string
		tally Tally
		want  string
	}{
		{"under min ISR", d.UnderMinISR, "1 [a-2]"},
		{"at min ISR", d.AtMinISR, "3 [a-1 a-3 b-0]"}, // b-0: no more than its replicas are needed
		{"under-replicated", d.UnderReplicated, "2 [a-1 a-2]"},
		{"preferred leader elsewhere", d.LedElsewhere, "1 [a-3]"},
	} {
		if got := fmt.Sprint(k.tally.Count, " ", k.tally.First); got != k.want {
			t.Errorf("%s: got %s, want %s", k.name, got, k.want)
		}
	}
	if d.Partitions != 7 || len(d.Leaderless) != 1 {
		t.Errorf("got %d partitions and %v leaderless, want 7 and b-1", d.Partitions, d.Leaderless)
	}
}

func TestATallyNamesTheFirstTen(t *testing.T) {
	t.Parallel()
	text := "broker 1\nbroker 2\ntopic a"
	for p := range 12 {
		text += fmt.Sprintf("\n%d 2,1 leader=1", p)
	}
	if got := Diagnose(sketched(t, text)).LedElsewhere; got.Count != 12 || len(got.First) != 10 || got.First[9].Partition != 9 {
		t.Errorf("got %+v, want 12 and the first ten", got)
	}
}

// TestSinceIsWhenTheLastReplicaInSyncWasHeardOf: earlier losses did not stop
// the partition, and a broker that was not in sync says nothing.
func TestSinceIsWhenTheLastReplicaInSyncWasHeardOf(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Date(2026, 11, 29, 20, 0, second, 0, time.UTC) }
	c := sketched(t, `
		cluster elr
		broker 2 fenced
		broker 4
		topic a
		0 1,2,3 isr= elr=1,2 leader=-1
		1 5 leader=-1
		2 4,2 isr=4,2 offline=4 leader=-1`)
	c.Heard = []Heard{{1, at(10)}, {2, at(20)}, {3, at(30)}, {4, at(40)}}
	var since []time.Time
	for _, s := range Diagnose(c).Leaderless {
		since = append(since, s.Since)
	}
	// a-1: forgotten; a-2: a failed log dir has no time.
	if want := []time.Time{at(20), {}, {}}; !slices.Equal(since, want) {
		t.Errorf("got %v, want %v", since, want)
	}
}

// TestEveryStartThatIsNamedBringsThePartitionBack plays each cure that starts a
// broker, and sees that no other broker alone would do.
func TestEveryStartThatIsNamedBringsThePartitionBack(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"", "cluster elr release=4.4 min=2", "cluster unclean=true", "cluster zookeeper", "cluster zookeeper unclean=true"} {
		for _, isr := range []string{"1", "2", "3", "1,2", "2,3"} {
			text := head + "\nbroker 1 fenced\nbroker 2 down\nbroker 3 fenced\ntopic a\n0 3,1,2 leader=-1 isr=" + isr
			named := map[int32]bool{}
			for _, cure := range Diagnose(sketched(t, text)).Leaderless[0].Cures {
				if cure.Action == StartBroker {
					named[cure.Broker] = true
				}
			}
			for id := range int32(3) {
				up := strings.NewReplacer(fmt.Sprintf("broker %d fenced", id+1), fmt.Sprintf("broker %d", id+1), fmt.Sprintf("broker %d down", id+1), fmt.Sprintf("broker %d", id+1)).Replace(text)
				cures := Diagnose(sketched(t, up)).Leaderless[0].Cures
				back := slices.ContainsFunc(cures, func(c Cure) bool { return c.Action == Wait && c.Broker == id+1 })
				if back != named[id+1] {
					t.Errorf("%q, ISR %s: broker %d named %v, and with it %+v", head, isr, id+1, named[id+1], cures)
				}
			}
		}
	}
}
