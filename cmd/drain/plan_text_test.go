package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// moves makes a move from broker 1 to each of the brokers named.
func moves(to ...int32) []plan.Move {
	list := make([]plan.Move, len(to))
	for i, id := range to {
		list[i] = plan.Move{
			TopicPartition: plan.TopicPartition{Topic: "t", Partition: int32(i)}, Bytes: 1000, LeadsDuring: plan.NoLeader,
			Before: []int32{1}, After: []int32{id}, From: []int32{1}, To: []int32{id},
		}
	}
	return list
}

func TestMovesAreListedByTheWayTheyGo(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		to   []int32
		all  bool
		want string
	}{
		{"broker 10 comes after broker 2", []int32{10, 2}, false, "\n1 -> 2: 1 move, 1 kB\n  t-1  [1] -> [2]  1 kB\n\n1 -> 10: 1 move, 1 kB\n  t-0  [1] -> [10]  1 kB\n"},
		{"the fourth of a group is counted", []int32{2, 2, 2, 2}, false, "\n1 -> 2: 4 moves, 4 kB\n  t-0  [1] -> [2]  1 kB\n  t-1  [1] -> [2]  1 kB\n  t-2  [1] -> [2]  1 kB\n  and 1 more (--all)\n"},
		{"all are listed if asked for", []int32{2, 2, 2, 2}, true, "\n1 -> 2: 4 moves, 4 kB\n  t-0  [1] -> [2]  1 kB\n  t-1  [1] -> [2]  1 kB\n  t-2  [1] -> [2]  1 kB\n  t-3  [1] -> [2]  1 kB\n"},
		{"nothing moves", nil, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			writeMoves(&out, false, plan.Plan{Moves: moves(tc.to...)}, tc.all)
			if out.String() != tc.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), tc.want)
			}
		})
	}
}

func TestALongPlanIsCounted(t *testing.T) {
	t.Parallel()
	var to []int32
	for id := range int32(25) {
		to = append(to, id+2, id+2)
	}
	var out strings.Builder
	writeMoves(&out, false, plan.Plan{Moves: moves(to...)}, false)
	if !strings.HasSuffix(out.String(), "\nand 10 moves of 10 kB by 5 other ways (--all)\n") {
		t.Errorf("got\n%s", out.String())
	}
	if got := strings.Count(out.String(), "\n1 -> "); got != groupsShown {
		t.Errorf("%d groups, want %d", got, groupsShown)
	}
}

func TestLeadTextTellsWhatChanges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		leader, during, first int32
		want                  string
	}{
		{1, plan.NoLeader, 1, ""},
		{2, 2, 4, ""},
		{1, 2, 2, "  led by 2 while copying"},
		{1, 2, 4, "  led by 2 while copying, then 4"},
	} {
		if got := leadText(plan.Move{Leader: tc.leader, LeadsDuring: tc.during, LeadsFirst: tc.first}); got != tc.want {
			t.Errorf("leader %d, during %d, first %d: got %q, want %q", tc.leader, tc.during, tc.first, got, tc.want)
		}
	}
}

func TestSummaryTellsTheCost(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		plan plan.Plan
		want string
	}{
		{
			"no throttle", plan.Plan{Brokers: []int32{1}, Totals: plan.Totals{Moves: 1, Bytes: 5e9, BoundBytes: 5e9}},
			"plan: 1 move off broker 1, 5 GB (no plan can move less than 5 GB)\n",
		},
		{
			"a throttle that is too low", plan.Plan{Brokers: []int32{1, 2}, Totals: plan.Totals{Moves: 2, Never: true, Time: time.Hour}},
			"plan: 2 moves off brokers 1 and 2, 0 B (no plan can move less than 0 B)\n      it never ends under the throttle: more is written than may be copied\n",
		},
		{
			"a bound that is of more than can be moved", plan.Plan{Brokers: []int32{1}, Totals: plan.Totals{Moves: 1, Time: time.Minute, BoundTime: time.Hour, Binding: plan.BoundPartition}},
			"plan: 1 move off broker 1, 0 B (no plan can move less than 0 B)\n      no plan of all can take less than 1h00m under the throttle (bound by the largest partition)\n",
		},
		{
			"helpers, and some that stay", plan.Plan{Brokers: []int32{1}, Totals: plan.Totals{Moves: 3, HelperMoves: 1}, Left: make([]plan.TopicPartition, 2)},
			"plan: 3 moves off broker 1, 0 B (no plan can move less than 0 B)\n      1 move is only to make room\n      2 partitions keep replicas on broker 1\n",
		},
		{
			"at risk, and nothing is saved", plan.Plan{Brokers: []int32{1}, Mode: plan.AtRisk, Totals: plan.Totals{Moves: 1}, Instead: &plan.Totals{Moves: 1}},
			"plan: 1 move off broker 1 in mode at-risk, 0 B (no plan can move less than 0 B)\n" +
				"               at-risk  evacuate  saved\n        moves        1         1      0\n        bytes      0 B       0 B    0 B\n" +
				"      given up: nothing, no partition keeps a replica on broker 1\n",
		},
		{
			"at risk, where there is no other way", plan.Plan{
				Brokers: []int32{1}, Mode: plan.AtRisk, Totals: plan.Totals{Moves: 1, AtMinISR: 1}, Instead: &plan.Totals{Moves: 1},
				InsteadLeft: 2, Left: make([]plan.TopicPartition, 2),
			},
			"plan: 1 move off broker 1 in mode at-risk, 0 B (no plan can move less than 0 B)\n" +
				"      there is no choice: evacuate would be refused, since 2 partitions could not leave (--mode evacuate says why)\n" +
				"      given up: 2 partitions are one in-sync replica short or more while broker 1 is down, 1 of them exactly at the minimum: the next fault there stops writes\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			writePlanSummary(&out, &tc.plan)
			if out.String() != tc.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), tc.want)
			}
		})
	}
}

