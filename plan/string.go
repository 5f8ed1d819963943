package plan

import (
	"fmt"
	"strings"
)

// String is the plan for the eye: a summary, a line a move, and the findings.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "drain %s, %v: %s, %s", JoinIDs(p.Brokers), p.Mode, count(p.Totals.Moves, "move"), FormatBytes(p.Totals.Bytes))
	if p.Totals.Seconds > 0 {
		fmt.Fprintf(&b, ", %s (%s at best: %s)", longText(p.Totals.Seconds), longText(p.Totals.BoundSeconds), p.Totals.Binding)
	} else if p.Totals.Binding != "" {
		fmt.Fprintf(&b, " (bound by %s)", p.Totals.Binding)
	}
	b.WriteByte('\n')
	if p.Instead != nil {
		fmt.Fprintf(&b, "  instead of %s, %s", count(p.Instead.Moves, "move"), FormatBytes(p.Instead.Bytes))
		if p.Instead.Seconds > 0 {
			fmt.Fprintf(&b, ", %s", longText(p.Instead.Seconds))
		}
		if p.InsteadLeft > 0 {
			fmt.Fprintf(&b, ", and %d left", p.InsteadLeft)
		}
		b.WriteByte('\n')
	}
	for i := range p.Moves {
		p.Moves[i].write(&b)
	}
	for _, o := range p.Overrides {
		fmt.Fprintf(&b, "  while moving: topic %s min.insync.replicas=%d\n", o.Topic, o.MinISR)
	}
	for _, name := range p.Left {
		fmt.Fprintf(&b, "  %v stays\n", name)
	}
	for _, f := range p.Findings {
		fmt.Fprintf(&b, "%v %s: %s\n", f.Level, f.Risk, f.Message)
	}
	return b.String()
}

// write is a line such as "orders-0 [1 2 3] -> [4 2 3], 1.05 MB, led by 2".
func (m *Move) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %v %v -> %v, %s", m.TopicPartition, m.Before, m.After, FormatBytes(m.Bytes))
	if m.LeadsDuring != NoLeader {
		fmt.Fprintf(b, ", led by %d meanwhile", m.LeadsDuring)
	}
	for i, dir := range m.Dirs {
		if dir != "" {
			fmt.Fprintf(b, ", on %d in %s", m.To[i], dir)
		}
	}
	if m.Helper {
		b.WriteString(", to make room")
	}
	if m.Wave > 0 {
		fmt.Fprintf(b, ", in wave %d", m.Wave)
	}
	b.WriteByte('\n')
}
