package executor

import (
	"fmt"
	"strings"

	"drain/plan"
	"drain/runbooks"
)

// String is Kafka's own spelling.
func (p Partition) String() string { return plan.TopicPartition(p).String() }

// MarshalText is the spelling of String, and nothing for the zero Partition.
func (p Partition) MarshalText() ([]byte, error) {
	if p == (Partition{}) {
		return nil, nil
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what MarshalText wrote. A topic may hold dashes itself.
func (p *Partition) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" {
		*p = Partition{}
		return nil
	}
	dash := strings.LastIndexByte(s, '-')
	if dash <= 0 {
		return fmt.Errorf("%q is not a partition", s)
	}
	number, err := runbooks.ParseID(s[dash+1:])
	if err != nil {
		return fmt.Errorf("%q is not a partition", s)
	}
	*p = Partition{Topic: s[:dash], Partition: number}
	return nil
}

func partitions(of []plan.TopicPartition) []Partition {
	named := make([]Partition, len(of))
	for i, tp := range of {
		named[i] = Partition(tp)
	}
	return named
}
