package reassign

import (
	"errors"
	"slices"
)

// errHidden is a rate of somebody else that cannot be given back, since nobody
// tells what it is.
var errHidden = errors.New("somebody else has set it, and the broker does not tell its value, so that it could not be given back: " +
	"delete it with kafka-configs, or accept the risk hidden-throttle, with which it is deleted after the moves")

// unhide puts the value that we owe where one is set and not told: it is the
// best guess, and whether it is right is decided by what Kafka has answered.
func (s *settings) unhide(c ResourceConfig) ResourceConfig {
	if !slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Hidden }) {
		return c
	}
	c.Entries = slices.Clone(c.Entries)
	for i, e := range c.Entries {
		k := setting{c.Resource, e.Key}
		if d, owed := s.book.of(k); owed && e.Hidden && e.Layer == k.layer() {
			c.Entries[i].Value = d.Set
		}
	}
	return c
}

// stranger says that a value stands there that is not ours and not told, and
// that nobody has agreed to lose.
func (s *settings) stranger(k setting, have ResourceConfig) bool {
	_, owed := s.book.of(k)
	return !owed && !s.forget && have.Hides(k.Key, k.layer())
}
