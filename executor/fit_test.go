package executor

import (
	"strings"
	"testing"
	"time"

	"drain/plan"
	"drain/runbooks"
)

// at is a time on the first days of a year.
func at(day, hour, minute int) time.Time {
	return time.Date(2026, 1, day, hour, minute, 0, 0, time.UTC)
}

func nightly(from, to int) *runbooks.Window {
	return &runbooks.Window{Hours: runbooks.Hours{From: from * 60, To: to * 60}, Zone: time.UTC}
}

// days is a window that is open on whole days.
func days(on ...time.Weekday) *runbooks.Window {
	return &runbooks.Window{Days: on, Hours: runbooks.Hours{To: 24 * 60}, Zone: time.UTC}
}

func TestTheExpectedEndCountsOpenHoursOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		w    *runbooks.Window
		need time.Duration
		now  time.Time
		want time.Time
	}{
		{"without a window", nil, 3 * time.Hour, at(1, 10, 0), at(1, 13, 0)},
		{"before the window", nightly(22, 23), 30 * time.Minute, at(1, 10, 0), at(1, 22, 30)},
		{"just fits", nightly(22, 23), time.Hour, at(1, 10, 0), at(1, 23, 0)},
		{"in the window, and in the next", nightly(22, 23), time.Hour, at(1, 22, 15), at(2, 22, 15)},
		{"three windows and a half", nightly(22, 23), 3*time.Hour + 30*time.Minute, at(1, 10, 0), at(4, 22, 30)},
		{"over midnight", nightly(22, 4), 5 * time.Hour, at(1, 23, 0), at(2, 4, 0)},
		{"always open", days(), 50 * time.Hour, at(1, 10, 0), at(3, 12, 0)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := expectedEnd(tc.w, tc.need, tc.now); !got.Equal(tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestWhatDoesNotFitIsToldBeforeTheFirstChange(t *testing.T) {
	t.Parallel()
	moves := func(sizes ...int64) plan.Plan {
		var p plan.Plan
		for i, size := range sizes {
			p.Moves = append(p.Moves, plan.Move{TopicPartition: plan.TopicPartition{Topic: "t", Partition: int32(i)}, Bytes: size})
			p.Totals.Time += time.Duration(size) * time.Second / 1000
		}
		return p
	}
	for _, tc := range []struct {
		name  string
		rb    runbooks.Runbook
		plan  plan.Plan
		level plan.Level
		want  []string // in the one finding; nil: none
	}{
		{"no window", runbooks.Runbook{}, moves(9_000_000), plan.Warn, nil},
		{"fits", runbooks.Runbook{Window: nightly(22, 23)}, moves(3_600_000), plan.Warn, nil},
		{"does not fit into one", runbooks.Runbook{Window: nightly(22, 23)}, moves(3_000_000, 3_000_000), plan.Warn, []string{"window-too-short", "1h40m0s", "go on in the next"}},
		{"two days that touch are one", runbooks.Runbook{Window: days(time.Saturday, time.Sunday)}, moves(108_000_000), plan.Warn, nil},
		{"two days that do not are two", runbooks.Runbook{Window: days(time.Tuesday, time.Sunday)}, moves(108_000_000), plan.Warn, []string{"30h0m0s", "a window is open for 24h0m0s"}},
		{"every day is always", runbooks.Runbook{Window: days()}, moves(108_000_000), plan.Warn, nil},
		{"each fits, and is cancelled at the end", runbooks.Runbook{Window: nightly(22, 23), WindowEnd: runbooks.Cancel}, moves(3_600_000), plan.Warn, nil},
		{"one deadline after the expected end", runbooks.Runbook{Window: nightly(22, 23), Deadline: 13 * time.Hour}, moves(3_600_000), plan.Warn, nil},
		{"the deadline is in the window", runbooks.Runbook{Window: nightly(22, 23), Deadline: 12*time.Hour + 30*time.Minute}, moves(3_600_000), plan.Warn, []string{"deadline-too-short", "expected to be over at"}},
		{"the deadline is before the window", runbooks.Runbook{Window: nightly(22, 23), Deadline: 11 * time.Hour}, moves(3_600_000), plan.Block, []string{"deadline-too-short", "the window opens at"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := fitFindings(preflight{runbook: tc.rb, plan: tc.plan, rate: 1000, now: at(1, 10, 0)})
			if tc.want == nil {
				if len(got) > 0 {
					t.Errorf("got %v, want nothing", got)
				}
				return
			}
			if len(got) != 1 || got[0].Level != tc.level {
				t.Fatalf("got %v, want one of level %v", got, tc.level)
			}
			for _, word := range tc.want {
				if !strings.Contains(describe(got[0]), word) {
					t.Errorf("got %q, want %q in it", describe(got[0]), word)
				}
			}
		})
	}
}

func fitFindings(p preflight) []plan.Finding {
	var all []plan.Finding
	for _, check := range []func(preflight) []plan.Finding{windowTooShort, moveTooLong, deadlineTooShort} {
		all = append(all, check(p)...)
	}
	return all
}

// With windowEnd: cancel a move longer than a window would be begun and taken
// back night after night, and nobody was told.
func TestAMoveThatFitsIntoNoWindowIsToldBeforehand(t *testing.T) {
	t.Parallel()
	p := plan.Plan{Moves: []plan.Move{
		{TopicPartition: plan.TopicPartition{Topic: "small", Partition: 0}, Bytes: 1_000_000},
		{TopicPartition: plan.TopicPartition{Topic: "big", Partition: 3}, Bytes: 7_200_000},
	}}
	pre := preflight{runbook: runbooks.Runbook{Window: nightly(22, 23), WindowEnd: runbooks.Cancel}, plan: p, rate: 1000, now: at(1, 10, 0)}
	got := moveTooLong(pre)
	want := "window-too-short: 1 move does not fit into a window, of 1h0m0s, and is taken back at its end (windowEnd: cancel): the largest, big-3, has 7.2 MB, which take 2h0m0s at 1kB/s" +
		" (write windowEnd: finish, widen the window or raise the throttle)"
	if len(got) != 1 || describe(got[0]) != want || got[0].Level != plan.Block {
		t.Errorf("got %v, want a block: %q", got, want)
	}
	pre.plan.Moves = p.Moves[1:]
	if got := moveTooLong(pre); len(got) != 1 || !strings.HasPrefix(got[0].Message, "no move fits into a window") {
		t.Errorf("got %v, want that no move fits", got)
	}
	for name, other := range map[string]func(*preflight){
		"finish":   func(p *preflight) { p.runbook.WindowEnd = runbooks.Finish },
		"no limit": func(p *preflight) { p.rate = 0 },
		"faster":   func(p *preflight) { p.rate = 2000 },
	} {
		quiet := pre
		if other(&quiet); len(moveTooLong(quiet)) > 0 {
			t.Errorf("%s: got %v, want nothing", name, moveTooLong(quiet))
		}
	}
}
