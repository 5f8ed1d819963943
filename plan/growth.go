package plan

import "time"

// Growth is what is written to the partitions of some moves, bytes a second, as
// far as their logs have grown from before to c. It is 0 for one without a size,
// and for one that lost old segments meanwhile; nil if the pictures are less than
// a tenth of a second apart, or do not tell when they were taken. It serves as
// [Request.WriteRate].
func Growth(before, c *Cluster, moves []Move) func(TopicPartition) int64 {
	span := c.TakenAt.Sub(before.TakenAt)
	if before.TakenAt.IsZero() || span < time.Second/10 {
		return nil
	}
	was, is := sizes(before, moves), sizes(c, moves)
	grows := map[TopicPartition]int64{}
	for tp, old := range was {
		if size := is[tp]; size > old {
			grows[tp] = int64(float64(size-old) / span.Seconds())
		}
	}
	return func(tp TopicPartition) int64 { return grows[tp] }
}

// sizes are the logs of the partitions that move, as far as they are known.
func sizes(c *Cluster, moves []Move) map[TopicPartition]int64 {
	of := make(map[TopicPartition]int64, len(moves))
	for _, m := range moves {
		of[m.TopicPartition] = Unknown
	}
	for i := range c.NumPartitions() {
		tp := c.Name(i)
		if _, moves := of[tp]; moves {
			of[tp] = c.Partition(i).SizeBytes
		}
	}
	for tp, size := range of {
		if size == Unknown {
			delete(of, tp)
		}
	}
	return of
}
