package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drain/executor"
	"drain/reassign"
	"drain/runbooks"
)

// A stop that was begun and not seen to end is what cleanup refuses.
func TestStatusNamesTheVerbThatGivesBack(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		"open": "drain cleanup", "failed": "drain cleanup", "begun": "drain run, which sees to the stop that was begun,",
	} {
		st := executor.Status{Steps: []executor.StepStatus{{Slot: executor.Slot{Kind: runbooks.Stop, Broker: 1}, State: state}}}
		if got := giver(st); got != want {
			t.Errorf("stop %s: got %q, want %q", state, got, want)
		}
	}
}

func TestStatusSaysHowARunStands(t *testing.T) {
	t.Parallel()
	cordon := reassign.Debt{Resource: reassign.OfBroker(1), Key: reassign.CordonedDirs, Set: "*"}
	rate := reassign.Debt{Resource: reassign.OfBroker(2), Key: reassign.LeaderRate, Set: "5000000"}
	stop := func(state string) []executor.StepStatus {
		return []executor.StepStatus{{Slot: executor.Slot{Step: 5, Kind: runbooks.Stop, Broker: 1}, State: state}}
	}
	for _, tc := range []struct {
		name  string
		st    executor.Status
		has   []string
		lacks string
	}{
		{"a cordon that is kept on purpose", executor.Status{Ended: "done", Kept: []reassign.Debt{cordon}, Steps: stop("done")},
			[]string{"drain of broker 1", ": ended, done", "kept until `drain restore`:\n  "}, "still owed"},
		{"a throttle that is owed", executor.Status{Next: runbooks.Check, Owed: []reassign.Debt{rate}, Steps: stop("open")},
			[]string{"interrupted; `drain run` goes on with check", "still owed:\n  "}, "kept"},
		{"a stop that has failed", executor.Status{Next: runbooks.Check, Steps: stop("failed"), Done: executor.Done{StopBegun: true}},
			[]string{"failed in stop 1, with a stop issued; `drain run` goes on with check"}, "interrupted"},
		{"a step that failed for several reasons", executor.Status{Next: runbooks.Check, Steps: []executor.StepStatus{{Slot: executor.Slot{Step: 3, Kind: runbooks.Move, Broker: -1}, State: "failed", Text: "one\ntwo"}}},
			[]string{"  move  failed  one; two\n"}, "one\n"},
		{"a gate that has refused", executor.Status{Next: runbooks.Check, Steps: stop("failed")},
			[]string{"failed in stop 1; `drain run` goes on with check"}, "issued"},
		{"a watch that was interrupted", executor.Status{Next: runbooks.Confirm, Steps: stop("done"), Done: executor.Done{StopBegun: true, Watching: true, Stopped: []int32{1}}},
			[]string{"Broker 1 is stopped, and not watched to the end; `drain run` goes on with confirm"}, "failed"},
		{"a restore under way", executor.Status{Header: executor.Header{Verb: "restore"}, Next: "restore"},
			[]string{"restore of broker 1", "interrupted; `drain restore` goes on"}, "drain run"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.st.Found, tc.st.Began, tc.st.Header.Brokers = true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), []int32{1}
			var out bytes.Buffer
			writeStatus(&out, tc.st)
			for _, words := range tc.has {
				if !strings.Contains(out.String(), words) {
					t.Errorf("got\n%s\nwant %q in it", out.String(), words)
				}
			}
			if strings.Contains(out.String(), tc.lacks) {
				t.Errorf("got\n%s\nwithout %q", out.String(), tc.lacks)
			}
		})
	}
}

// A certificate that was moved away hid the journal, which needs none.
func TestStatusShowsTheJournalWhereTheClusterCannotBeAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "one.yaml")
	text := "version: 1\nbroker: 1\ncluster: {bootstrap: [\"127.0.0.1:1\"], tls: {caFile: no-such.pem}}\nthrottle: none\nstop: {command: [stop, \"{broker}\"]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(executor.FilesOf(dir, file).Journal(), []byte(journal(t, "c")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := call(t, "status", file, "--state-dir", dir)
	if _, unread, told := strings.Cut(stdout, "could not be read:\n  the cluster: "); code != 0 || !strings.Contains(stdout, "drain of broker 1, begun ") || !told || !strings.Contains(unread, "no-such.pem") {
		t.Errorf("got %d\n%s", code, stdout)
	}
	_, document, _ := call(t, "status", file, "--state-dir", dir, "--output", "json")
	if !strings.Contains(document, `"unread":["the cluster: `) {
		t.Errorf("got %s", document)
	}
}

// What is owed is 5, whatever else the journal says was done.
func TestStatusIsFiveWhereSomethingIsOwed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "one.yaml")
	text := "version: 1\nbroker: 1\ncluster: {bootstrap: [\"127.0.0.1:1\"], tls: {caFile: no-such.pem}}\nthrottle: none\nstop: {command: [stop, \"{broker}\"]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rate := reassign.Debt{Resource: reassign.OfBroker(2), Key: reassign.LeaderRate, Set: "5000000"}
	head := executor.Record{Kind: executor.KindHeader, Header: &executor.Header{Version: executor.JournalVersion, Run: "r", Cluster: "c", Brokers: []int32{1}}}
	records := journalOf(t, head, executor.Record{Kind: executor.KindOwe, Debt: &rate})
	if err := os.WriteFile(executor.FilesOf(dir, file).Journal(), []byte(records), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call(t, "status", file, "--state-dir", dir)
	if code != 5 || !strings.Contains(stdout, "still owed:\n  ") || !strings.HasSuffix(stderr, "drain: settings are still owed: drain cleanup gives them back\n") {
		t.Errorf("got %d\n%s\nand %q", code, stdout, stderr)
	}
}
