package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drain/plan"
	"drain/reassign"
)

// Cleanup gives back what a run that died still owes: it waits for its moves in
// flight, since without a throttle their rest would run at full speed, or takes
// them back if cancel says so, then pays the debts of the journal. The run may
// be gone on with afterwards. With nothing owed it does nothing. While it waits other
// shells may change its throttle, or cancel the run.
func Cleanup(ctx context.Context, cfg Config, cancel bool) (Done, error) {
	var asked error // to cancel
	return tidy(ctx, cfg, "cleanup", func(ctx context.Context, r *run) (err error) {
		if cancel {
			return r.takeBack(ctx)
		}
		asked, err = r.attend(ctx)
		return err
	}, func(r *run, found *plan.Cluster) error {
		if asked != nil {
			return errors.Join(r.endCancelled(found), asked)
		}
		// A run that goes on sees to what still lacks its order or leader.
		if _, err := r.noteUnseen(found, r.history()); err != nil {
			return err
		}
		return r.append(Record{Kind: KindCleaned})
	})
}

// Cancel ends a run: it takes its moves in flight back, puts replicas in the
// order they had, gives its settings back and closes its journal. A run that is
// alive is asked to do so itself; asked says that it was.
func Cancel(ctx context.Context, cfg Config) (done Done, asked bool, err error) {
	files := FilesOf(cfg.StateDir, cfg.Path)
	alive, err := Alive(files)
	if err != nil {
		return Done{}, false, err
	}
	if alive {
		now := time.Now()
		err := Send(files, Request{Kind: AskCancel, Who: cfg.Who, Time: now.UTC()})
		if err == nil {
			cfg.Sink.Event(Event{Time: now, Kind: EventChange, Broker: none, Text: "a live run was asked to cancel its moves"})
		}
		return stillOwed(files), true, err
	}
	done, err = tidy(ctx, cfg, "cancel", func(ctx context.Context, r *run) error { return r.takeBack(ctx) }, (*run).endCancelled)
	return done, false, err
}

// attend waits for the moves in flight, within reach of other shells. If one of
// them cancels the run they are taken back, and asked says who it was.
func (r *run) attend(ctx context.Context) (asked, err error) {
	reached, end := context.WithCancelCause(ctx)
	defer end(nil)
	r.end = end
	stop := r.listen(reached)
	err = r.letFinish(reached)
	stop()
	if cause := context.Cause(reached); errors.Is(cause, ErrCancelled) {
		return cause, r.takeBack(ctx)
	}
	return nil, err
}

// endCancelled closes the journal of a run whose moves were taken back.
func (r *run) endCancelled(found *plan.Cluster) error {
	h := r.history()
	if err := r.noteMoved(h.unseen(found)); err != nil {
		return err
	}
	if err := r.atWork(h); err != nil {
		return err
	}
	return r.journal.End(ErrCancelled)
}

// stillOwed is what the journal of a run that is alive owes now. What that has done
// is not this process's to answer for.
func stillOwed(files Files) Done {
	records, err := Peek(files)
	if err != nil || len(records) == 0 {
		return Done{Journal: files.Journal()}
	}
	h := fold(records)
	_, owed := h.debts()
	return Done{Run: h.header.Run, Journal: files.Journal(), Owed: owed}
}

// takeBack cancels the moves in flight and puts lists in the order they had,
// without a cordon in the way, see giveBack. One that cannot be lifted keeps the
// order from that, and no moves in flight.
func (r *run) takeBack(ctx context.Context) error {
	cordoned := r.settleCordons(ctx, r.history())
	mover := r.newMover()
	err := mover.Cancel(ctx)
	if err == nil {
		err = mover.Settle(ctx)
	}
	return errors.Join(cordoned, err)
}

// tidy takes an open journal up, ends its moves, gives cordons back and, if
// nothing is owed any more, says so in the journal: record is told how the
// cluster was found.
func tidy(ctx context.Context, cfg Config, verb string, endMoves func(context.Context, *run) error, record func(*run, *plan.Cluster) error) (Done, error) {
	r, err := open(cfg)
	if err != nil {
		return Done{}, err
	}
	defer r.close()
	if len(r.journal.Records()) == 0 {
		r.say(EventSkip, "no run of %s is open: nothing is owed", cfg.Path)
		return Done{}, nil
	}
	found, err := r.takeOver(ctx)
	if err != nil {
		return Done{}, err
	}
	if err := r.stopping(r.history()); err != nil {
		return r.done(), err
	}
	if err := endMoves(ctx, r); err != nil {
		return r.done(), fmt.Errorf("%w: %w%s", ErrDebt, err, awaited(err, &found, verb, cfg.Path))
	}
	if err := r.settleCordons(ctx, r.history()); err != nil {
		return r.done(), fmt.Errorf("%w: %w", ErrDebt, err)
	}
	if _, owed := r.history().debts(); len(owed) > 0 {
		return r.done(), fmt.Errorf("%w: %v", ErrDebt, owed)
	}
	return r.done(), record(r, &found)
}

// awaited is the remedy where moves do not end, or what is owed waits for brokers
// that are down.
func awaited(err error, c *plan.Cluster, verb, path string) string {
	if _, stalled := errors.AsType[*reassign.StallError](err); stalled {
		return fmt.Sprintf("; mend that and run `drain %s %s` again, or take them back with `drain cleanup --cancel %s`", verb, path, path)
	}
	unpaid, ok := errors.AsType[*reassign.UnpaidError](err)
	if !ok {
		return ""
	}
	var down []int32
	for _, d := range unpaid.Debts {
		if b := d.Debt.Resource.Broker(); b != none && !c.Live(b) {
			down = union(down, []int32{b})
		}
	}
	if len(down) == 0 {
		return ""
	}
	return fmt.Sprintf("; start %s, and run `drain %s %s` again", plan.BrokerNames(down), verb, path)
}

// takeOver goes on with a journal for the sake of its debts alone: the runbook
// may have changed since, the cluster may not. It returns how it finds the cluster.
func (r *run) takeOver(ctx context.Context) (plan.Cluster, error) {
	records := r.journal.Records()
	was := *records[0].Header
	c, err := r.cfg.Observer.Snapshot(ctx, plan.Scope{Brokers: was.Brokers, Via: plan.AnyBroker})
	if err != nil {
		return c, err
	}
	if err := sameClusterAs(was, &c, r.journal); err != nil {
		return c, err
	}
	if r.locks, err = lockBrokers(r.cfg.LockDir, c.ID, was.Brokers, r.cfg.Path); err != nil {
		return c, err
	}
	head := newHeader(r.cfg, &c, was.Run)
	head.Verb = was.Verb
	return c, r.append(Record{Kind: KindResume, Header: &head, Text: "to give back what is owed"})
}
