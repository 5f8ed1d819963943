package reassign

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// oneDir is what a broker with one log dir tells.
func oneDir(total, usable int64) []plan.LogDir {
	return []plan.LogDir{{Path: "/d", TotalBytes: total, UsableBytes: usable}}
}

// What fitted when it was planned waits while it does not, and starts when it
// does again; others go on meanwhile.
func TestMoveWaitsForRoom(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("t", 0, 60e6, 3, 4, 3, 1)
		s.moves("u", 0, 1e6, 3, 5, 3, 1)
		s.space = map[int32][]plan.LogDir{4: oneDir(1000e6, 150e6)} // 50 MB beside the headroom
		s.at(25*time.Second, func() { s.space[4] = oneDir(1000e6, 160e6) })
		var started time.Duration
		began := time.Now()
		s.watch = func() {
			if started == 0 && len(s.parts[tp("t", 0)].adding) > 0 {
				started = time.Since(began)
			}
		}
		if err := s.driver(Options{DiskHeadroom: 0.1}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		if started < 25*time.Second || started > 25*time.Second+spaceEvery+2*time.Second {
			s.Errorf("t-0 began after %v, want soon after 25 s", started)
		}
		s.done()
	})
}

// Room is for all that is in flight: of three moves that fit one by one only two
// may start, and the third once their bytes are counted on the disk.
func TestRoomIsReserved(t *testing.T) {
	play(t, 4, func(s *scene) {
		for i := range int32(3) {
			s.moves("t", i, 30e6, 3, 4, 3, 1)
		}
		s.space = map[int32][]plan.LogDir{}
		free, most := 65e6, 0
		s.watch = func() {
			coming, left := 0, free
			for _, p := range s.parts {
				coming += len(p.adding)
				left -= p.copied[4]
			}
			most, s.space[4] = max(most, coming), oneDir(1000e6, int64(left))
		}
		s.at(100*time.Second, func() {
			s.want(most, 2)
			free += 30e6
		})
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// A destination that stays full is a stall that names the broker and the bytes.
func TestFullDestinationIsAStall(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 60e6, 3, 4, 3, 1)
		s.space = map[int32][]plan.LogDir{4: oneDir(1000e6, 50e6)}
		err := s.driver(Options{StallAfter: 5 * time.Minute, Replan: func(context.Context, []plan.Move) (plan.Plan, error) {
			return plan.Plan{}, errors.New("every broker is full")
		}}).Move(s.Context(), s.plan)
		stall, ok := errors.AsType[*StallError](err)
		if want := "t-0 waits for disk space: broker 4 has room for 50 MB beside what is in flight, and 60 MB is needed"; !ok || stall.Cause != want {
			s.Errorf("got %v, want %q", err, want)
		}
		if said := strings.Join(s.said(Stuck), "\n"); strings.Count(said, "every broker is full") != 1 || strings.Count(said, "waits for disk space") != 1 {
			s.Errorf("got %q, want the want of room and of another destination told once each", said)
		}
		s.clean()
	})
}

// A destination that stays full is left for another one.
func TestFullDestinationIsReplanned(t *testing.T) {
	play(t, 5, func(s *scene) {
		p := s.moves("t", 0, 60e6, 3, 4, 3, 1)
		s.space = map[int32][]plan.LogDir{4: oneDir(1000e6, 50e6), 5: oneDir(1000e6, 900e6)}
		err := s.driver(Options{BytesPerSec: 10e6, Replan: func(context.Context, []plan.Move) (plan.Plan, error) {
			s.want(p.replicas, []int32{3, 1}) // the order is back before anybody plans
			s.plan.Moves[0] = s.move("t", 0, 3, 5, 1, 5)
			return plan.Plan{Moves: s.plan.Moves}, nil
		}}).Move(s.Context(), s.plan)
		if err != nil {
			s.Fatal(err)
		}
		s.want(s.said(Replanned), []string{"t-0 is replanned, since their destination is full"})
		s.done()
	})
}

// A move of the second wave starts when the one that makes room for it is done
// and the room shows, not a look before; what needs no room of others does not
// wait.
func TestSecondWaveWaitsForItsRoom(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("big", 0, 60e6, 3, 4, 3, 1)
		s.plan.Moves[0].Wave = 1
		s.moves("small", 0, 40e6, 4, 5, 1, 4)
		s.plan.Moves[1].Helper = true
		s.moves("other", 0, 1e6, 3, 2, 3, 1)
		s.space = map[int32][]plan.LogDir{4: oneDir(1000e6, 30e6)}
		began, erased := time.Now(), false
		var other, big time.Duration // when they began
		s.watch = func() {
			if small := s.parts[tp("small", 0)]; !erased && !slices.Contains(small.replicas, 4) {
				erased = true
				s.at(time.Minute, func() { s.space[4] = oneDir(1000e6, 70e6) })
			}
			if other == 0 && len(s.parts[tp("other", 0)].adding) > 0 {
				other = s.last.Sub(began)
			}
			if big == 0 && len(s.parts[tp("big", 0)].adding) > 0 {
				big = s.last.Sub(began)
			}
		}
		if err := s.driver(Options{BytesPerSec: 1e6, StallAfter: 30 * time.Second}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		if other > 40*time.Second || big < 100*time.Second || big > 100*time.Second+spaceEvery+2*time.Second {
			s.Errorf("other-0 began after %v, want it not to wait; big-0 after %v, want a minute after small-0 (40 s)", other, big)
		}
		s.done()
	})
}

