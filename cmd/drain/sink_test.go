package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drain/executor"
	"drain/plan"
	"drain/reassign"
)

// stuck is a renderer whose reader went away.
type stuck struct{ release chan struct{} }

func (s stuck) event(executor.Event) { <-s.release }
func (s stuck) close()               {}

func TestARendererThatIsHeldUpHoldsUpNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := stuck{make(chan struct{})}
		s := newSink(r, forPeople)
		began := time.Now()
		for range 1000 {
			s.Event(executor.Event{Kind: executor.EventWarn})
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("1,000 events took %v", waited)
		}
		s.close()
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("close gave up after %v, want 1s", waited)
		}
		close(r.release)
		synctest.Wait()
	})
}

// slow takes a second for each write, as a pipe does whose reader is behind.
type slow struct{ bytes.Buffer }

func (s *slow) Write(b []byte) (int, error) {
	time.Sleep(time.Second)
	return s.Buffer.Write(b)
}

// A program that read slowly got the end of the run before most of its events.
func TestTheEndIsTheLastLineForASlowReaderToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out slow
		lines := newJSONEvents(&out)
		s := newSink(lines, forPrograms)
		for range 5 {
			s.Event(executor.Event{Kind: executor.EventWarn})
		}
		s.close()
		lines.end(time.Now(), executor.Done{}, nil)
		got := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(got) != 6 || !strings.Contains(got[5], `"event":"end"`) {
			t.Errorf("got %d lines, want 5 and the end:\n%s", len(got), out.String())
		}
	})
}

// progress is an event of a move that is that far.
func progress(at time.Time, moves int) executor.Event {
	return executor.Event{Time: at, Kind: executor.EventProgress, Step: "move", Broker: -1, Move: &reassign.Event{
		Kind:     reassign.Progressed,
		Progress: &reassign.Progress{Moves: moves, MovesTotal: 4, Bytes: int64(moves) * 1e6, BytesTotal: 4e6, BytesPerSec: 1e6, Left: 3 * time.Second},
	}}
}

func TestWithoutATerminalALookThatFindsNothingNewPrintsNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	text := &textEvents{w: &out}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, moves := range []int{0, 0, 0, 1, 1, 4} {
		text.event(progress(at.Add(time.Duration(i)*time.Second), moves))
	}
	text.close()
	want := `03:04:05   0 of 4 moved, 0 B of 4 MB, 1 MB/s, 3s left
03:04:08   1 of 4 moved, 1 MB of 4 MB, 1 MB/s, 3s left
03:04:10   4 of 4 moved, 4 MB of 4 MB, 1 MB/s, 3s left
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A run that was interrupted printed a line for each setting that stays, and the
// one that says how to go on stood under hundreds of them.
func TestSettingsThatStayAreOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	text := &textEvents{w: &out}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, kept := range []reassign.Debt{
		{Resource: reassign.OfBroker(2), Key: reassign.LeaderRate, Set: "1"}, {Resource: reassign.OfBroker(1), Key: reassign.FollowerRate, Set: "1"},
		{Resource: reassign.OfBroker(1), Key: reassign.LeaderRate, Set: "1"}, {Resource: reassign.OfTopic("log"), Key: reassign.LeaderList, Entries: []string{"0:1"}},
		{Resource: reassign.OfTopic("log"), Key: reassign.MinISR, Set: "1"},
	} {
		text.event(executor.Event{Time: at, Kind: executor.EventMove, Broker: -1, Text: kept.String() + " stays", Move: &reassign.Event{Kind: reassign.Kept, Debt: &kept}})
	}
	text.close()
	if n := strings.Count(out.String(), "\n"); n != 2 ||
		!strings.Contains(out.String(), "kept while Kafka copies: the throttle of brokers 1 and 2, topics log\n") ||
		!strings.Contains(out.String(), "topic log min.insync.replicas stays\n") {
		t.Errorf("got\n%s", out.String())
	}
}

func TestOnATerminalProgressIsOneLineThatIsWiped(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	text := &textEvents{w: &out, terminal: true}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	text.event(progress(at, 0))
	text.event(progress(at, 1))
	text.event(executor.Event{Time: at, Kind: executor.EventWarn, Broker: -1, Text: "look"})
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Errorf("%d lines, want the warning alone: %q", n, out.String())
	}
	if !strings.HasSuffix(out.String(), "\r\x1b[K03:04:05 warning: look\n") {
		t.Errorf("the progress is not wiped before the warning: %q", out.String())
	}
}

func TestAChildsOutputCannotWriteToTheTerminal(t *testing.T) {
	t.Parallel()
	if got := printable("a\x1b[2Jb\tc\u009b1md"); got != "a\uFFFD[2Jb\tc\uFFFD1md" {
		t.Errorf("got %q", got)
	}
}

func TestJSONEventsEndWithTheExitCode(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	j := newJSONEvents(&out)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	j.event(progress(at, 1))
	j.end(at, executor.Done{Changed: true}, runError{executor.ErrBlocked, executor.Done{Changed: true}})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %q, want two lines", out.String())
	}
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[1]), &last); err != nil {
		t.Fatal(err)
	}
	if last["event"] != "end" || last["exitCode"] != 5.0 || last["changed"] != true {
		t.Errorf("got %v", last)
	}
	want := `{"time":"2026-01-02T03:04:05Z","event":"progress","step":"move","progress":{"moves":1,"movesTotal":4,"bytes":1000000,"bytesTotal":4000000,"bytesPerSec":1000000,"secondsLeft":3,"inFlight":0}}`
	if lines[0] != want {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
}

// What a line says about moves is there for programs too. Broker 0 is a broker.
func TestMovesAreToldToProgramsInFields(t *testing.T) {
	t.Parallel()
	debt := reassign.Debt{Resource: reassign.OfBroker(0), Key: reassign.LeaderRate, Set: "5"}
	for _, c := range []struct {
		ev   reassign.Event
		want string
	}{
		{reassign.Event{Kind: reassign.Submitted, Partitions: []plan.TopicPartition{{Topic: "log", Partition: 3}, {Topic: "pay"}}}, `{"what":"submitted","partitions":["log-3","pay-0"]}`},
		{reassign.Event{Kind: reassign.Unheld, Broker: 0, BytesPerSec: 7}, `{"what":"unheld","broker":0,"bytesPerSec":7}`},
		{reassign.Event{Kind: reassign.RateIs, Broker: -1}, `{"what":"rate","bytesPerSec":0}`},
		{reassign.Event{Kind: reassign.Owed, Broker: 0, Debt: &debt}, `{"what":"owed","broker":0,"setting":{"resource":{"kind":"broker","name":"0"},"key":"leader.replication.throttled.rate","before":null,"set":"5"}}`},
		{reassign.Event{Kind: reassign.Paused}, `{"what":"paused"}`},
	} {
		var out bytes.Buffer
		newJSONEvents(&out).event(executor.Event{Kind: executor.EventMove, Broker: -1, Move: &c.ev})
		if _, got, _ := strings.Cut(strings.TrimSuffix(out.String(), "}\n"), `"move":`); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
