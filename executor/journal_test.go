package executor

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"drain/plan"
	"drain/reassign"
)

func filesIn(t *testing.T) Files { return FilesOf(t.TempDir(), "/runbooks/broker-1.yaml") }

func openT(t *testing.T, files Files) *Journal {
	t.Helper()
	j, err := openJournal(files, openFile)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// started is a journal with a header and two records, closed by its process.
func started(t *testing.T, files Files) []byte {
	t.Helper()
	j := openT(t, files)
	if err := j.Start(Header{Version: JournalVersion, Run: "r1", Cluster: "c", Brokers: []int32{1}}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{KindBegin, KindEnd} {
		if err := j.Append(Record{Kind: kind, Broker: none, Step: 1, Name: "check"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files.Journal())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestATornLastLineIsDroppedAndOverwritten(t *testing.T) {
	t.Parallel()
	files := filesIn(t)
	whole := started(t, files)
	for cut := 1; cut < bytes.IndexByte(whole, '\n'); cut += 7 {
		torn := append(bytes.Clone(whole), whole[:cut]...)
		if err := os.WriteFile(files.Journal(), torn, 0o600); err != nil {
			t.Fatal(err)
		}
		j := openT(t, files)
		if got := len(j.Records()); got != 3 {
			t.Fatalf("torn at %d: got %d records, want 3", cut, got)
		}
		if err := j.Append(Record{Kind: KindGone, Broker: 1, Step: 5}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		records, err := Peek(files)
		if err != nil || len(records) != 4 || records[3].Kind != KindGone || records[3].N != 4 {
			t.Fatalf("torn at %d: read back %d records, %v", cut, len(records), err)
		}
	}
}

func TestAnyOtherDamageNamesTheLineAndTheFile(t *testing.T) {
	t.Parallel()
	whole := string(started(t, filesIn(t)))
	lines := strings.SplitAfter(whole, "\n")
	for _, tc := range []struct{ name, text, want string }{
		{"a bit flipped in the middle", strings.Replace(whole, `"check"`, `"cherk"`, 1), "line 2: its checksum does not fit"},
		{"a line missing", lines[0] + lines[2], "line 2: record 3 stands where 2 should"},
		{"a line twice", lines[0] + lines[1] + lines[1], "line 3: record 2 stands where 3 should"},
		{"a line that is no record", lines[0] + "hello\n" + lines[1], "line 2: it does not end with a checksum"},
		{"an empty line", lines[0] + "\n" + lines[1], "line 2: it does not end with a checksum"},
		{"no header", lines[1] + lines[2], "line 1: record 2 stands where 1 should"},
		{"another version", versioned(t, 2), "line 1: version 2: this drain reads version 1"},
		{"a kind from the future", sealed(t, `{"n":1,"time":"2026-01-01T00:00:00Z","kind":"later","broker":-1`), `line 1: "later" is no kind of record`},
		{"a record without its content", sealed(t, `{"n":1,"time":"2026-01-01T00:00:00Z","kind":"header","broker":-1`), `line 1: a "header" record without what it is about`},
		{"an unknown field", sealed(t, `{"n":1,"time":"2026-01-01T00:00:00Z","kind":"gone","broker":-1,"colour":1`), `line 1: json: unknown field "colour"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			files := filesIn(t)
			if err := os.MkdirAll(files.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(files.Journal(), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := openJournal(files, openFile)
			if !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), files.Journal()) {
				t.Errorf("got %v, want an ErrJournal with %q and the file", err, tc.want)
			}
			// Nobody holds the lock after a failure.
			if alive, err := Alive(files); alive || err != nil {
				t.Errorf("alive %v, %v", alive, err)
			}
		})
	}
}

func versioned(t *testing.T, version int) string {
	t.Helper()
	text, err := line(Record{N: 1, Kind: KindHeader, Header: &Header{Version: version}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAJournalIsPrivateLockedAndRotated(t *testing.T) {
	t.Parallel()
	files := filesIn(t)
	j := openT(t, files)
	if err := j.Start(Header{Version: JournalVersion, Run: "first", Cluster: "c"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{files.Journal(), files.Lock()} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v; want 0600", path, info.Mode(), err)
		}
	}
	if _, err := openJournal(files, openFile); !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), "locked") {
		t.Errorf("a second run got %v, want an ErrJournal that says locked", err)
	}
	if err := j.End(nil); err != nil {
		t.Fatal(err)
	}
	j.Close()

	next := openT(t, files)
	defer next.Close()
	if len(next.Records()) != 0 || len(next.Closed()) != 2 {
		t.Errorf("got %d records and %d of the run before, want 0 and 2", len(next.Records()), len(next.Closed()))
	}
	if err := next.Start(Header{Version: JournalVersion, Run: "second", Cluster: "c"}); err != nil {
		t.Fatal(err)
	}
	dated, err := filepath.Glob(filepath.Join(files.Dir, "*-first.jsonl"))
	if err != nil || len(dated) != 1 {
		t.Fatalf("the run before is kept as %v, %v; want one dated file", dated, err)
	}
	old, err := os.Open(dated[0])
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if records, _, err := Read(old); err != nil || len(records) != 2 || records[1].Text != "done" {
		t.Errorf("the run before reads as %v, %v", records, err)
	}
}

func TestALookAtTheLockIsNotAnotherRun(t *testing.T) {
	t.Parallel()
	files := filesIn(t)
	openT(t, files).Close()
	looking := flock.New(files.Lock())
	if held, err := looking.TryRLock(); !held || err != nil {
		t.Fatal(held, err)
	}
	time.AfterFunc(100*time.Millisecond, func() { looking.Close() })
	j, err := openJournal(files, openFile)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
}

// TestTheLockOfAKilledProcessIsFree starts this test binary again as a process
// that holds the journal, and kills it.
func TestTheLockOfAKilledProcessIsFree(t *testing.T) {
	if dir := os.Getenv("HOLD_JOURNAL"); dir != "" {
		j := openT(t, FilesOf(dir, "/runbooks/broker-1.yaml"))
		if err := j.Start(Header{Version: JournalVersion, Run: "held"}); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("held\n")
		select {}
	}
	files := filesIn(t)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestTheLockOfAKilledProcessIsFree$", "-test.v")
	cmd.Env = append(os.Environ(), "HOLD_JOURNAL="+files.Dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for said := ""; !strings.Contains(said, "held"); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		said += string(buf[:n])
	}
	if _, err := openJournal(files, openFile); !errors.Is(err, ErrJournal) {
		t.Errorf("while it lives: got %v, want ErrJournal", err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	j := openT(t, files)
	defer j.Close()
	if len(j.Records()) != 1 {
		t.Errorf("got %d records of the killed run, want its header", len(j.Records()))
	}
}

// failing is a disk that is full from a moment on.
type failing struct {
	file
	left int // writes
}

var errFull = errors.New("no space left on device")

func (f *failing) Write(b []byte) (int, error) {
	if f.left--; f.left < 0 {
		n, _ := f.file.Write(b[:len(b)/2]) // the first half fits
		return n, errFull
	}
	return f.file.Write(b)
}

func TestAfterAFailedWriteNothingIsWrittenAndTheRestReadsBack(t *testing.T) {
	t.Parallel()
	files := filesIn(t)
	j, err := openJournal(files, func(name string, flag int, perm os.FileMode) (file, error) {
		f, err := openFile(name, flag, perm)
		return &failing{f, 2}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Start(Header{Version: JournalVersion, Run: "r"}); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(Record{Kind: KindBegin, Broker: none, Step: 1}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := j.Append(Record{Kind: KindEnd, Broker: none, Step: 1}); !errors.Is(err, errFull) {
			t.Errorf("got %v, want %v", err, errFull)
		}
	}
	if len(j.Records()) != 2 {
		t.Errorf("%d records are kept, want the 2 that are durable", len(j.Records()))
	}
	j.Close()
	again := openT(t, files)
	defer again.Close()
	if len(again.Records()) != 2 {
		t.Errorf("%d records read back, want 2", len(again.Records()))
	}
}

func TestEveryRecordReadsBackAsItWas(t *testing.T) {
	t.Parallel()
	before := "5"
	rate := int64(0)
	records := []Record{
		{Kind: KindHeader, Broker: none, Header: &Header{Version: JournalVersion, Run: "r", Cluster: "c", Brokers: []int32{0, 1}, Settings: map[string]string{"poll": "1s"}}},
		{Kind: KindBaseline, Broker: none, Baseline: &Baseline{Partitions: 3, Live: []int32{1, 2}, Sick: []Health{{Partition: Partition{"a-b", 0}, Leaderless: true, Missing: 2}}}},
		{Kind: KindPlan, Broker: none, Step: 3, Name: "move", Plan: &PlanPart{Round: 1, Moves: []Move{moveRecord(plan.Move{
			TopicPartition: plan.TopicPartition{Topic: "a-b", Partition: 12}, TopicID: [16]byte{1, 0xff},
			Before: []int32{1, 2}, After: []int32{3, 2}, From: []int32{1}, To: []int32{3}, Bytes: 9, Leader: -1, LeadsDuring: 2, LeadsFirst: 3, Dirs: []string{"/d"},
		})}, Left: []Partition{{"x", 1}}}},
		{Kind: KindOwe, Broker: none, Debt: &reassign.Debt{Resource: reassign.OfBroker(1), Key: "k", Before: &before, Set: "6"}},
		{Kind: KindThrottle, Broker: none, Throttle: &rate, Answer: &Answer{Who: "w", How: "h"}},
		{Kind: KindAct, Step: 5, Name: "stop", Broker: 0, Act: &Act{Argv: []string{"a b", "", "ü\n"}, Timeout: time.Minute, Live: []int32{}}},
	}
	var text bytes.Buffer
	for i := range records {
		records[i].N, records[i].Time = i+1, time.Date(2026, 1, 1, 0, 0, i, 5, time.UTC)
		l, err := line(records[i])
		if err != nil {
			t.Fatal(err)
		}
		text.Write(l)
	}
	got, size, err := Read(bytes.NewReader(text.Bytes()))
	if err != nil || size != int64(text.Len()) {
		t.Fatalf("read %d of %d bytes, %v", size, text.Len(), err)
	}
	again := encode(t, got)
	if !bytes.Equal(again, text.Bytes()) {
		t.Errorf("written again it is\n%s\nwant\n%s", again, text.Bytes())
	}
	if m := got[2].Plan.Moves[0].move(); m.TopicPartition.String() != "a-b-12" || m.TopicID[1] != 0xff || m.Dirs[0] != "/d" {
		t.Errorf("the move reads back as %+v", m)
	}
}

func encode(t *testing.T, records []Record) []byte {
	t.Helper()
	var text []byte
	for _, rec := range records {
		l, err := line(rec)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, l...)
	}
	return text
}

// What failed was told, and not which folder, nor what to do.
func TestAStateFolderThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "state")
	_, opened := openJournal(FilesOf(dir, "/r.yaml"), openFile)
	for name, err := range map[string]error{"open": opened, "send": Send(FilesOf(dir, "/r.yaml"), Request{Kind: AskCancel})} {
		if err == nil || !strings.Contains(err.Error(), "state folder "+dir) || !strings.Contains(err.Error(), "--state-dir") {
			t.Errorf("%s: got %v, want the folder and the flag", name, err)
		}
	}
	if _, err := receive(FilesOf(dir, "/r.yaml"), allKinds...); err == nil {
		t.Error("a folder that cannot be read looks like one without requests")
	}
}
