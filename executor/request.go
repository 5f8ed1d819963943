package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"drain/runbooks"
)

// RequestKind says what another shell asks of a run.
type RequestKind string

// What can be asked.
const (
	AskThrottle RequestKind = "throttle"
	AskCancel   RequestKind = "cancel"
	AskApprove  RequestKind = "approve"
)

var allKinds = []RequestKind{AskThrottle, AskCancel, AskApprove}

// Request is what another shell asks of a run, through the file beside its
// journal.
type Request struct {
	Kind        RequestKind `json:"kind"`
	BytesPerSec int64       `json:"bytesPerSec,omitempty"` // of AskThrottle; 0: none
	Who         string      `json:"who"`
	Time        time.Time   `json:"time"`
}

// requestPoll is how often a live run looks for requests.
const requestPoll = 500 * time.Millisecond

// Alive says whether a run of the runbook is alive on this host.
func Alive(files Files) (bool, error) {
	if _, err := os.Stat(files.Lock()); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	free, err := isFree(files.Lock())
	return !free, err
}

// Awaits says whether the run of a runbook, if it is alive, waits for an approval now.
// One that is sent earlier is no answer.
func Awaits(files Files) (bool, error) {
	records, err := Peek(files)
	if err != nil {
		return false, err
	}
	h := fold(records)
	for _, p := range h.slots {
		if p.kind == runbooks.Approve && p.begun > max(h.session, p.ended, p.failed, p.approved) {
			return true, nil
		}
	}
	return false, nil
}

// Send leaves a request for the run that is alive; a throttle may also wait for
// the next one.
func Send(files Files, req Request) error {
	if err := makeState(files.Dir); err != nil {
		return err
	}
	text, err := json.Marshal(req)
	if err != nil {
		return err
	}
	return withLocked(files.Requests(), func(f *os.File) error {
		if _, err := f.Seek(0, io.SeekEnd); err != nil {
			return err
		}
		if _, err := f.Write(append(text, '\n')); err != nil {
			return err
		}
		return f.Sync()
	})
}

// receive takes the waiting requests of these kinds, and leaves the others. A line
// that cannot be read is dropped with an error: it was written by a person's editor
// or another version.
func receive(files Files, kinds ...RequestKind) (requests []Request, err error) {
	switch info, err := os.Stat(files.Requests()); {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil // nobody has asked anything
	case err != nil:
		return nil, err
	case info.Size() == 0:
		return nil, nil
	}
	var bad error
	err = withLocked(files.Requests(), func(f *os.File) error {
		text, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		var rest []byte
		for l := range bytes.Lines(text) {
			var req Request
			switch err := json.Unmarshal(l, &req); {
			case err != nil || !slices.Contains(allKinds, req.Kind):
				bad = errors.Join(bad, fmt.Errorf("%s: %q is not a request", f.Name(), l))
			case slices.Contains(kinds, req.Kind):
				requests = append(requests, req)
			default:
				rest = append(rest, l...)
			}
		}
		if len(rest) == len(text) {
			return nil
		}
		_, err = f.WriteAt(rest, 0)
		return errors.Join(err, f.Truncate(int64(len(rest))))
	})
	return requests, errors.Join(bad, err)
}

// withLocked opens a file that several processes read and write, alone.
func withLocked(path string, use func(*os.File) error) error {
	lock := flock.New(path, flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(use(f), f.Close())
}

// dropStale drops what was left for a run that is over, but for a throttle. It
// comes right after the lock of the journal, from which on others take this run for
// alive: what is asked later is for it.
func (r *run) dropStale() {
	stale, err := receive(r.files, AskCancel, AskApprove)
	r.warn(err)
	for _, req := range stale {
		r.log.Info("request came after its run had ended", "request", string(req.Kind), "who", req.Who, "at", req.Time)
	}
}

// listen takes requests until stop is called, those first that have come since this
// process has the journal. An interrupt does not end it: what is given back after
// one takes its time.
func (r *run) listen(ctx context.Context) (stop func()) {
	r.hear()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(min(requestPoll, r.cfg.Runbook.Poll))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				r.hear()
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// hear does what was asked. Before there is a journal to write it down in a run
// can be cancelled; the rest waits until there is one.
func (r *run) hear() {
	kinds := allKinds
	if len(r.journal.Records()) == 0 {
		kinds = []RequestKind{AskCancel}
	}
	requests, err := receive(r.files, kinds...)
	r.warn(err)
	for _, req := range requests {
		var err error
		switch req.Kind {
		case AskThrottle:
			err = r.hearThrottle(req)
		case AskCancel:
			err = r.hearCancel(req)
		case AskApprove:
			err = r.hearApprove(req)
		}
		r.warn(err)
	}
}

// note is append for what does not belong to the step that is being taken. Before
// there is a journal it only tells.
func (r *run) note(rec Record, text string) error {
	rec.Broker = none
	if len(r.journal.Records()) > 0 {
		if err := r.journal.Append(rec); err != nil {
			return err
		}
	}
	r.aside(EventChange, text)
	return nil
}

// aside is say for what does not belong to the step that is being taken, and may
// be called while another goroutine goes on to the next one.
func (r *run) aside(kind EventKind, text string) {
	r.cfg.Sink.Event(Event{Time: time.Now(), Kind: kind, Broker: none, Text: text})
}

func (req Request) answer() *Answer { return &Answer{Who: req.Who, How: "drain " + string(req.Kind)} }

func (r *run) hearThrottle(req Request) error {
	rec := Record{Kind: KindThrottle, Throttle: &req.BytesPerSec, Answer: req.answer()}
	if err := r.note(rec, fmt.Sprintf("throttle is now %s, as %s asked", rate(req.BytesPerSec), req.Who)); err != nil {
		return err
	}
	r.reach.throttle(req.BytesPerSec)
	return nil
}

func (r *run) hearCancel(req Request) error {
	if err := r.note(Record{Kind: KindCancel, Answer: req.answer()}, req.Who+" cancels this run"); err != nil {
		return err
	}
	by := fmt.Errorf("%w by %s", ErrCancelled, req.Who)
	r.reach.cancel(by)
	r.end(by)
	return nil
}

// hearApprove answers the step that waits, and nobody else: an answer to a
// question that was not asked yet is no answer.
func (r *run) hearApprove(req Request) error {
	if !r.reach.approve(*req.answer()) {
		r.log.Info("nothing waits for an approval", "who", req.Who)
	}
	return nil
}
