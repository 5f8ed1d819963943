package reassign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// made is the outcome of making settings: those that do not stand, and why.
type made map[setting]error

// lacks returns why the settings of a move do not stand, or nil.
func (m made) lacks(c cover) error {
	for _, s := range c.needs() {
		if err := m[s]; err != nil {
			return fmt.Errorf("%v: %w", s, err)
		}
	}
	return nil
}

// hopeless picks the refusals that trying again will not change.
func hopeless(failed made) error {
	var errs []error
	for _, k := range slices.SortedFunc(maps.Keys(failed), compareSettings) {
		if isHopeless(failed[k]) {
			errs = append(errs, failed[k])
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fatal{errors.Join(errs...)}
}

// isHopeless says of a refusal that trying again will not change it.
func isHopeless(err error) bool {
	refused, ok := errors.AsType[ChangeError](err)
	return ok && !passing(refused.Code) && refused.Code != codeUnknownTopic
}

// change makes the changes, and reads each back until it is in effect. It
// returns those that were refused or do not show, and what was read. A request
// without an answer may have been carried out, wholly or for some brokers: the
// reading tells.
func (s *settings) change(ctx context.Context, changes []Change) (made, configs, error) {
	if len(changes) == 0 {
		return nil, nil, nil
	}
	refused, unanswered := s.port.AlterConfigs(ctx, changes)
	for _, c := range changes {
		s.sure[setting{c.Resource, c.Key}] = unanswered == nil
	}
	failed := made{}
	for _, e := range refused {
		failed[setting{e.Resource, e.Key}] = e
	}
	open := map[setting]Change{}
	for _, c := range changes {
		if k := (setting{c.Resource, c.Key}); failed[k] == nil {
			open[k] = c
		}
	}
	seen, err := s.readBack(ctx, open)
	if err != nil {
		return nil, nil, err
	}
	for k := range open {
		failed[k] = cmp.Or(unanswered, errors.New("the change does not show yet"))
	}
	return failed, seen, nil
}

// readBack removes from open what is in effect, looking again for about three
// seconds: a change reaches a broker through the metadata log, within some tens
// of milliseconds as a rule. Every move waits for it, so it looks often at first.
// It returns the last that was read of each resource.
func (s *settings) readBack(ctx context.Context, open map[setting]Change) (configs, error) {
	seen := configs{}
	for wait := 25 * time.Millisecond; ; wait *= 2 {
		have, err := s.read(ctx, resources(open))
		if err != nil {
			return nil, err
		}
		maps.Copy(seen, have)
		maps.DeleteFunc(open, func(k setting, c Change) bool { return shows(c, have.value(k)) })
		if len(open) == 0 || wait > 2*time.Second {
			return seen, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// shows says that the value is what the change makes of it.
func shows(c Change, value *string) bool {
	switch c.Op {
	case Set:
		return value != nil && *value == c.Value
	case Delete:
		return value == nil
	case Append:
		return len(missing(text(value), ParseList(c.Value))) == 0
	}
	return len(present(text(value), ParseList(c.Value))) == 0
}
