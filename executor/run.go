package executor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gofrs/flock"

	"drain/plan"
	"drain/runbooks"
)

// Run takes a runbook to its end, from wherever its journal says that it
// stands. What it has done is told with every error too. When ctx ends, nothing
// new is begun, and what can be given back is given back.
func Run(ctx context.Context, cfg Config) (Done, error) {
	return drive(ctx, cfg, (*run).begin, (*run).steps)
}

// drive opens a journal, begins, and does what is to be done, within reach of
// other shells. However that ends, it settles.
func drive(ctx context.Context, cfg Config, begin, do func(*run, context.Context) error) (Done, error) {
	r, err := open(cfg)
	if err != nil {
		return Done{}, err
	}
	defer r.close()
	ctx, r.end = context.WithCancelCause(ctx)
	defer r.end(nil)
	err = begin(r, ctx)
	if errors.Is(err, errNothingToDo) {
		return Done{Journal: r.journal.Path()}, nil
	}
	if errors.Is(err, ErrJournal) {
		return Done{}, err // what it says was done is not for this run to answer for
	}
	deafen := func() {}
	if err == nil {
		deafen = r.listen(ctx)
		stopClock := r.watchClock(ctx)
		err = do(r, ctx)
		stopClock()
	}
	unsettled := r.settle(ctx, err, deafen)
	return r.done(), errors.Join(r.reason(ctx, err), unsettled)
}

// run is a run under way.
type run struct {
	cfg      Config
	log      *slog.Logger
	files    Files
	journal  *Journal
	locks    *hostLocks
	turn     *flock.Flock // held from a stop to the end of its watch
	end      context.CancelCauseFunc
	deadline time.Time // zero: none
	begun    bool      // the journal is open for this process

	slot  Slot                            // that is being taken
	first *plan.Cluster                   // the picture with which this process began, until it was used
	reach reach                           // what other shells may change
	grows func(plan.TopicPartition) int64 // what is written to the partitions that move; nil: not measured
}

func open(cfg Config) (*run, error) {
	r := newRun(cfg)
	if cfg.Runbook.Deadline > 0 {
		r.deadline = time.Now().Add(cfg.Runbook.Deadline)
	}
	var err error
	if cfg.disk == nil {
		cfg.disk = openFile
	}
	if r.journal, err = openJournal(r.files, cfg.disk); err == nil {
		r.dropStale()
		r.tellPutBack()
	}
	return r, err
}

