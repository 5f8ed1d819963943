package main

import (
	"strings"
	"testing"
	"time"

	"drain/plan"
)

func TestHumanBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{-1: "unknown", 0: "0 B", 999: "999 B", 1000: "1 kB", 108_950_000: "109 MB", 999_960_000: "1 GB", 9e18: "9 EB"} {
		if got := humanBytes(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestHumanDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0s", 59 * time.Second: "59s", 90 * time.Second: "1m30s",
		3*time.Hour + 20*time.Minute: "3h20m", 80000 * time.Second: "22h13m", 50 * time.Hour: "2d02h",
	} {
		if got := humanDuration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestLongNamesKeepTheirEnds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 25) + strings.Repeat("m", 200) + strings.Repeat("z", 22)
	for _, c := range []struct {
		topic string
		want  string
	}{
		{"log", "log-7"},
		{strings.Repeat("x", 48), strings.Repeat("x", 48) + "-7"},
		{long, strings.Repeat("a", 25) + "…" + strings.Repeat("z", 22) + "-7"},
	} {
		if got := shortName(plan.TopicPartition{Topic: c.topic, Partition: 7}); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// With --all the list is for programs and for the clipboard too.
func TestNamesAreInFullWhereAllIsListed(t *testing.T) {
	t.Parallel()
	name := plan.TopicPartition{Topic: strings.Repeat("x", 249), Partition: 7}
	move := moves(2)
	move[0].TopicPartition = name
	for _, all := range []bool{false, true} {
		var inPlan, inCheck strings.Builder
		writeMoves(&inPlan, false, plan.Plan{Moves: move}, all)
		writeRows(&inCheck, []plan.Prediction{{TopicPartition: name}}, all)
		for verb, text := range map[string]string{"plan": inPlan.String(), "check": inCheck.String()} {
			if strings.Contains(text, name.String()) != all || strings.Contains(text, "…") == all {
				t.Errorf("drain %s, all %t:\n%s", verb, all, text)
			}
		}
	}
}
