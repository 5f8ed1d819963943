package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drain/election"
	"drain/internal/kafkatest"
	"drain/plan"
)

// foretold is what drain check says before a blow.
type foretold struct {
	rows   map[plan.TopicPartition]foretoldRow
	counts map[string]int
	// ends are all ends that the order of several brokers allows; nil for one.
	ends map[plan.TopicPartition][]election.Result
}

type foretoldRow struct {
	Topic              string
	Partition          int32
	LeaderAfter        int32
	ISRAfter, ELRAfter []int32
	Outcome, Reason    string
}

// ask is drain check for a blow, and for several brokers the snapshot that all
// ends are worked out from.
func (w worn) ask(t *testing.T, b blow) foretold {
	t.Helper()
	p := newPlace(t)
	via := []string{"--bootstrap", w.c.BootstrapOf(w.others(b.brokers)[0]), "--broker", idList(b.brokers)}
	told := foretold{rows: map[plan.TopicPartition]foretoldRow{}}
	if len(b.brokers) > 1 {
		snapshot := p.drain(append([]string{"snapshot"}, via...)...)
		snapshot.want(t, 0)
		told.ends = w.ends(t, snapshot.stdout, b)
	}
	r := p.drain(append([]string{"check", "--all", "--output", "json"}, via...)...)
	var doc struct {
		Safe               bool
		Partitions, OnStop []foretoldRow
		Counts             map[string]int
	}
	if err := json.Unmarshal([]byte(r.stdout), &doc); err != nil {
		t.Fatalf("%v\n%v", err, r)
	}
	r.want(t, map[bool]int{true: 0, false: 3}[doc.Safe])
	if b.stop {
		doc.Partitions = append(doc.Partitions, doc.OnStop...) // these replace the others
	}
	for _, row := range doc.Partitions {
		told.rows[plan.TopicPartition{Topic: row.Topic, Partition: row.Partition}] = row
	}
	told.counts = doc.Counts
	if len(told.rows) != doc.Counts["partitions"] {
		t.Fatalf("%d rows for %d partitions", len(told.rows), doc.Counts["partitions"])
	}
	return told
}

func idList(ids []int32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
}

// ends works out every end of each partition from a snapshot.
func (w worn) ends(t *testing.T, snapshot string, b blow) map[plan.TopicPartition][]election.Result {
	t.Helper()
	c, err := plan.ReadSnapshot(strings.NewReader(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	all := election.Crashes
	if b.stop {
		all = election.Shutdowns
	}
	ends := map[plan.TopicPartition][]election.Result{}
	for i := range c.NumPartitions() {
		ends[c.Name(i)] = all(w.rules, c.Live, controllersView(&c, i), b.brokers)
	}
	return ends
}

func controllersView(c *plan.Cluster, i int) election.Partition {
	v := c.Partition(i)
	p := election.Partition{
		Leader: v.Leader, Replicas: v.Replicas, ISR: v.ISR, ELR: v.ELR, LastKnown: v.LastKnownELR,
		Offline: v.Offline, MinISR: c.MinISR(v.Topic), Unclean: election.Off,
	}
	if c.Unclean(v.Topic) == plan.On {
		p.Unclean = election.On
	}
	return p
}

// compare says which partitions are not as foretold.
func (f foretold) compare(s kafkatest.State) error {
	var errs []error
	seen := 0
	for topic, state := range s.Topics {
		for number, p := range state.Partitions {
			seen++
			name := plan.TopicPartition{Topic: topic, Partition: number}
			if row, ok := f.rows[name]; !ok {
				errs = append(errs, fmt.Errorf("%v was not foretold", name))
			} else if f.ends == nil && !row.is(p) {
				errs = append(errs, fmt.Errorf("%v: leader %d, ISR %v, ELR %v; foretold %+v", name, p.Leader, p.ISR, p.ELR, row))
			} else if f.ends != nil {
				errs = append(errs, f.compareEnds(name, row, p))
			}
		}
	}
	if seen != len(f.rows) {
		errs = append(errs, fmt.Errorf("%d partitions, foretold for %d", seen, len(f.rows)))
	}
	return errors.Join(errs...)
}

func (row foretoldRow) is(p kafkatest.Partition) bool {
	return p.Leader == row.LeaderAfter && sameIDs(p.ISR, row.ISRAfter) && sameIDs(p.ELR, row.ELRAfter)
}

func sameIDs(a, b []int32) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// compareEnds wants one of the possible ends, none worse than what was reported,
// and that to be the worst of them.
func (f foretold) compareEnds(name plan.TopicPartition, row foretoldRow, p kafkatest.Partition) error {
	ends := f.ends[name]
	if worst := ends[0].Outcome.String(); worst != row.Outcome {
		return fmt.Errorf("%v: reported %s, and the worst end is %s", name, row.Outcome, worst)
	}
	for _, end := range ends {
		if p.Leader == end.Leader && sameIDs(p.ISR, end.ISR) && sameIDs(p.ELR, end.ELR) {
			return nil
		}
	}
	return fmt.Errorf("%v: leader %d, ISR %v, ELR %v is none of its %d ends; foretold %+v", name, p.Leader, p.ISR, p.ELR, len(ends), row)
}
