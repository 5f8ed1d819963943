package plan

import (
	"slices"
	"time"
)

// Totals sums a plan up.
type Totals struct {
	Moves       int
	Bytes       int64
	BoundBytes  int64         // no valid plan moves less
	Time        time.Duration // expected; 0 without a throttle. At most 292 years, see Seconds
	BoundTime   time.Duration // no valid plan takes less; 0 without a throttle
	Binding     string        // which of Plan.Bounds it is; empty if nothing moves
	HelperMoves int           // made only to make room
	HelperBytes int64

	Seconds      float64 // Time, without its limit
	BoundSeconds float64
	Never        bool // the throttle is below what is written: the copies never catch up
	AtMinISR     int  // partitions that the stop will leave exactly at their min ISR
}

// Override is a topic setting that has to stand while the topic's partitions
// move, and to be taken back afterwards.
//
// A move adds a replica to the list, and with it the effective min ISR grows
// where it was limited by the number of replicas (Partition.effectiveMinIsr,
// 3.7 and later): until the copy is in sync, acks=all fails.
type Override struct {
	Topic  string
	MinISR int // for min.insync.replicas: the number of replicas, which it is in effect
}

// Plan is what has to move, and what stands in the way. Moves are sorted by
// topic, then partition.
type Plan struct {
	Cluster  string // ID of the cluster that it is for; empty if unknown
	Brokers  []int32
	Mode     Mode
	Moves    []Move
	Totals   Totals
	Bounds   []Bound   // lower bounds on the time, by name
	Findings []Finding // sorted; see CompareFindings

	// Overrides are settings to be made while partitions move, by topic.
	Overrides []Override

	// Instead are the totals of mode Evacuate, for a plan of mode AtRisk: what
	// it saves. Nil otherwise.
	Instead *Totals
	// InsteadLeft are the partitions that the evacuation would leave where they are:
	// it would be refused, and its totals are no measure.
	InsteadLeft int

	// Left are replicas that stay on the drained brokers: excluded topics,
	// those that mode AtRisk leaves, and what a finding of level Block is about.
	Left []TopicPartition
}

// Blocked returns the findings of level Block.
func (p Plan) Blocked() []Finding { return Blocking(p.Findings) }

// Compute plans a drain. The moves keep every constraint, and what cannot be
// moved within them is in the findings, all of it at once: a plan with a finding
// of level [Block] must not be carried out. It is an error, [*UnknownBroker] or
// [*InvalidRequest], if the request itself cannot be meant.
func Compute(c Cluster, r Request) (Plan, error) { return compute(c, r, nil) }

// compute is Compute; the targets of a saved plan, if there is one, are taken
// where they can be.
func compute(c Cluster, r Request, saved *Plan) (Plan, error) {
	if err := r.check(); err != nil {
		return Plan{}, err
	}
	c = asFound(c, r.Own)
	s := newSurvey(&c, &r)
	if err := s.checkBrokers(); err != nil {
		return Plan{}, err
	}
	d := newDrain(s)
	d.adopt()
	d.read()
	bounds := d.bounds()
	d.relieve(longest(bounds))
	d.untangle(bounds)
	budget := longest(bounds) * (1 + r.Slack)
	d.setLimits(budget)
	if saved != nil {
		d.want(saved)
		d.take()
	} else {
		d.place()
		d.pack()
		d.improve()
		d.exact(budget)
	}
	if d.regroup(); d.regrouped {
		d.rebound(bounds)
	}
	d.help()
	d.drop()
	d.prefer()
	p := d.plan(bounds)
	if r.Mode == AtRisk {
		if err := p.weigh(c, r); err != nil {
			return Plan{}, err
		}
	}
	p.Findings = d.findings(&p)
	return p, nil
}

// weigh holds a plan of mode AtRisk against an evacuation.
func (p *Plan) weigh(c Cluster, r Request) error {
	r.Mode = Evacuate
	whole, err := Compute(c, r)
	if err != nil {
		return err
	}
	p.Instead, p.InsteadLeft = &whole.Totals, len(whole.Left)
	return nil
}

// plan puts the result together, but for its findings.
func (d *drain) plan(bounds []Bound) Plan {
	p := Plan{Cluster: d.c.ID, Brokers: slices.Sorted(slices.Values(d.r.Brokers)), Mode: d.r.Mode, Bounds: bounds}
	p.Moves = d.moves()
	p.Left = d.left()
	p.Totals = d.totals(p.Moves, bounds)
	p.Overrides = d.overrides()
	return p
}

// drop takes back tasks of which a slot has no place: a partition is moved
// wholly or not at all.
func (d *drain) drop() {
	for i := range d.tasks {
		t := &d.tasks[i]
		slots := d.slotsOf(t)
		t.dropped = slices.ContainsFunc(slots, func(s slot) bool { return s.to < 0 })
		if !t.dropped {
			continue
		}
		for k := range slots {
			if at := slots[k].to; at >= 0 {
				d.lift(&slots[k])
				d.sift(at)
			}
		}
		d.readFrom(t, -1)
	}
}

// left lists the partitions that stay on a drained broker.
func (d *drain) left() []TopicPartition {
	var left []TopicPartition
	for f, partitions := range d.fates {
		if fate(f) == moved || fate(f) == adopted {
			continue
		}
		for _, i := range partitions {
			left = append(left, d.c.Name(int(i)))
		}
	}
	for i := range d.tasks {
		if t := &d.tasks[i]; t.dropped || d.staysOn(t) {
			left = append(left, d.c.Name(int(d.tasks[i].partition)))
		}
	}
	slices.SortFunc(left, TopicPartition.Compare)
	return left
}

// staysOn says that the task keeps a replica on a drained broker: mode at-risk
// replaces no more than it must.
func (d *drain) staysOn(t *task) bool {
	if d.r.Mode != AtRisk {
		return false
	}
	n := 0
	for _, id := range d.replicasOf(t) {
		if at := d.index.of(id); at >= 0 && d.nodes[at].drained {
			n++
		}
	}
	return n > int(t.count)
}
