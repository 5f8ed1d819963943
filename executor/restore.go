package executor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"drain/plan"
	"drain/runbooks"
)

// restoring is the verb in the header of the journal of a restore.
const restoring runbooks.StepKind = "restore"

// Restore puts back what the last run of a runbook moved, once its brokers are
// up again: cordons first, then replicas and preferred leaders, under the
// throttle. What has changed since is skipped, and told, and so are earlier runs
// that nothing has put back: the next restore is about the last of them, and
// waiting is how many they are. Its journal takes the place of the run's, which is
// kept dated; a restore that was interrupted goes on.
func Restore(ctx context.Context, cfg Config) (done Done, waiting int, err error) {
	var way plan.Plan
	begin := func(r *run, ctx context.Context) (err error) {
		way, err = r.beginRestore(ctx)
		return err
	}
	done, err = drive(ctx, cfg, begin, func(r *run, ctx context.Context) error {
		err := r.within(ctx, func(ctx context.Context) error { return r.restore(ctx, way) })
		waiting = r.waiting()
		return err
	})
	return done, waiting, err
}

// waiting is how many runs are still to be put back, beside the one that this
// restore is about.
func (r *run) waiting() int {
	n, about := 0, r.history().header.Restores
	for records, err := range r.drains() {
		if err == nil && records[0].Header.Run != about {
			n++
		}
	}
	return n
}

// beginRestore plans the way back, asks, and opens the journal of the restore.
func (r *run) beginRestore(ctx context.Context) (plan.Plan, error) {
	source, err := r.restorable()
	if err != nil {
		return plan.Plan{}, err
	}
	was := *source[0].Header
	c, err := r.cfg.survey(ctx, was.Brokers)
	if err != nil {
		return plan.Plan{}, err
	}
	if err := sameClusterAs(was, &c, r.journal); err != nil {
		return plan.Plan{}, err
	}
	if r.locks, err = lockBrokers(r.cfg.LockDir, c.ID, was.Brokers, r.cfg.Path); err != nil {
		return plan.Plan{}, err
	}
	if err := awake(&c, was.Brokers); err != nil {
		return plan.Plan{}, err
	}
	if err := r.journal.Reserve(); err != nil {
		return plan.Plan{}, err
	}
	head := newHeader(r.cfg, &c, rand.Text()[:10])
	head.Brokers, head.Verb = was.Brokers, restoring
	p := r.wayBack(&c, fold(source))
	if was.Verb == restoring {
		head.Run = was.Run
		err = r.append(Record{Kind: KindResume, Header: &head})
	} else {
		head.Restores = was.Run
		err = r.startRestore(ctx, head, fold(source), p)
	}
	r.begun = err == nil
	return p, err
}

// restorable are the records to go by: those of the restore that is open, or of
// the run that has ended.
func (r *run) restorable() ([]Record, error) {
	open := r.journal.Records()
	switch {
	case len(open) > 0 && open[0].Header.Verb == restoring:
		return open, nil
	case len(open) > 0:
		return nil, fmt.Errorf("%w: %s: a run is open; bring it to its end, or `drain cancel` it, before a restore", ErrJournal, r.journal.Path())
	}
	return r.lastDrain()
}

// lastDrain is the run that a restore is about. It tells of those before it, of
// which one that cannot be read is of no account; a newer one that cannot be read
// may be the one that is meant.
func (r *run) lastDrain() ([]Record, error) {
	var last []Record
	for records, err := range r.drains() {
		switch {
		case err != nil && last == nil:
			return nil, err
		case err != nil:
			r.say(EventWarn, "what that run moved cannot be put back: %v", err)
		case last == nil:
			last = records
		default:
			r.say(EventWarn, "this puts back what the run of %s moved, not yet the %s of that of %s: `drain restore %s` again, afterwards, is about it",
				last[0].Time.Format(time.DateTime), plan.Count(len(fold(records).moved), "move", "moves"), records[0].Time.Format(time.DateTime), r.cfg.Path)
		}
	}
	if last == nil {
		r.say(EventSkip, "nothing to restore: no run of %s has moved or cordoned anything since the last restore", r.cfg.Path)
		return nil, errNothingToDo
	}
	return last, nil
}

