package executor

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drain/executor/child"
	"drain/reassign"
	"drain/runbooks"
)

var update = flag.Bool("update", false, "rewrite the expected text of stories")

// TestStories runs testdata/*.txt: a command, "----", what is expected. A story
// is the journal of a run as it grows:
//
//	runbook STEP,... brokers=1,2   a new runbook and an empty journal
//	record KIND [STEP [BROKER]]    one record more
//	next                           what is to be done next
//	go                             takes what is next, well, up to its end
//	done                           what the journal says was done
func TestStories(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := tell(t, string(text))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("the story goes otherwise (-update rewrites it):\n%s", diff(string(text), got))
			}
		})
	}
}

// diff shows the first lines that differ.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// tell is the text with every answer as it is now.
func tell(t *testing.T, text string) string {
	t.Helper()
	s := &story{t: t}
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n\n") {
		command, _, _ := strings.Cut(block, "\n----")
		out.WriteString(command + "\n----\n")
		for l := range strings.Lines(command) {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
				out.WriteString(s.command(strings.Fields(l)))
			}
		}
		out.WriteString("\n")
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// story is a runbook and the journal so far.
type story struct {
	t       *testing.T
	rb      runbooks.Runbook
	records []Record
}

func (s *story) command(words []string) string {
	switch words[0] {
	case "runbook":
		return s.runbook(words[1:])
	case "record":
		s.add(s.record(words[1:]))
		return ""
	case "next":
		return "next: " + spell(Next(s.rb, s.records)) + "\n"
	case "go":
		return s.goOn()
	case "done":
		d := fold(s.records).done(s.rb)
		return fmt.Sprintf("changed=%v stopBegun=%v stopped=%v owed=%d cordoned=%v\n", d.Changed, d.StopBegun, d.Stopped, len(d.Owed), d.Cordoned)
	}
	s.t.Fatalf("unknown command %q", words)
	return ""
}

func (s *story) runbook(words []string) string {
	s.rb, s.records = runbooks.Runbook{Brokers: []int32{1}}, nil
	for _, w := range words {
		if ids, ok := strings.CutPrefix(w, "brokers="); ok {
			s.rb.Brokers = nil
			for id := range strings.SplitSeq(ids, ",") {
				s.rb.Brokers = append(s.rb.Brokers, s.id(id))
			}
			continue
		}
		for kind := range strings.SplitSeq(w, ",") {
			s.rb.Steps = append(s.rb.Steps, runbooks.Step{Kind: runbooks.StepKind(kind)})
		}
	}
	s.add(Record{Kind: KindHeader, Header: &Header{Brokers: s.rb.Brokers}})
	return ""
}

func (s *story) id(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		s.t.Fatal(err)
	}
	return int32(n)
}

// record is KIND [STEP [BROKER]].
func (s *story) record(words []string) Record {
	rec := Record{Kind: Kind(words[0]), Broker: none}
	if len(words) > 1 {
		rec.Name = runbooks.StepKind(words[1])
		rec.Step = 1 + slices.IndexFunc(s.rb.Steps, func(st runbooks.Step) bool { return st.Kind == rec.Name })
	}
	if len(words) > 2 {
		rec.Broker = s.id(words[2])
	}
	return rec
}

func (s *story) add(rec Record) {
	rec.N, rec.Time = len(s.records)+1, time.Unix(0, 0)
	switch rec.Kind {
	case KindResume:
		rec.Header = &Header{}
	case KindBaseline:
		rec.Baseline = &Baseline{}
	case KindPlan:
		rec.Plan = &PlanPart{Round: 1}
	case KindAct:
		rec.Act = &Act{}
	case KindChild:
		rec.Process = &child.Process{}
	case KindExit:
		rec.Exit = &child.Exit{}
	case KindOwe, KindPaid:
		rec.Debt = &reassign.Debt{Resource: reassign.OfBroker(1), Key: reassign.CordonedDirs, Set: "*"}
	}
	s.records = append(s.records, rec)
}

func spell(a Action) string {
	text := string(a.Kind)
	if a.Broker != none {
		text += fmt.Sprintf(" %d", a.Broker)
	}
	if a.Again {
		text += " (begun before)"
	}
	return text
}

// goOn takes every step well, and names them.
func (s *story) goOn() string {
	var taken []string
	for {
		a := Next(s.rb, s.records)
		taken = append(taken, spell(a))
		switch a.Kind {
		case finish:
			return strings.Join(taken, ", ") + "\n"
		case observe:
			s.add(Record{Kind: KindBaseline, Broker: none})
		case consent:
			s.add(Record{Kind: KindConsent, Broker: none})
		default:
			s.take(a)
		}
	}
}

func (s *story) take(a Action) {
	rec := Record{Kind: KindBegin, Step: a.Step, Name: a.Kind, Broker: a.Broker}
	s.add(rec)
	if a.Kind == runbooks.Stop {
		for _, kind := range []Kind{KindAct, KindChild, KindExit, KindGone} {
			rec.Kind = kind
			s.add(rec)
		}
	}
	rec.Kind = KindEnd
	s.add(rec)
}
