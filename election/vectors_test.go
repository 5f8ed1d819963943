package election

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEventsOfTheKRaftController replays the stories of testdata/vectors.txt.
// The numbered ones were run on Kafka's own PartitionChangeBuilder (4.0 and 4.3).
func TestEventsOfTheKRaftController(t *testing.T) {
	t.Parallel()
	replay(t, "testdata/vectors.txt", func(rules Rules, p Partition, away []int32, event byte, brokers []int32) (Partition, []int32) {
		id := brokers[0]
		live := func(id int32) bool { return !slices.Contains(away, id) }
		switch event {
		case 'f':
			return rules.Leave(p, live, id), append(away, id)
		case 'r':
			return rules.Unregister(p, live, id), append(away, id)
		case 'u':
			return rules.Unfence(p, live, id), without(away, id)
		case 'x':
			return rules.Restart(p, live, id), away
		case 'e':
			return rules.ElectUnclean(p, live), away
		case 'd':
			p = rules.FailDir(p, live, id)
			p.Offline = append(slices.Clone(p.Offline), id)
			return p, away
		}
		t.Fatalf("no event %q", event)
		return p, away
	})
}

// TestEventsOfTheZooKeeperController replays the stories of
// testdata/zookeeper.txt.
func TestEventsOfTheZooKeeperController(t *testing.T) {
	t.Parallel()
	replay(t, "testdata/zookeeper.txt", func(rules Rules, p Partition, away []int32, event byte, brokers []int32) (Partition, []int32) {
		rules.Mode = ZooKeeper
		live := func(id int32) bool { return !slices.Contains(away, id) }
		switch event {
		case 'v':
			return rules.Vanish(p, live, brokers), append(away, brokers...)
		case 's':
			return rules.Retire(p, live, brokers, brokers[0]), append(away, brokers[0])
		case 'b':
			away = without(away, brokers...)
			return rules.Online(p, func(id int32) bool { return !slices.Contains(away, id) }), away
		case 'e':
			return rules.ElectUnclean(p, live), away
		}
		t.Fatalf("no event %q", event)
		return p, away
	})
}

// step is one event: the partition after it, and who is away then.
type step func(rules Rules, p Partition, away []int32, event byte, brokers []int32) (Partition, []int32)

func replay(t *testing.T, file string, next step) {
	t.Helper()
	for _, story := range readStories(t, file) {
		t.Run(story.title, func(t *testing.T) {
			rules, p, away := parseStart(t, story.start)
			var states strings.Builder
			for _, event := range strings.Fields(story.events) {
				p, away = next(rules, p, away, event[0], ids(t, event[1:]))
				fmt.Fprintln(&states, stateOf(p))
			}
			if got := states.String(); got != story.want {
				t.Errorf("%s after %s\ngot\n%swant\n%s", story.start, story.events, got, story.want)
			}
		})
	}
}

// story is one block of a file: comment, starting line, events, ----, states.
type story struct{ title, start, events, want string }

func readStories(t *testing.T, file string) []story {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var stories []story
	for _, block := range strings.Split(string(data), "\n\n") {
		var s story
		var lines []string
		for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
			if comment, ok := strings.CutPrefix(line, "# "); ok {
				s.title = strings.TrimSpace(s.title + " " + comment)
			} else {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue // the head of the file
		}
		if len(lines) < 4 || lines[2] != "----" {
			t.Fatalf("%s: story %q: want a start, events, ---- and states, got %q", file, s.title, lines)
		}
		s.start, s.events, s.want = lines[0], lines[1], strings.Join(lines[3:], "\n")+"\n"
		stories = append(stories, s)
	}
	return stories
}

func stateOf(p Partition) string {
	state := fmt.Sprint(p.Leader, " / ", p.ISR, " / ", p.ELR, " / ", p.LastKnown)
	if p.Recovering {
		state += " RECOVERING"
	}
	return state
}

// parseStart reads "replicas=1,2,3 isr=1 leader=1 elr min=2 away=3".
func parseStart(t *testing.T, line string) (Rules, Partition, []int32) {
	t.Helper()
	var (
		rules Rules
		p     = Partition{MinISR: 1}
		away  []int32
	)
	for _, field := range strings.Fields(line) {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "replicas":
			p.Replicas = ids(t, value)
		case "isr":
			p.ISR = ids(t, value)
		case "eligible":
			p.ELR = ids(t, value)
		case "adding":
			p.Adding = ids(t, value)
		case "removing":
			p.Removing = ids(t, value)
		case "offline":
			p.Offline = ids(t, value)
		case "away":
			away = ids(t, value)
		case "leader":
			p.Leader = ids(t, value)[0]
		case "min":
			p.MinISR = int(ids(t, value)[0])
		case "elr":
			rules.ELR = true
		case "unclean":
			p.Unclean = On
		case "release":
			release, err := ParseRelease(value)
			if err != nil {
				t.Fatal(err)
			}
			rules.Release = release
		default:
			t.Fatalf("no key %q in %q", key, line)
		}
	}
	return rules, p, away
}

// ids reads "1,2,3"; the empty string is no ids.
func ids(t *testing.T, list string) []int32 {
	t.Helper()
	if list == "" {
		return nil
	}
	var all []int32
	for _, word := range strings.Split(list, ",") {
		id, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, int32(id))
	}
	return all
}
