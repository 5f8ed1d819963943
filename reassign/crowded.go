package reassign

import (
	"errors"
	"fmt"
	"slices"
)

// A list of throttled replicas is one value, and a record takes longest bytes of
// it. What others have listed stays, so the moves of a topic may have to share
// what is left.

// crowdedError is a list without room for what is to be added: how many bytes
// of it others have.
type crowdedError int

func (e crowdedError) Error() string {
	return fmt.Sprintf("others have %d bytes of entries in it, and Kafka takes %d: take off those that are not needed any more (kafka-configs)", int(e), longest)
}

// theirs is how many bytes of a list are not ours.
func (s *settings) theirs(k setting, value string) int {
	d, _ := s.book.of(k)
	n := len(value)
	for _, e := range present(value, d.Entries) {
		n -= len(e) + 1
	}
	return max(0, n)
}

// crowded says whether the entries that are missing fit.
func (s *settings) crowded(k setting, value string, add []string) error {
	if fits(value, add) {
		return nil
	}
	return crowdedError(s.theirs(k, value))
}

// room is how many bytes of the lists of a topic our moves may use: half of all,
// or what others leave.
func (s *settings) room(topic string) int {
	theirs := max(s.taken[setting{OfTopic(topic), LeaderList}], s.taken[setting{OfTopic(topic), FollowerList}])
	return min(longest/2, longest-theirs)
}

// fitting leaves out what would make a throttled-replica list of a topic too
// long. One at a time may always try: what others have in it is read then.
func (r *run) fitting(start, flying []*track) []*track {
	used := map[string]int{}
	for _, t := range flying {
		used[t.Topic] += t.listing()
	}
	return slices.DeleteFunc(start, func(t *track) bool {
		if used[t.Topic] > 0 && used[t.Topic]+t.listing() > r.room(t.Topic) {
			return true
		}
		used[t.Topic] += t.listing()
		return false
	})
}

// later says that the move only lacks room in a list beside those that start
// along with it.
func (t *track) later() bool {
	theirs, crowded := errors.AsType[crowdedError](t.lacks)
	return crowded && int(theirs)+t.listing() <= longest
}

// listing is how many bytes the longer list of a move takes.
func (t *track) listing() int {
	n := 0
	for _, b := range t.Before {
		n += len(entry(t.Partition, b)) + 1
	}
	return n
}
