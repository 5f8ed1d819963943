package reassign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// others is a list of so many bytes, all of somebody else.
func others(bytes int) string {
	list := strings.Repeat("99999:99,", bytes/9)
	return list[:len(list)-1] + strings.Repeat("9", bytes-len(list)+1)
}

// What others have listed leaves room for a few moves of the topic only: these
// go a few at a time, and nobody is alarmed.
func TestACrowdedListTakesAFewAtATime(t *testing.T) {
	play(t, 4, func(s *scene) {
		for i := range int32(12) {
			s.moves("big", i, 1e6, 3, 4, 3, 1)
		}
		for _, key := range []string{LeaderList, FollowerList} {
			s.topics["big"][key] = others(longest - 30) // entries of three moves
		}
		if err := s.driver(Options{BytesPerSec: 100e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		s.want(s.said(Submitted), slices.Repeat([]string{"started 3 moves"}, 4))
		s.want(s.said(Retried), []string{})
		if s.longest > longest {
			s.Errorf("a value of %d bytes was sent", s.longest)
		}
	})
}

// There is no room for a single move: that is the cause of the stall, by name.
func TestACrowdedListIsTheCauseOfAStall(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("big", 0, 1e6, 3, 4, 3, 1)
		s.moves("other", 0, 1e6, 3, 4, 3, 1)
		s.topics["big"][LeaderList] = others(longest - 2)
		err := s.driver(Options{BytesPerSec: 1e6, StallAfter: 30 * time.Second}).Move(s.Context(), s.plan)
		stall, ok := errors.AsType[*StallError](err)
		want := fmt.Sprintf("big-0 waits: topic big %s: others have %d bytes of entries in it, and Kafka takes %d: take off those that are not needed any more (kafka-configs)",
			LeaderList, longest-2, longest)
		if !ok || stall.Cause != want {
			s.Fatalf("got %v, want %q", err, want)
		}
		s.want(s.parts[tp("other", 0)].replicas, []int32{4, 1})
		s.want(len(s.said(Retried)), 1)
		s.clean()
	})
}

// Room comes back once the others have gone.
func TestACrowdedListIsReadAgain(t *testing.T) {
	play(t, 4, func(s *scene) {
		p := s.moves("big", 0, 1e6, 3, 4, 3, 1)
		s.topics["big"][LeaderList] = others(longest - 2)
		s.at(20*time.Second, func() { delete(s.topics["big"], LeaderList) })
		d := s.driver(Options{BytesPerSec: 1e6, StallAfter: time.Minute})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(p.replicas, []int32{4, 1})
	})
}
