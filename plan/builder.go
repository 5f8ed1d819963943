package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// mostBytes is more than a cluster holds, an exbibyte: what is told of sizes is
// held to it, so that no sum of them can overflow.
const mostBytes int64 = 1 << 60

// Builder makes a [Cluster] from brokers, topics and partitions in any order.
// The adapter, the simulator and the snapshot reader share it. The zero value
// is an empty cluster; fields of Cluster other than Brokers, Topics and the
// partitions may be set through Head.
type Builder struct {
	Head Cluster

	brokers []Broker
	topics  []Topic
	parts   partitions
}

// Broker adds a broker.
func (b *Builder) Broker(broker Broker) { b.brokers = append(b.brokers, broker) }

// Topic adds a topic; the partitions added next belong to it. First and Count
// are ignored. Configs is kept, not copied.
func (b *Builder) Topic(t Topic) {
	t.First, t.Count = len(b.parts.number), 0
	b.topics = append(b.topics, t)
}

// Partition adds a partition to the topic added last. Its lists are copied.
func (b *Builder) Partition(v PartitionView) { b.partition(&v) }

func (b *Builder) partition(v *PartitionView) {
	t := len(b.topics) - 1
	b.parts.append(int32(t), v)
	b.topics[t].Count++
}

// Cluster sorts what was added and returns it. The Builder must not be used
// afterwards. It is an error, naming each, if a broker, a topic or a partition
// was added twice, a replica list is empty or names a broker twice, an ID is
// negative, or the sizes add up to more than an exbibyte.
func (b *Builder) Cluster() (Cluster, error) {
	c := b.Head
	c.Brokers = b.brokers
	slices.SortStableFunc(c.Brokers, func(x, y Broker) int { return cmp.Compare(x.ID, y.ID) })
	c.Topics, c.partitions = b.sorted()
	if err := c.validate(); err != nil {
		return Cluster{}, err
	}
	return c, nil
}

// sorted puts topics and partitions in order. What comes in order, as from a
// snapshot file, is taken as it is.
func (b *Builder) sorted() ([]Topic, partitions) {
	byName := func(x, y Topic) int { return cmp.Compare(x.Name, y.Name) }
	if slices.IsSortedFunc(b.topics, byName) && b.numbersAscend() {
		return b.topics, b.parts
	}
	order := slices.Clone(b.topics)
	slices.SortStableFunc(order, byName)
	var out partitions
	for t := range order {
		first, count := order[t].First, order[t].Count
		order[t].First = len(out.number)
		index := make([]int, count)
		for i := range index {
			index[i] = first + i
		}
		slices.SortStableFunc(index, func(i, j int) int { return cmp.Compare(b.parts.number[i], b.parts.number[j]) })
		for _, i := range index {
			v := b.parts.view(i)
			out.append(int32(t), &v)
		}
	}
	return order, out
}

func (b *Builder) numbersAscend() bool {
	for _, t := range b.topics {
		if !slices.IsSorted(b.parts.number[t.First : t.First+t.Count]) {
			return false
		}
	}
	return true
}

func (c *Cluster) validate() error {
	var errs []error
	for i, b := range c.Brokers {
		if b.ID < 0 {
			errs = append(errs, fmt.Errorf("broker %d: an ID is 0 or more", b.ID))
		}
		if i > 0 && c.Brokers[i-1].ID == b.ID {
			errs = append(errs, fmt.Errorf("broker %d is there twice", b.ID))
		}
	}
	for i, t := range c.Topics {
		if i > 0 && c.Topics[i-1].Name == t.Name {
			errs = append(errs, fmt.Errorf("topic %s is there twice", t.Name))
		}
	}
	for i := range c.NumPartitions() {
		if err := c.validatePartition(i); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		return c.validateSizes()
	}
	return errors.Join(errs...)
}

// validateSizes adds up the replicas, each as large as its partition is told to be.
func (c *Cluster) validateSizes() error {
	ps := &c.partitions
	sum, largest := 0.0, 0 // a float cannot overflow, and its last digits do not matter
	for i, size := range ps.size {
		if size > ps.size[largest] {
			largest = i
		}
		sum += float64(max(0, size)) * float64(ps.offset[i+1]-ps.offset[i])
	}
	if sum > float64(mostBytes) {
		return fmt.Errorf("the replicas add up to more than %d bytes: partition %v alone is told to have %d", mostBytes, c.Name(largest), ps.size[largest])
	}
	return nil
}

func (c *Cluster) validatePartition(i int) error {
	ps := &c.partitions
	if i > 0 && ps.topic[i-1] == ps.topic[i] && ps.number[i-1] == ps.number[i] {
		return fmt.Errorf("partition %v is there twice", c.Name(i))
	}
	if ps.number[i] < 0 {
		return fmt.Errorf("partition %v: a number is 0 or more", c.Name(i))
	}
	list := ps.list(i)
	if len(list) == 0 {
		return fmt.Errorf("partition %v has no replicas", c.Name(i))
	}
	for k, r := range list {
		if r < 0 {
			return fmt.Errorf("partition %v: replica %d: an ID is 0 or more", c.Name(i), r)
		}
		if slices.Contains(list[:k], r) {
			return fmt.Errorf("partition %v names broker %d twice", c.Name(i), r)
		}
	}
	return nil
}
