package e2e_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// diagnosis is what a test looks at in the document of drain diagnose.
type diagnosis struct {
	Leaderless []struct {
		Topic     string
		Partition int32
		Since     time.Time
		Cures     []cure
	}
	Counts map[string]int
}

type cure struct {
	Action   string
	Broker   int32
	Loses    string
	Commands []string
}

// TestDiagnoseOfTheIncident kills broker 1: diagnose names the partitions that
// had their only replica there, and says to start it. The commands for a broker
// that is lost for good are carried out for one of them, by Kafka's own tools;
// the start brings back the others.
func TestDiagnoseOfTheIncident(t *testing.T) {
	t.Parallel()
	for _, k := range controllers {
		if k.name != controllers[0].name && !long() {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			spec := k.spec
			spec.Brokers = kafkatest.Brokers(5, "a", "b", "c")
			spec.Config = map[string]string{"min.insync.replicas": "2"}
			c := kafkatest.Start(t, spec)
			c.CreateTopic("log", singleReplicas(20, 8), nil)
			c.CreateTopic("pay", threeReplicas(12), nil)
			killed := time.Now()
			c.Kill(1)
			if err := c.WaitBrokers(t.Context(), 2, 3, 4, 5); err != nil {
				t.Fatal(err)
			}

			found := diagnose(t, c)
			var names []string
			for _, s := range found.Leaderless {
				names = append(names, fmt.Sprintf("%s-%d", s.Topic, s.Partition))
				if first := s.Cures[0]; first.Action != "startBroker" || first.Broker != 1 || first.Loses != "nothing" {
					t.Errorf("%s-%d: the first cure is %+v, want the start of broker 1", s.Topic, s.Partition, first)
				}
				if !spec.ZooKeeper && (s.Since.Before(killed.Add(-5*time.Second)) || s.Since.After(time.Now())) {
					t.Errorf("%s-%d: without a leader since %v, killed at %v", s.Topic, s.Partition, s.Since, killed)
				}
			}
			if !slices.Equal(names, onBroker1) {
				t.Fatalf("diagnose names %v, want %v", names, onBroker1)
			}
			text := newPlace(t).drain("diagnose", "--bootstrap", c.BootstrapOf(2))
			text.want(t, 0)
			if !strings.Contains(text.stdout, "8 of 32 partitions: no leader.\n  start broker 1: brings 8 back") {
				t.Errorf("the text does not begin with what helps: %v", text)
			}

			beginAnew(t, c, found.Leaderless[0].Cures)
			c.Restart(1)
			if _, err := c.WaitState(t.Context(), "leaders for all", func(s kafkatest.State) error {
				if l := s.Leaderless(); len(l) > 0 {
					return fmt.Errorf("leaderless: %v", l)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if found := diagnose(t, c); len(found.Leaderless) > 0 || found.Counts["leaderless"] != 0 {
				t.Errorf("diagnose of a cluster that is well names %+v", found.Leaderless)
			}
		})
	}
}

func diagnose(t *testing.T, c *kafkatest.Cluster) diagnosis {
	t.Helper()
	r := newPlace(t).drain("diagnose", "--bootstrap", c.BootstrapOf(2), "--output", "json")
	r.want(t, 0)
	var found diagnosis
	if err := json.Unmarshal([]byte(r.stdout), &found); err != nil {
		t.Fatalf("%v\n%v", err, r)
	}
	return found
}

// beginAnew carries out the commands of the last cure, and wants the partition
// led by the broker that they name, though it has no record.
func beginAnew(t *testing.T, c *kafkatest.Cluster, cures []cure) {
	t.Helper()
	last := cures[len(cures)-1]
	if last.Action != "recreate" || last.Loses != "everything" || len(last.Commands) != 3 {
		t.Fatalf("the last resort is %+v", last)
	}
	dir := t.TempDir()
	for _, command := range last.Commands {
		words := strings.Fields(command)
		class, args := toolOf[words[0]], words[1:]
		if class == "" { // writes the file that the next one reads
			sh := exec.CommandContext(t.Context(), "sh", "-c", command)
			sh.Dir = dir
			if out, err := sh.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			continue
		}
		if args[0] != "--bootstrap-server" || args[1] != c.BootstrapOf(2) {
			t.Fatalf("%s: want it at %s", command, c.BootstrapOf(2))
		}
		args = args[2:]
		if at := slices.Index(args, "--reassignment-json-file"); at >= 0 {
			args[at+1] = dir + "/" + args[at+1]
		}
		if out, err := c.JavaTool(t.Context(), class, args...); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	if _, err := c.WaitState(t.Context(), "log-0 led by a broker without its records", func(s kafkatest.State) error {
		if p := s.Topics["log"].Partitions[0]; p.Leader != 2 || !slices.Equal(p.ISR, []int32{2}) {
			return fmt.Errorf("log-0: %+v", p)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// toolOf are the classes behind Kafka's scripts.
var toolOf = map[string]string{
	"kafka-reassign-partitions.sh": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
	"kafka-leader-election.sh":     "org.apache.kafka.tools.LeaderElectionCommand",
}
