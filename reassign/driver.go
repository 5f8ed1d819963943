package reassign

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"drain/plan"
)

// grace is how long settings may take to be given back once ctx has ended.
const grace = 30 * time.Second

// Driver carries plans out. It keeps nothing that the cluster and the ledger do
// not hold, so that a new one goes on where another died. Its methods are for
// one goroutine, other than [Driver.Throttle].
type Driver struct {
	Ports
	ledger   Ledger
	opts     Options
	report   func(Event)
	settings *settings
	rate     atomic.Int64
	own      map[plan.TopicPartition]plan.Move
	drained  []int32
	lost     []int32 // destinations that failed, and whose moves were replanned
	breaker  breaker
	adaptive *adaptive // nil: the throttle is fixed
}

// New makes a Driver that owes debts from before. Report is never called twice at
// once, comes from the goroutine that drives or in its place while that waits for
// an answer, and must not block; nil reports nothing.
func New(ports Ports, ledger Ledger, debts []Debt, o Options, report func(Event)) *Driver {
	if report == nil {
		report = func(Event) {}
	}
	ports.Mover = &attentive{Mover: ports.Mover, report: report}
	d := &Driver{
		Ports: ports, ledger: ledger, opts: o.withDefaults(), report: report,
		settings: newSettings(ports.Configs, ledger, debts, o.AcceptForeignThrottle, report),
		own:      map[plan.TopicPartition]plan.Move{},
	}
	d.settings.forget = o.ForgetHiddenThrottle
	d.rate.Store(o.BytesPerSec)
	if o.Start != nil {
		d.breaker.start, d.breaker.live = new(*o.Start), o.Start.Live
	}
	if o.Adaptive {
		d.adaptive = &adaptive{paces: map[Lane]pace{}, whys: map[Lane]string{}, usual: map[int32]time.Duration{}}
	}
	d.owns(o.Own)
	return d
}

func (d *Driver) owns(moves []plan.Move) {
	for _, m := range moves {
		d.own[m.TopicPartition] = m
	}
}

// Throttle changes the rate from the next look on; 0 is none. It may be called
// at any time.
func (d *Driver) Throttle(bytesPerSec int64) { d.rate.Store(bytesPerSec) }

// Debts returns the settings that are owed, sorted.
func (d *Driver) Debts() []Debt { return d.settings.book.Open() }

// Move returns once every move of the plan is verified complete and every
// setting that covered one is given back. What is done already is skipped, what
// is in flight is adopted. When ctx ends, or on an error, nothing new begins:
// settings that cover no move in flight are given back, and an [InFlightError]
// names what goes on in Kafka. Moves that Kafka refused are [MoveError]s, joined
// in sorted order, after the others are done.
func (d *Driver) Move(ctx context.Context, p plan.Plan) error {
	d.owns(p.Moves)
	d.drained = union(d.drained, p.Brokers)
	r := newRun(p.Moves, d.opts)
	failures, err := d.carry(ctx, r)
	return d.leave(ctx, r, errors.Join(append(failures, err)...))
}

// Wait returns once none of our moves is in flight and their settings are given
// back. It starts nothing.
func (d *Driver) Wait(ctx context.Context) error {
	r := newRun(d.ownMoves(), d.opts)
	r.waitOnly = true
	failures, err := d.carry(ctx, r)
	return d.leave(ctx, r, errors.Join(append(failures, err)...))
}

// carry looks and acts until the run is over. It returns the moves that failed
// apart from what ended the run.
func (d *Driver) carry(ctx context.Context, r *run) ([]error, error) {
	if len(r.tracks) == 0 {
		return nil, nil
	}
	err := d.patiently(ctx, r.pause, func() (bool, error) {
		err := d.round(ctx, r)
		return r.over(), err
	})
	return r.failures(), err
}

// round is one look and what follows from it.
func (d *Driver) round(ctx context.Context, r *run) error {
	d.setRate(r)
	v, err := d.look(ctx, r)
	if err != nil {
		return err
	}
	r.take(v)
	d.seeCordons(ctx, r)
	d.readRoom(ctx, r)
	d.tell(r)
	d.trip(ctx, r)
	d.adapt(ctx, r)
	if err := r.stalled(); err != nil {
		return d.giveUp(ctx, r, err)
	}
	if doomed := r.doomed(); len(doomed) > 0 && d.opts.Replan != nil && !r.waitOnly {
		return d.replan(ctx, r, doomed)
	}
	if homeless := r.homeless(); len(homeless) > 0 && d.opts.Replan != nil && !r.waitOnly {
		return d.rehome(ctx, r, homeless)
	}
	return d.act(ctx, r, r.decide())
}

// setRate takes the throttle as it is now: ours, or an operator's lower one on
// a lane that has one.
func (d *Driver) setRate(r *run) {
	rate := d.rate.Load()
	if !r.last.IsZero() && rate != r.rate {
		r.steep = true
		d.report(Event{Kind: RateIs, Broker: -1, BytesPerSec: rate, Text: "the throttle is now " + throttleText(rate)})
	}
	r.rate = rate
	r.asked = func(at Lane) int64 { return d.adaptive.rate(at, rate) }
	r.ours = func(at Lane) int64 { return within(r.asked(at)) }
	r.why = d.adaptive.why
	r.room = d.settings.room
	r.rates = func(at Lane) int64 {
		if n, ok := d.settings.rates[at]; ok && rate > 0 {
			return min(n, r.ours(at))
		}
		return r.ours(at)
	}
}

// leave gives back what covers nothing in flight, even though ctx has ended, lets
// what goes on in Kafka have its whole rate, and says what that is.
func (d *Driver) leave(ctx context.Context, r *run, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	inFlight, err := d.settleFirmly(ctx)
	if len(inFlight) > 0 && why != nil {
		err = errors.Join(err, d.steepen(ctx, r, inFlight))
		kept := d.Debts()
		for _, debt := range kept {
			d.report(Event{Kind: Kept, Broker: debt.Resource.Broker(), Debt: &debt, Text: fmt.Sprintf("%v stays while Kafka copies", debt)})
		}
		why = &InFlightError{Partitions: inFlight, Kept: kept, Err: why}
	}
	return errors.Join(why, err)
}