// newRun is a run without a journal.
func newRun(cfg Config) *run {
	r := &run{cfg: cfg, log: cfg.Log, files: FilesOf(cfg.StateDir, cfg.Path), slot: Slot{Broker: none}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if cfg.LockDir == "" {
		r.cfg.LockDir = cfg.StateDir
	}
	return r
}

func (r *run) close() {
	r.yieldTurn()
	if r.locks != nil {
		r.warn(r.locks.release())
	}
	r.warn(r.journal.Close())
}

// warn is for what fails when nothing can be done about it any more.
func (r *run) warn(err error) {
	if err != nil {
		r.log.Warn("clean up", "err", err)
	}
}

// errGivenUp ends a run that was cleaned up, and whose runbook has changed since.
var errGivenUp = errors.New("given up for another plan")

// errNothingToDo ends a run before it begins.
var errNothingToDo = errors.New("nothing to do")

// begin finds out which cluster it is, takes the locks, and opens the journal
// for this process.
func (r *run) begin(ctx context.Context) error {
	first, err := r.cfg.survey(ctx, r.cfg.Runbook.Brokers)
	if err != nil {
		return err
	}
	r.first = &first
	if want := r.cfg.Runbook.Cluster.ID; want != "" && first.ID != want {
		return &Refusal{Kind: ErrRefused, Text: fmt.Sprintf("this is cluster %s, and the runbook is for %s", first.ID, want)}
	}
	r.locks, err = lockBrokers(r.cfg.LockDir, first.ID, r.cfg.Runbook.Brokers, r.cfg.Path)
	if err != nil {
		return err
	}
	if err := r.journal.Reserve(); err != nil {
		return err
	}
	head := newHeader(r.cfg, &first, rand.Text()[:10])
	if open := r.journal.Records(); len(open) > 0 {
		h := fold(open)
		mismatch := h.sameRun(head, &first)
		if mismatch == nil {
			return r.resume(open, head)
		}
		if err := r.giveUp(h, mismatch); err != nil {
			return err
		}
	}
	if alreadyStopped(r.journal.Closed(), head, &first) {
		r.event(Event{Kind: EventSkip, Step: string(runbooks.Stop), Text: "already stopped: " + plan.BrokerNames(head.Brokers)})
		return errNothingToDo
	}
	if err := r.journal.Start(head); err != nil {
		return err
	}
	r.begun = true
	r.event(Event{Kind: EventStart, Run: head.Run, Brokers: head.Brokers, Text: "drain " + plan.BrokerNames(head.Brokers) + " of cluster " + head.Cluster})
	return nil
}

// giveUp closes the journal of a run that is not this one, if that was cleaned up
// and none of its commands is still at work.
func (r *run) giveUp(h *history, mismatch error) error {
	if h.cleaned {
		mismatch = r.atWork(h)
	}
	if mismatch != nil {
		return fmt.Errorf("%w: %s: %w", ErrJournal, r.journal.Path(), mismatch)
	}
	return r.journal.End(errGivenUp)
}

// resume goes on with an open journal.
func (r *run) resume(open []Record, head Header) error {
	h := fold(open)
	head.Run = h.header.Run
	r.event(Event{Kind: EventResume, Run: head.Run, Brokers: head.Brokers,
		Text: "go on with the run of " + open[0].Time.Format(time.RFC3339) + changedSettings(h.settings, head.Settings)})
	if err := r.append(Record{Kind: KindResume, Header: &head}); err != nil {
		return err
	}
	r.begun = true
	return nil
}

// steps asks what is next, and does it, until nothing is left.
func (r *run) steps(ctx context.Context) error {
	for {
		a := Next(r.cfg.Runbook, r.journal.Records())
		if err := context.Cause(ctx); err != nil {
			return err
		}
		r.slot = a.Slot
		var err error
		switch a.Kind {
		case finish:
			return nil
		case observe:
			err = r.observe(ctx)
		case consent:
			err = r.consent(ctx)
		default:
			err = r.inTurn(ctx, a)
		}
		if err != nil {
			return err
		}
	}
}

// reason is why a run ended: a person or the deadline before what they caused.
func (r *run) reason(ctx context.Context, err error) error {
	cause, cancelled := context.Cause(ctx), r.reach.cancelledBy()
	switch {
	case err == nil || errors.Is(err, ErrJournal) || errors.Is(err, ErrStop):
		return err
	case cancelled != nil:
		return cancelled
	case cause == nil || errors.Is(err, ErrDeadline) || errors.Is(err, ErrInterrupted):
		return err
	}
	if errors.Is(err, cause) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	return fmt.Errorf("%w: %w", ErrInterrupted, errors.Join(cause, err))
}

// append writes records about the step that is being taken.
func (r *run) append(records ...Record) error {
	for i := range records {
		rec := &records[i]
		rec.Step, rec.Broker = r.slot.Step, r.slot.Broker
		if rec.Step > 0 {
			rec.Name = r.slot.Kind
		}
	}
	return r.journal.Append(records...)
}

// event tells the sink, with the step that is being taken.
func (r *run) event(ev Event) {
	ev.Time = time.Now()
	if ev.Step == "" && r.slot.Step > 0 {
		ev.Step = string(r.slot.Kind)
	}
	ev.Broker = r.slot.Broker
	r.cfg.Sink.Event(ev)
}

func (r *run) say(kind EventKind, format string, args ...any) {
	r.event(Event{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

func (r *run) history() *history { return fold(r.journal.Records()) }
