package reassign

// stalled returns a [StallError] once every move in flight was without progress
// for long, or nothing is in flight and nothing could start.
func (r *run) stalled() error {
	flying := r.moving()
	var stuck []Flight
	for _, t := range flying {
		if t.quiet < r.opts.StallAfter {
			return nil
		}
		stuck = append(stuck, Flight{TopicPartition: t.TopicPartition, Left: max(0, t.left) * int64(len(t.To)), Quiet: t.quiet, Why: "no bytes were copied"})
	}
	if len(flying) == 0 {
		return nil
	}
	return &StallError{After: r.opts.StallAfter, Stuck: stuck}
}
