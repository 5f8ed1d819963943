package runbooks

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// StepKind names what a step does.
type StepKind string

// The kinds of steps, in the order in which a run usually takes them.
const (
	Check      StepKind = "check"      // judge the plan and the cluster before anything changes
	Cordon     StepKind = "cordon"     // close the broker to new replicas
	Move       StepKind = "move"       // move the replicas away
	Verify     StepKind = "verify"     // prove that the stop hurts nobody
	Stop       StepKind = "stop"       // run the stop command and see the broker leave
	Confirm    StepKind = "confirm"    // watch the cluster afterwards
	Unregister StepKind = "unregister" // take the broker out of the cluster's records
	Run        StepKind = "run"        // run a command of the runbook's own
	Approve    StepKind = "approve"    // wait for a person
)

// Step is one step of a run. Run is set for the kind Run alone, and Approve, what
// the person is asked, for the kind Approve alone.
type Step struct {
	Kind    StepKind
	Run     *RunStep
	Approve string
}

// RunStep is a command of the runbook's own. Command is an argv with the
// placeholders of Expand, never given to a shell.
type RunStep struct {
	Name    string
	Command []string
	Timeout time.Duration // DefaultRunTimeout unless said
	Repeat  bool          // may be run again when it began and nobody saw it end
}

// DefaultRunTimeout is how long a run step may take when it does not say.
const DefaultRunTimeout = 5 * time.Minute

// DefaultSteps is the order of a runbook that gives none.
func DefaultSteps() []Step {
	return []Step{{Kind: Check}, {Kind: Cordon}, {Kind: Move}, {Kind: Verify}, {Kind: Stop}, {Kind: Confirm}}
}

// Has reports whether one of the steps is of this kind.
func (r Runbook) Has(kind StepKind) bool {
	for _, s := range r.Steps {
		if s.Kind == kind {
			return true
		}
	}
	return false
}

// steps is the form of the list, and step that of one: a word, or {run: {...}} or
// {approve: text}.
func steps() form[[]Step] {
	return listOf("a list of steps such as [check, move, verify, stop, confirm]", step(), true, func(list []Step) error {
		if len(list) == 0 {
			return refusal("leave the key out for the default order", "the list is empty")
		}
		return nil
	})
}

const (
	runExample     = "{run: {name: page, command: [page, \"draining {broker}\"]}}"
	approveExample = "{approve: \"is the batch job done?\"}"
)

func step() form[Step] {
	word := oneOf[StepKind](
		choice{"check", "judge the plan and the cluster before anything changes"},
		choice{"cordon", "close the broker to new replicas"},
		choice{"move", "move the replicas away"},
		choice{"verify", "prove that the stop hurts nobody"},
		choice{"stop", "run the stop command and see the broker leave"},
		choice{"confirm", "watch the cluster afterwards"},
		choice{"unregister", "take the broker out of the cluster's records"},
		choice{"run", "run a command of your own: `" + runExample + "`"},
		choice{"approve", "wait for a person: `" + approveExample + "`"},
	)
	f := form[Step]{want: "a step such as verify", choices: word.choices}
	f.parse = func(words []string) (Step, error) {
		kind, err := word.parse(words)
		if err == nil {
			err = wordAlone(kind)
		}
		return Step{Kind: kind}, err
	}
	f.read = func(d *reader, n *node, path string) (Step, bool) {
		if n.Kind == yaml.MappingNode {
			return readLongStep(d, n, path)
		}
		kind, ok := word.read(d, n, path)
		if err := wordAlone(kind); ok && err != nil {
			d.errs = append(d.errs, placed(err, n.Line, path))
			return Step{}, false
		}
		return Step{Kind: kind}, ok
	}
	f.print, f.schema = printStep, stepSchema(word.choices)
	return f
}

// wordAlone refuses the kinds that say more than their name.
func wordAlone(kind StepKind) error {
	switch kind {
	case Run:
		return refusal("write "+runExample, "a run step needs a command")
	case Approve:
		return refusal("write "+approveExample, "an approve step needs a text")
	}
	return nil
}

func readLongStep(d *reader, n *node, path string) (Step, bool) {
	before := len(d.errs)
	known := func(p string) bool { return p == path+".run" || p == path+".approve" }
	unknown := func(p string, key *node) {
		d.fail(key.Line, path, "write a word such as verify, "+runExample+" or "+approveExample, "not a step")
	}
	found := d.entries(path, n, known, unknown)
	if len(d.errs) == before && len(found) != 1 {
		d.fail(n.Line, path, "begin each with a dash of its own", "one step expected, found %d", len(found))
	}
	if len(d.errs) > before {
		return Step{}, false
	}
	if leaf(found[0].path) == "approve" {
		ask, ok := question().read(d, found[0].value, found[0].path)
		return Step{Kind: Approve, Approve: ask}, ok
	}
	run := RunStep{Timeout: DefaultRunTimeout}
	readSection(d, runKeys(), found[0].path, found[0].value, &run)
	for _, k := range lacking(runKeys(), found[0].path, run) {
		if len(d.errs) == before {
			d.fail(found[0].line, found[0].path, "write "+runExample, "%s is not given", leaf(k.path))
		}
	}
	return Step{Kind: Run, Run: &run}, len(d.errs) == before
}

func question() form[string] {
	return text("a text", func(s string) error {
		if strings.TrimSpace(s) == "" {
			return refusal("write what the person is asked", "is empty")
		}
		return speakable(s)
	})
}

func printStep(s Step) string {
	switch {
	case s.Kind == Approve:
		return "{approve: " + quote(s.Approve) + "}"
	case s.Kind != Run || s.Run == nil:
		return string(s.Kind)
	}
	var parts []string
	for _, k := range runKeys() {
		if !k.value.same(*s.Run, RunStep{Timeout: DefaultRunTimeout}) {
			parts = append(parts, leaf(k.path)+": "+k.value.print(*s.Run))
		}
	}
	return "{run: {" + strings.Join(parts, ", ") + "}}"
}
