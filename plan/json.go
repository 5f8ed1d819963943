package plan

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// The JSON form of a plan, docs/FORMATS.md, has all that is needed to carry a
// plan out: what UnmarshalJSON reads is what MarshalJSON was
// given.
type planJSON struct {
	Cluster   string         `json:"cluster,omitempty"`
	Brokers   []int32        `json:"brokers"`
	Mode      string         `json:"mode"`
	Moves     []moveJSON     `json:"moves"`
	Totals    totalsJSON     `json:"totals"`
	Findings  []Finding      `json:"findings"`
	Bounds    []boundJSON    `json:"bounds"`
	Overrides []overrideJSON `json:"overrides,omitempty"`
	Instead   *totalsJSON    `json:"instead,omitempty"`
	Left      []nameJSON     `json:"left,omitempty"`

	InsteadLeft int `json:"insteadLeft,omitempty"`
}

type nameJSON struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
}

type moveJSON struct {
	nameJSON
	From        []int32 `json:"from"`
	To          []int32 `json:"to"`
	Bytes       int64   `json:"bytes"`
	LeadsDuring int32   `json:"leadsDuring"` // who does, changed or not; -1 for nobody
	LeadsFirst  int32   `json:"leadsFirst"`

	TopicID string   `json:"topicId,omitempty"`
	Leader  int32    `json:"leader"`
	Before  []int32  `json:"before"`
	After   []int32  `json:"after"`
	Dirs    []string `json:"dirs,omitempty"`
	Wave    int      `json:"wave,omitempty"`
	Helper  bool     `json:"helper,omitempty"`
}

type totalsJSON struct {
	Moves        int      `json:"moves"`
	Bytes        int64    `json:"bytes"`
	BoundBytes   int64    `json:"boundBytes"`
	Seconds      *float64 `json:"seconds,omitempty"`
	BoundSeconds *float64 `json:"boundSeconds,omitempty"`
	Binding      string   `json:"binding,omitempty"`
	HelperMoves  int      `json:"helperMoves,omitempty"`
	HelperBytes  int64    `json:"helperBytes,omitempty"`
	Never        bool     `json:"never,omitempty"`
	AtMinISR     int      `json:"atMinIsr,omitempty"`
}

type boundJSON struct {
	Name    string   `json:"name"`
	Bytes   float64  `json:"bytes"`
	Seconds *float64 `json:"seconds,omitempty"`
}

type overrideJSON struct {
	Topic  string `json:"topic"`
	MinISR int    `json:"minIsr"`
}

type findingJSON struct {
	Level     string `json:"level"`
	Risk      string `json:"risk"`
	Topic     string `json:"topic,omitempty"`
	Partition *int32 `json:"partition,omitempty"`
	Broker    *int32 `json:"broker,omitempty"`
	Key       string `json:"key,omitempty"`
	Message   string `json:"message"`
	Remedy    string `json:"remedy,omitempty"`
}

// MarshalJSON writes the form of docs/FORMATS.md.
func (p Plan) MarshalJSON() ([]byte, error) {
	j := planJSON{
		Cluster: p.Cluster, Brokers: p.Brokers, Mode: p.Mode.String(), Totals: p.Totals.json(),
		Moves: make([]moveJSON, len(p.Moves)), Findings: append([]Finding{}, p.Findings...), Bounds: make([]boundJSON, len(p.Bounds)),
		InsteadLeft: p.InsteadLeft,
	}
	for i := range p.Moves {
		j.Moves[i] = p.Moves[i].json()
	}
	for i, b := range p.Bounds {
		j.Bounds[i] = boundJSON{b.Name, b.Bytes, positive(b.Seconds)}
	}
	for _, o := range p.Overrides {
		j.Overrides = append(j.Overrides, overrideJSON(o))
	}
	if p.Instead != nil {
		t := p.Instead.json()
		j.Instead = &t
	}
	for _, name := range p.Left {
		j.Left = append(j.Left, nameJSON(name))
	}
	return json.Marshal(j)
}

func (m *Move) json() moveJSON {
	j := moveJSON{
		nameJSON: nameJSON(m.TopicPartition), TopicID: FormatTopicID(m.TopicID),
		From: m.From, To: m.To, Bytes: m.Bytes, LeadsDuring: m.LeadsDuring, LeadsFirst: m.LeadsFirst,
		Leader: m.Leader, Before: m.Before, After: m.After, Dirs: m.Dirs, Wave: m.Wave, Helper: m.Helper,
	}
	if m.LeadsDuring == NoLeader {
		j.LeadsDuring = m.Leader
	}
	return j
}

