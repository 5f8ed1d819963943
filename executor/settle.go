package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

const (
	// settleWithin is how long giving back may take when a run ends early.
	settleWithin = 30 * time.Second
	// cancelWithin is the same where moves in flight are cancelled first.
	cancelWithin = 5 * time.Minute
)

// settle gives back what can be given back at the end of a run, however it
// ended, and closes the journal of one that is over. It outlives an interrupt. A
// cancel is heard until then, deafen ends that.
func (r *run) settle(ctx context.Context, cause error, deafen func()) error {
	defer deafen()
	if !r.begun {
		return nil
	}
	r.slot = Slot{Broker: none}
	cancelled := cause != nil && r.reach.cancelledBy() != nil
	err := r.giveBack(ctx, cancelled)
	deafen()
	if cause != nil && !cancelled {
		if r.hear(); r.reach.cancelledBy() != nil {
			cancelled, err = true, r.giveBack(ctx, true)
		}
	}
	if cancelled && !errors.Is(cause, ErrCancelled) {
		cause = r.reach.cancelledBy()
	}
	return r.closeAfter(cause, err, cancelled)
}

// closeAfter closes the journal if the run is over, and says the last words: err
// is what could not be given back.
func (r *run) closeAfter(cause, err error, cancelled bool) error {
	h := r.history()
	if _, owed := h.debts(); len(owed) > 0 && cause == nil {
		err = errors.Join(err, fmt.Errorf("%w: %v", ErrDebt, owed))
	}
	if cancelled && err == nil {
		err = r.atWork(h)
	}
	over := cause == nil && err == nil || !h.changed || cancelled && err == nil
	if over {
		err = errors.Join(err, r.journal.End(cause))
	}
	r.say(EventLast, "%s", r.lastWords(h, cause, over))
	return err
}

// giveBack pays the debts. Where moves are taken back the cordon goes first: a
// list that holds a cordoned broker, as that before the drain does, is refused
// (from 4.3.2 on, KAFKA-20832).
func (r *run) giveBack(ctx context.Context, cancelled bool) error {
	h, limit := r.history(), settleWithin
	if cancelled {
		limit = cancelWithin
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if cancelled {
		return errors.Join(r.settleCordons(ctx, h), r.settleMoves(ctx, h, true))
	}
	return errors.Join(r.settleMoves(ctx, h, false), r.settleCordons(ctx, h))
}

func outcome(cause error) string {
	if cause == nil {
		return "done"
	}
	return cause.Error()
}

// settleMoves gives back throttles and overrides that cover nothing in flight.
func (r *run) settleMoves(ctx context.Context, h *history, cancelled bool) error {
	_, owed := h.cordons()
	if len(owed) == 0 && !(cancelled && len(h.own()) > 0) {
		return nil
	}
	mover := r.newMover()
	if cancelled {
		if err := mover.Cancel(ctx); err != nil {
			return err
		}
	}
	if err := mover.Settle(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrDebt, err)
	}
	return nil
}

// settleCordons lifts the cordon of every broker whose stop was not begun. One
// that was stopped stays cordoned until it is restored.
func (r *run) settleCordons(ctx context.Context, h *history) error {
	left, err := r.leftAfterStop(ctx, h)
	if err != nil {
		return err
	}
	return r.uncordon(ctx, without(without(h.header.Brokers, h.stopsBegun()), left))
}

// leftAfterStop are the brokers that are gone although their stop has failed:
// one whose command went wrong behind its back. They are as good as stopped, and
// that is written down: their cordon is not owed before they are back.
func (r *run) leftAfterStop(ctx context.Context, h *history) ([]int32, error) {
	failed := h.stopsFailed()
	if len(failed) == 0 {
		return nil, nil
	}
	c, _, err := r.scan(ctx, r.witnesses(h))
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(failed, c.Live)
	for _, key := range slices.SortedFunc(maps.Keys(h.slots), slotKey.compare) {
		p := h.slots[key]
		if p.kind == runbooks.Stop && p.gone < p.acted && slices.Contains(left, p.broker) {
			err = errors.Join(err, r.journal.Append(Record{Kind: KindGone, Step: key.step, Name: p.kind, Broker: p.broker}))
		}
	}
	return left, err
}

// lastWords say what goes on in Kafka, and how to resume.
func (r *run) lastWords(h *history, cause error, over bool) string {
	verb := cmp.Or(h.header.Verb, "run")
	kept := ""
	if cordons, _ := h.cordons(); len(cordons) > 0 && r.cfg.Simulated == "" {
		kept = "; new replicas are kept off until `drain restore " + r.cfg.Path + "`"
	}
	switch {
	case cause == nil:
		return plan.BrokerNames(h.header.Brokers) + ": done" + kept
	case over && errors.Is(cause, ErrCancelled):
		return "cancelled: what was in flight is back where it was, what had arrived stays, and every setting is given back" + kept
	case r.cfg.Simulated != "":
		return "the simulated cluster has ended with this run"
	}
	s := "nothing was changed"
	if h.changed {
		s = fmt.Sprintf("resume with `drain %s %s%s`", verb, r.cfg.Path, r.planFlag(h))
	}
	if _, owed := h.debts(); len(owed) > 0 {
		s = plan.Count(len(owed), "setting stays", "settings stay") + " for now (see `drain status`); " + s
	}
	if flying, ok := errors.AsType[*reassign.InFlightError](cause); ok {
		s = "Kafka goes on moving " + plan.Count(len(flying.Partitions), "partition", "partitions") + ", under their throttle; " + s
	}
	return s
}

// planFlag is the flag without which the run would be another one.
func (r *run) planFlag(h *history) string {
	if r.cfg.Made.File == "" || h.header.Verb != "" {
		return ""
	}
	return " --plan " + r.cfg.Made.File
}
