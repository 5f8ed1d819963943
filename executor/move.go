package executor

import (
	"encoding/hex"
	"fmt"

	"drain/plan"
)

// Move is a plan.Move as the journal spells it.
type Move struct {
	Partition   Partition `json:"partition"`
	TopicID     TopicID   `json:"topicId,omitzero"`
	Before      []int32   `json:"before"`
	After       []int32   `json:"after"`
	From        []int32   `json:"from"`
	To          []int32   `json:"to"`
	Bytes       int64     `json:"bytes"`
	Leader      int32     `json:"leader"`
	LeadsDuring int32     `json:"leadsDuring"`
	LeadsFirst  int32     `json:"leadsFirst"`
	Dirs        []string  `json:"dirs,omitempty"`
	Wave        int       `json:"wave,omitempty"`
	Helper      bool      `json:"helper,omitempty"`
}

func moveRecord(m plan.Move) Move {
	return Move{
		Partition: Partition(m.TopicPartition), TopicID: m.TopicID,
		Before: m.Before, After: m.After, From: m.From, To: m.To, Bytes: m.Bytes,
		Leader: m.Leader, LeadsDuring: m.LeadsDuring, LeadsFirst: m.LeadsFirst, Dirs: m.Dirs,
		Wave: m.Wave, Helper: m.Helper,
	}
}

func (m Move) move() plan.Move {
	return plan.Move{
		TopicPartition: plan.TopicPartition(m.Partition), TopicID: m.TopicID,
		Before: m.Before, After: m.After, From: m.From, To: m.To, Bytes: m.Bytes,
		Leader: m.Leader, LeadsDuring: m.LeadsDuring, LeadsFirst: m.LeadsFirst, Dirs: m.Dirs,
		Wave: m.Wave, Helper: m.Helper,
	}
}

// TopicID is Kafka's id of a topic, in hexadecimal in JSON; zero is unknown.
type TopicID [16]byte

// MarshalText is 32 hexadecimal digits.
func (id TopicID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *TopicID) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(id) {
		return fmt.Errorf("%q is not a topic id", text)
	}
	_, err := hex.Decode(id[:], text)
	return err
}
