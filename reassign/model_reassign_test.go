package reassign

import (
	"context"
	"slices"
	"strconv"
	"time"

	"drain/plan"
)

// completeIf ends the reassignment by the rule of 4.3 and later: every adding
// replica is in the ISR without those that leave. Strict is 3.8 to 4.2, where
// every replica of the target must be.
func (m *model) completeIf(tp plan.TopicPartition) {
	p := m.parts[tp]
	isr := without(p.isr, p.removing)
	if len(p.adding)+len(p.removing) == 0 || !subset(p.adding, isr) || len(isr) == 0 {
		return
	}
	if m.strict && !subset(without(p.replicas, p.removing), isr) {
		return
	}
	p.replicas, p.isr = without(p.replicas, p.removing), isr
	for _, b := range p.removing {
		delete(p.copied, b)
	}
	if len(p.removing) > 0 {
		p.epoch++
	}
	p.adding, p.removing = nil, nil
	if !slices.Contains(p.replicas, p.leader) {
		m.lead(p, p.replicas)
	}
	m.note("%v is at %v", tp, p.replicas)
}

func (m *model) lead(p *modelPart, order []int32) {
	p.leader = plan.NoLeader
	for _, b := range order {
		if m.isLive(b) && slices.Contains(p.isr, b) {
			p.leader = b
			break
		}
	}
	p.epoch++
}

// Alter is AlterPartitionReassignments.
func (m *model) Alter(ctx context.Context, targets []Target) ([]PartitionError, error) {
	if err := m.try(ctx, "alter"); err != nil {
		return nil, err
	}
	m.largest = max(m.largest, len(targets))
	var refused []PartitionError
	for _, t := range targets {
		if e := m.alter(t); e != nil {
			refused = append(refused, *e)
		}
	}
	return refused, m.answer("alter")
}

// answer lets a fault swallow the answer of a request that was carried out.
func (m *model) answer(request string) error {
	if m.fault == nil {
		return nil
	}
	return m.fault(request + " answer")
}

func (m *model) alter(t Target) *PartitionError {
	p := m.parts[t.TopicPartition]
	refuse := func(code int16, name string) *PartitionError {
		return &PartitionError{TopicPartition: t.TopicPartition, Code: code, Name: name}
	}
	code, refused := m.refuse[t.TopicPartition]
	switch {
	case p == nil || m.isQueued(t.TopicPartition):
		return refuse(codeUnknownTopic, "UNKNOWN_TOPIC_OR_PARTITION")
	case refused:
		return refuse(code, "CODE_"+strconv.Itoa(int(code)))
	case t.Replicas == nil && len(p.adding)+len(p.removing) == 0:
		return refuse(codeNothingInFlight, "NO_REASSIGNMENT_IN_PROGRESS")
	case t.Replicas == nil:
		m.cancel(t.TopicPartition, p)
		return nil
	}
	for _, b := range t.Replicas {
		if m.brokers[b] == nil || m.brokers[b].configs[CordonedDirs] != "" { // cordoned: 4.3.2 and later
			return refuse(codeInvalidAssignment, "INVALID_REPLICA_ASSIGNMENT")
		}
	}
	if len(t.Replicas) != len(p.replicas)-len(p.adding) {
		return refuse(38, "INVALID_REPLICATION_FACTOR")
	}
	m.target(t, p)
	return nil
}

// target computes as KRaft does, from the full list, also over one in flight.
func (m *model) target(t Target, p *modelPart) {
	adding, removing := without(t.Replicas, p.replicas), without(p.replicas, t.Replicas)
	full := slices.Concat(t.Replicas, removing)
	if slices.Equal(full, p.replicas) {
		return
	}
	m.note("%v to %v", t.TopicPartition, t.Replicas)
	slices.Sort(removing)
	p.replicas = slices.Concat(t.Replicas, removing)
	if len(adding) > 0 {
		p.adding = adding
	}
	if len(removing) > 0 {
		p.removing = removing
	}
	for _, b := range adding {
		p.copied[b] = 0
	}
	m.completeIf(t.TopicPartition)
}

func (m *model) cancel(tp plan.TopicPartition, p *modelPart) {
	m.note("%v cancelled", tp)
	p.replicas, p.isr = without(p.replicas, p.adding), without(p.isr, p.adding)
	for _, b := range p.adding {
		delete(p.copied, b)
	}
	p.adding, p.removing = nil, nil
	if !slices.Contains(p.replicas, p.leader) {
		m.lead(p, p.replicas)
	}
}

// InFlight is ListPartitionReassignments of all topics.
func (m *model) InFlight(ctx context.Context) ([]InFlight, error) {
	if err := m.try(ctx, "list"); err != nil {
		return nil, err
	}
	var all []InFlight
	for _, tp := range m.sorted() {
		if p := m.parts[tp]; len(p.adding)+len(p.removing) > 0 {
			all = append(all, InFlight{tp, slices.Clone(p.replicas), slices.Clone(p.adding), slices.Clone(p.removing)})
		}
	}
	return all, nil
}

// Partitions is Metadata.
func (m *model) Partitions(ctx context.Context, of []plan.TopicPartition) ([]PartitionState, error) {
	if err := m.try(ctx, "metadata"); err != nil {
		return nil, err
	}
	var all []PartitionState
	for _, tp := range of {
		p := m.parts[tp]
		if p == nil {
			all = append(all, PartitionState{TopicPartition: tp, Gone: true, Leader: plan.NoLeader})
			continue
		}
		all = append(all, PartitionState{
			TopicPartition: tp, TopicID: p.id, Leader: p.leader, LeaderEpoch: p.epoch,
			Replicas: slices.Clone(p.replicas), ISR: slices.Clone(p.isr),
		})
	}
	return all, nil
}

// Elect is ElectLeaders, PREFERRED. As in Kafka, no partitions means all: a
// driver that asks for none is broken.
func (m *model) Elect(ctx context.Context, of []plan.TopicPartition) ([]PartitionError, error) {
	if err := m.try(ctx, "elect"); err != nil {
		return nil, err
	}
	if len(of) == 0 {
		panic("an election of every partition")
	}
	m.elections = append(m.elections, of)
	var failed []PartitionError
	for _, tp := range of {
		p := m.parts[tp]
		switch {
		case p == nil:
			failed = append(failed, PartitionError{TopicPartition: tp, Code: codeUnknownTopic, Name: "UNKNOWN_TOPIC_OR_PARTITION"})
		case p.leader == p.replicas[0]: // not needed
		case !slices.Contains(p.isr, p.replicas[0]) || !m.isLive(p.replicas[0]):
			failed = append(failed, PartitionError{TopicPartition: tp, Code: 80, Name: "PREFERRED_LEADER_NOT_AVAILABLE"})
		default:
			p.leader = p.replicas[0]
			p.epoch++
			m.loading[tp] = time.Now().Add(2 * time.Second)
			m.note("%v led by %d", tp, p.leader)
		}
	}
	return failed, nil
}

// Loading is a request to the coordinator.
func (m *model) Loading(ctx context.Context, of []plan.TopicPartition) ([]plan.TopicPartition, error) {
	if err := m.try(ctx, "coordinators"); err != nil {
		return nil, err
	}
	var loading []plan.TopicPartition
	for _, tp := range of {
		if time.Now().Before(m.loading[tp]) {
			loading = append(loading, tp)
		}
	}
	return loading, nil
}