func awake(c *plan.Cluster, brokers []int32) error {
	for _, b := range brokers {
		if !c.Live(b) {
			return &Refusal{Kind: ErrRefused, Text: fmt.Sprintf("broker %d is not alive: start it, and run `drain restore` again", b)}
		}
	}
	return nil
}

// wayBack plans the moves back, those of this restore in flight among them. What
// a drain asked for and did not see complete is nothing to put back, and what is
// no longer in flight is judged by where it is now.
func (r *run) wayBack(c *plan.Cluster, h *history) plan.Plan {
	own := slices.DeleteFunc(h.own(), func(m plan.Move) bool {
		i, there := c.Find(m.TopicPartition)
		return h.header.Verb != restoring || !there || !c.Partition(i).InFlight()
	})
	p, not := back(c, slices.DeleteFunc(h.drained(), func(m plan.Move) bool {
		return slices.ContainsFunc(own, func(o plan.Move) bool { return o.TopicPartition == m.TopicPartition })
	}))
	p.Moves = append(p.Moves, own...)
	slices.SortFunc(p.Moves, func(a, b plan.Move) int { return a.Compare(b.TopicPartition) })
	p.Totals = totalsOf(p.Moves)
	for _, s := range not {
		r.say(EventWarn, "%v is not put back: %s", s.TopicPartition, s.why)
	}
	r.event(Event{Kind: EventPlan, Plan: &p, Text: summary(p)})
	return p
}

// drained are the moves that a drain completed: in its own journal those seen
// complete, in that of a restore the first plan.
func (h *history) drained() []plan.Move {
	if h.header.Verb == restoring {
		return h.first
	}
	var moves []plan.Move
	for _, p := range slices.SortedFunc(maps.Keys(h.moved), comparePartitions) {
		moves = append(moves, h.moves[p])
	}
	return moves
}

func comparePartitions(a, b Partition) int {
	return plan.TopicPartition(a).Compare(plan.TopicPartition(b))
}

// startRestore asks, within reach of other shells, and hands on to the new journal
// what the drain made and still owes.
func (r *run) startRestore(ctx context.Context, head Header, drain *history, p plan.Plan) error {
	stop := r.listen(ctx)
	answer, err := r.agreed(ctx, "Put "+plan.Count(len(p.Moves), "partition", "partitions")+" back as they were?")
	stop()
	if r.hear(); err == nil {
		err = context.Cause(ctx) // cancelled before the answer came
	}
	if err != nil {
		return err
	}
	var handed []Record
	for _, d := range drain.book.Open() {
		handed = append(handed, Record{Kind: KindOwe, Broker: none, Debt: &d})
	}
	made := drain.drained()
	handed = append(handed, planRecords(plan.Plan{Moves: made, Totals: totalsOf(made)}, 1)...)
	handed = append(handed, Record{Kind: KindConsent, Broker: none, Answer: &answer})
	return r.journal.Start(head, handed...)
}

func (r *run) restore(ctx context.Context, p plan.Plan) error {
	if err := r.uncordon(ctx, r.history().header.Brokers); err != nil {
		return err
	}
	return r.putBack(ctx, p)
}

// putBack moves everything back, in the hours in which moves may start: what is left
// when a window closes is planned anew for the next.
func (r *run) putBack(ctx context.Context, p plan.Plan) error {
	for len(p.Moves) > 0 {
		if err := r.record(p, max(1, r.history().rounds)+1); err != nil {
			return err
		}
		if err := (&moveStep{run: r, plan: p}).act(ctx); !errors.Is(err, errAgain) {
			return err
		}
		c, err := r.cfg.survey(ctx, r.history().header.Brokers)
		if err != nil {
			return err
		}
		p = r.wayBack(&c, r.history())
	}
	r.say(EventSkip, "every partition is back, or has changed since")
	return nil
}