func (t Totals) json() totalsJSON {
	return totalsJSON{
		t.Moves, t.Bytes, t.BoundBytes, positive(t.Seconds), positive(t.BoundSeconds),
		t.Binding, t.HelperMoves, t.HelperBytes, t.Never, t.AtMinISR,
	}
}

// UnmarshalJSON reads what MarshalJSON writes. Unknown keys are left aside, so
// that a plan of a later release can be looked at.
func (p *Plan) UnmarshalJSON(data []byte) error {
	var j planJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	*p = Plan{Cluster: j.Cluster, Brokers: j.Brokers, Totals: j.Totals.totals(), Findings: j.Findings, InsteadLeft: j.InsteadLeft}
	if j.Instead != nil {
		t := j.Instead.totals()
		p.Instead = &t
	}
	switch j.Mode {
	case AtRisk.String():
		p.Mode = AtRisk
	case Evacuate.String(), "":
	default:
		return fmt.Errorf("plan: unknown mode %q: evacuate or at-risk", j.Mode)
	}
	for i := range j.Moves {
		m, err := j.Moves[i].move()
		if err != nil {
			return fmt.Errorf("plan: %w", err)
		}
		p.Moves = append(p.Moves, m)
	}
	for _, b := range j.Bounds {
		p.Bounds = append(p.Bounds, Bound{b.Name, b.Bytes, value(b.Seconds)})
	}
	for _, o := range j.Overrides {
		p.Overrides = append(p.Overrides, Override(o))
	}
	for _, name := range j.Left {
		p.Left = append(p.Left, TopicPartition(name))
	}
	return nil
}

func (j *moveJSON) move() (Move, error) {
	name := TopicPartition(j.nameJSON)
	id, err := ParseTopicID(j.TopicID)
	switch {
	case err != nil:
		return Move{}, fmt.Errorf("move of %v: %w", name, err)
	case len(j.From) != len(j.To) || len(j.Before) != len(j.After) || len(j.Dirs) != 0 && len(j.Dirs) != len(j.To):
		return Move{}, fmt.Errorf("move of %v: its lists differ in length; was the file edited?", name)
	}
	m := Move{
		TopicPartition: name, TopicID: id, Before: j.Before, After: j.After, From: j.From, To: j.To, Bytes: j.Bytes,
		Leader: j.Leader, LeadsDuring: j.LeadsDuring, LeadsFirst: j.LeadsFirst, Dirs: j.Dirs, Wave: j.Wave, Helper: j.Helper,
	}
	if m.LeadsDuring == m.Leader {
		m.LeadsDuring = NoLeader
	}
	return m, nil
}

func (j totalsJSON) totals() Totals {
	t := Totals{
		Moves: j.Moves, Bytes: j.Bytes, BoundBytes: j.BoundBytes, Binding: j.Binding,
		HelperMoves: j.HelperMoves, HelperBytes: j.HelperBytes, Never: j.Never, AtMinISR: j.AtMinISR,
		Seconds: value(j.Seconds), BoundSeconds: value(j.BoundSeconds),
	}
	t.Time, t.BoundTime = duration(t.Seconds), duration(t.BoundSeconds)
	return t
}

func (j findingJSON) finding() Finding {
	f := Finding{Risk: j.Risk, Topic: j.Topic, Partition: -1, Broker: -1, Key: j.Key, Message: j.Message, Remedy: j.Remedy}
	if j.Level == Block.String() {
		f.Level = Block
	}
	if j.Partition != nil {
		f.Partition = *j.Partition
	}
	if j.Broker != nil {
		f.Broker = *j.Broker
	}
	return f
}

// known leaves -1, which stands for none, out of the document.
func known(id int32) *int32 {
	if id < 0 {
		return nil
	}
	return &id
}

func positive(f float64) *float64 {
	if f <= 0 {
		return nil
	}
	return &f
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// FormatTopicID is Kafka's spelling of a topic ID, URL-safe base64 of 22
// characters (org.apache.kafka.common.Uuid), or nothing for the zero ID.
func FormatTopicID(id [16]byte) string {
	if id == [16]byte{} {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// ParseTopicID reads FormatTopicID's spelling. Empty is the zero ID.
func ParseTopicID(s string) (id [16]byte, err error) {
	if s == "" {
		return id, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(raw) != len(id) {
		return id, fmt.Errorf("topic ID %q is not 22 characters of URL-safe base64", s)
	}
	return [16]byte(raw), nil
}