// Room that is there already is that of others: it is not taken before its wave.
func TestSecondWaveWaitsForTheFirst(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("big", 0, 60e6, 3, 4, 3, 1)
		s.plan.Moves[0].Wave = 1
		s.moves("small", 0, 40e6, 4, 5, 1, 4)
		s.space = map[int32][]plan.LogDir{4: oneDir(1000e6, 70e6)}
		s.watch = func() {
			if len(s.parts[tp("big", 0)].adding) > 0 && slices.Contains(s.parts[tp("small", 0)].replicas, 4) {
				s.Fatal("big-0 began before small-0 had left broker 4")
			}
		}
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// Room that never shows is a stall, in its own time; and a broker that does not
// tell has none for what others make room for.
func TestRoomThatNeverShows(t *testing.T) {
	for name, space := range map[string]map[int32][]plan.LogDir{
		"broker 4 has room for 30 MB beside what is in flight, and 60 MB is needed": {4: oneDir(1000e6, 30e6)},
		"broker 4 does not tell how much it has":                                    nil,
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 5, func(s *scene) {
				s.moves("big", 0, 60e6, 3, 4, 3, 1)
				s.plan.Moves[0].Wave = 1
				s.space = space
				began := time.Now()
				err := s.driver(Options{StallAfter: 30 * time.Second}).Move(s.Context(), s.plan)
				if stall, ok := errors.AsType[*StallError](err); !ok || stall.Cause != "big-0 waits for disk space: "+name {
					s.Errorf("got %v", err)
				}
				if took := time.Since(began); took < erasure {
					s.Errorf("given up after %v, before files are erased", took)
				}
				s.clean()
			})
		})
	}
}

// Brokers that do not tell are taken for roomy, and that is said once.
func TestSpaceThatCannotBeReadIsToldOnce(t *testing.T) {
	play(t, 4, func(s *scene) {
		for i := range int32(6) {
			s.moves("t", i, 20e6, 3, 4, 3, 1)
		}
		s.fault = func(request string) error {
			if request == "space" {
				return errors.New("not allowed")
			}
			return nil
		}
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(s.said(Retried), []string{"read the free space of brokers: not allowed"})
		s.done()
	})
}

// A destination that told that it is full, and then did not answer, was taken for
// roomy.
func TestADiskIsNotForgottenWithoutAnAnswer(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("t", 0, 60e6, 3, 4, 3, 1)
		s.moves("u", 0, 1e6, 3, 5, 3, 1) // others answer
		s.space = map[int32][]plan.LogDir{4: oneDir(1000e6, 50e6), 5: oneDir(1000e6, 900e6)}
		s.at(10*time.Second, func() { delete(s.space, 4) })
		s.at(50*time.Second, func() { s.space[4] = oneDir(1000e6, 900e6) })
		began := time.Now()
		if err := s.driver(Options{}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		if took := time.Since(began); took < 50*time.Second || took > 50*time.Second+spaceEvery+5*time.Second {
			s.Errorf("it took %v, want t-0 to wait until there is room after 50 s", took)
		}
		s.done()
	})
}

// Two log dirs of a broker are two rooms if they are two volumes.
func TestRoomIsOfTheLogDirThatIsNamed(t *testing.T) {
	t.Parallel()
	dirs := []plan.LogDir{
		{Path: "/a", TotalBytes: 100, UsableBytes: 50}, {Path: "/b", TotalBytes: 100, UsableBytes: 20},
		{Path: "/c", TotalBytes: 100, UsableBytes: 50}, {Path: "/gone", TotalBytes: -1, UsableBytes: -1, Offline: true},
	}
	for _, c := range []struct {
		name string
		dir  []string
		dirs []plan.LogDir
		want int64
	}{
		{"the one that is named", []string{"/b"}, dirs, 10},
		{"two of one volume", []string{"/c"}, dirs, 40},
		{"none is named: the roomiest", nil, dirs, 40},
		{"one that is offline: Kafka takes another", []string{"/gone"}, dirs, 40},
		{"an old broker does not tell", nil, []plan.LogDir{{Path: "/a", TotalBytes: -1, UsableBytes: -1}}, -1},
		{"no answer", nil, nil, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(nil, Options{DiskHeadroom: 0.1})
			got := int64(-1)
			if v := r.disk(4, c.dirs).of(&track{Move: plan.Move{Dirs: c.dir, To: []int32{4}}}, 0); v != nil {
				got = v.free
			}
			if got != c.want {
				t.Errorf("got %d bytes free, want %d", got, c.want)
			}
		})
	}
}