func TestFindingsShareTheirRemedy(t *testing.T) {
	t.Parallel()
	var findings []plan.Finding
	for i := range 7 {
		findings = append(findings, plan.Finding{Level: plan.Block, Risk: "disk-full", Message: fmt.Sprintf("t-%d has no place", i), Remedy: "add room"})
	}
	findings = append(findings, plan.Finding{Message: "said first, being a warning"}, plan.Finding{Level: plan.Block, Message: "another", Remedy: "none"})
	var out strings.Builder
	writeFindings(&out, false, findings)
	want := `  blocked  t-0 has no place [disk-full]
  blocked  t-1 has no place [disk-full]
  blocked  t-2 has no place [disk-full]
  blocked  t-3 has no place [disk-full]
  blocked  t-4 has no place [disk-full]
           and 2 more like these (--output json lists all)
           remedy: add room
  blocked  another
           remedy: none
  warning  said first, being a warning
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestTextNamesLogDirs(t *testing.T) {
	t.Parallel()
	move := plan.Move{To: []int32{4, 5}, Dirs: []string{"", "/d2"}}
	if got, want := dirText(move), "  on 5 in /d2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Kafka's tool starts a whole file at once, and sets nothing: what would fill a disk
// or stop writes is told beside it.
func TestWhatAKafkaFileLacksIsTold(t *testing.T) {
	t.Parallel()
	p := plan.Plan{
		Moves: []plan.Move{
			{TopicPartition: plan.TopicPartition{Topic: "t"}, Wave: 1},
			{TopicPartition: plan.TopicPartition{Topic: "u", Partition: 1}, Helper: true},
			{TopicPartition: plan.TopicPartition{Topic: "v"}},
		},
		Overrides: []plan.Override{{Topic: "log", MinISR: 1}},
	}
	want := "note: split the file: u-1 must have moved, and the old files be erased (file.delete.delay.ms), before there is room for t-0\n" +
		"note: set min.insync.replicas=1 for topic log while it moves, or writes with acks=all fail\n"
	var out strings.Builder
	if writeKafkaLacks(&out, p); out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if writeKafkaLacks(&out, plan.Plan{Moves: p.Moves[2:]}); out.String() != "" {
		t.Errorf("got %q of a plan that lacks nothing", out.String())
	}
}

func TestKafkaFileNamesLogDirs(t *testing.T) {
	t.Parallel()
	move := moves(4)[0]
	move.Before, move.After, move.From, move.To, move.Dirs = []int32{1, 2, 3}, []int32{2, 4, 5}, []int32{1, 3}, []int32{4, 5}, []string{"", "/d2"}
	for rollback, want := range map[bool]string{
		false: `{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,4,5],"log_dirs":["any","any","/d2"]}]}`,
		true:  `{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2,3]}]}`,
	} {
		var out strings.Builder
		if err := writeKafkaPlan(&out, plan.Plan{Moves: []plan.Move{move}}, rollback); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("rollback %t: got %s, want %s", rollback, got, want)
		}
	}
}

// The way back was told as "4 moves off brokers , 0 B".
func TestTheSummaryOfARestoreNamesNoBrokers(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writePlanSummary(&out, &plan.Plan{Totals: plan.Totals{Moves: 4, Bytes: 12e6}})
	if got, want := out.String(), "plan: 4 moves back, 12 MB\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
