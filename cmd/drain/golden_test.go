package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestAnswersReadAsWritten holds what people and programs read to the files in
// testdata: look at the difference with a tired eye after -update.
func TestAnswersReadAsWritten(t *testing.T) {
	t.Parallel()
	snapshot := func(name string) string { return filepath.Join("testdata", name) }
	for _, tc := range []struct {
		golden string
		exit   int
		words  []string
	}{
		{"check.txt", 3, []string{"check", "--snapshot", snapshot("hurt.json"), "--broker", "2"}},
		{"check.json", 3, []string{"check", "--snapshot", snapshot("hurt.json"), "--broker", "2", "--output", "json"}},
		{"check_safe.txt", 0, []string{"check", "--snapshot", snapshot("hurt.json"), "--broker", "4"}},
		{"check_all.txt", 3, []string{"check", "--snapshot", snapshot("hurt.json"), "--broker", "2,3", "--all"}},
		{"check_accepted.txt", 0, []string{
			"check", "--snapshot", snapshot("hurt.json"), "--broker", "3", "--accept-risk", "leaderless", "--accept-risk", "under-min-isr",
		}},
		{"check_zookeeper.txt", 3, []string{"check", "--snapshot", snapshot("zookeeper.json"), "--broker", "2"}},
		{"diagnose.txt", 0, []string{"diagnose", "--snapshot", snapshot("hurt.json")}},
		{"diagnose.json", 0, []string{"diagnose", "--snapshot", snapshot("hurt.json"), "--output", "json"}},
		{"plan.txt", 0, []string{"plan", "--snapshot", snapshot("books.json"), "--broker", "1", "--throttle", "50MB/s"}},
		{"plan_all.txt", 0, []string{"plan", "--snapshot", snapshot("books.json"), "--broker", "1", "--all"}},
		{"plan_at_risk.txt", 0, []string{"plan", "--snapshot", snapshot("books.json"), "--broker", "1", "--throttle", "50MB/s", "--mode", "at-risk"}},
		{"plan_refused.txt", 3, []string{"plan", "--snapshot", snapshot("books.json"), "--broker", "1,4", "--exclude-topics", "log", "--destinations", "2,3"}},
		{"plan.json", 0, []string{"plan", "--snapshot", snapshot("books.json"), "--broker", "1", "--output", "json"}},
		{"plan_kafka.json", 0, []string{"plan", "--snapshot", snapshot("books.json"), "--broker", "1", "--output", "kafka"}},
		{"plan_rollback.json", 0, []string{"plan", "--snapshot", snapshot("books.json"), "--broker", "1", "--output", "kafka", "--rollback"}},
		{"diagnose_healthy.txt", 0, []string{"diagnose", "--snapshot", snapshot("zookeeper.json")}},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := call(t, tc.words...)
			if code != tc.exit || stderr != "" {
				t.Errorf("got exit %d and %q on stderr, want %d and nothing", code, stderr, tc.exit)
			}
			path := filepath.Join("testdata", tc.golden)
			if *update {
				if err := os.WriteFile(path, []byte(stdout), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if stdout != string(want) {
				t.Errorf("got\n%s\nwant\n%s", stdout, want)
			}
		})
	}
}
