package plan

import (
	"cmp"
	"slices"
)

// Level says what a finding does to a run.
type Level uint8

// The levels of a finding.
const (
	Warn  Level = iota // said, and goes on
	Block              // refused, unless its risk word is accepted
)

// String is the word of the JSON form.
func (l Level) String() string {
	if l == Block {
		return "block"
	}
	return "warn"
}

// Finding is something a person should know before a broker is drained. Topic and
// Key, which is a setting by Kafka's name, are empty, Partition and Broker are -1,
// where it is not about one.
type Finding struct {
	Level     Level
	Risk      string // the word that accepts it, such as "disk-full"
	Topic     string
	Partition int32
	Broker    int32
	Key       string
	Message   string
	Remedy    string
}

// Blocking returns the findings of level Block.
func Blocking(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Level != Block })
}

// Soften returns the findings with those at level Warn whose risk word is
// accepted. One without a risk word cannot be.
func Soften(findings []Finding, accept []string) []Finding {
	all := slices.Clone(findings)
	for i, f := range all {
		if f.Risk != "" && slices.Contains(accept, f.Risk) {
			all[i].Level = Warn
		}
	}
	return all
}

// CompareFindings orders by topic, partition, broker, then risk.
func CompareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Topic, b.Topic),
		cmp.Compare(a.Partition, b.Partition),
		cmp.Compare(a.Broker, b.Broker),
		cmp.Compare(a.Risk, b.Risk),
		cmp.Compare(a.Message, b.Message),
	)
}
