package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"drain/executor"
	"drain/internal/kafka"
	"drain/internal/simkafka"
	"drain/runbooks"
)

// A runbook whose only address is that of the broker which was stopped.
func TestARunbookOfOneAddressFindsTheOthersInItsJournal(t *testing.T) {
	t.Parallel()
	cluster := startLogCluster(t)
	away := closedPort(t)
	id := cluster.State().ID
	there := journal(t, id, cluster.Bootstrap()...)
	for _, tc := range []struct {
		name    string
		journal string // empty: there is none
		id      string // of the runbook; empty: it names none
		found   bool
	}{
		{"the journal knows the others", there, "", true},
		{"and the cluster is that of the runbook", there, id, true},
		{"the runbook is for another cluster than the journal", there, "another", false},
		{"there is no journal", "", "", false},
		{"the journal is damaged", there + "{}\n", "", false},
		{"the journal knows no addresses", journal(t, id), "", false},
		{"nobody answers there either", journal(t, id, closedPort(t)), "", false},
		{"those who answer there are another cluster now", journal(t, "another", cluster.Bootstrap()...), "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			s := sessionIn(t.TempDir(), &stderr)
			files := executor.FilesOf(s.stateDir(), "/runbooks/one.yaml")
			if err := os.WriteFile(files.Journal(), []byte(tc.journal), 0o600); tc.journal != "" && err != nil {
				t.Fatal(err)
			}
			rb := runbooks.Defaults()
			rb.Cluster.Bootstrap, rb.Cluster.ID = []string{away}, tc.id
			got, err := s.redial(t.Context(), rb, "/runbooks/one.yaml")
			if !tc.found {
				if !errors.Is(err, kafka.ErrUnreachable) || !strings.Contains(err.Error(), away) || stderr.String() != "" {
					t.Errorf("got %v, told %q; want that %s does not answer, as without a journal", err, stderr.String(), away)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer got.close()
			if want := "drain: nobody answers at " + away + "; the other brokers are known from the journal\n"; got.ClusterID() != id || stderr.String() != want {
				t.Errorf("found cluster %s, told %q; want %q", got.ClusterID(), stderr.String(), want)
			}
		})
	}
}

func TestAClusterThatAnswersNeedsNoJournal(t *testing.T) {
	t.Parallel()
	cluster := startLogCluster(t)
	var stderr bytes.Buffer
	rb := runbooks.Defaults()
	rb.Cluster.Bootstrap = cluster.Bootstrap()[:1]
	for _, tc := range []struct{ id, says string }{{"", ""}, {"another", "the runbook is for cluster another"}} {
		rb.Cluster.ID = tc.id
		got, err := sessionIn(t.TempDir(), &stderr).redial(t.Context(), rb, "/runbooks/one.yaml")
		if err == nil {
			got.close()
		}
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) || stderr.String() != "" {
			t.Errorf("for cluster %q: %v, told %q; want %q", tc.id, err, stderr.String(), tc.says)
		}
	}
}

// journal is one that was just begun, as docs/FORMATS.md describes it.
func journal(t *testing.T, cluster string, reach ...string) string {
	t.Helper()
	return journalOf(t, executor.Record{Kind: executor.KindHeader, Header: &executor.Header{
		Version: executor.JournalVersion, Run: "r", Cluster: cluster, Brokers: []int32{1}, Reach: reach,
	}})
}

// journalOf is a journal with these records, none of which is about a broker.
func journalOf(t *testing.T, records ...executor.Record) string {
	t.Helper()
	var all strings.Builder
	for i, rec := range records {
		rec.N, rec.Broker = i+1, -1
		text, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		text = text[:len(text)-1]
		fmt.Fprintf(&all, "%s,\"sum\":\"%08x\"}\n", text, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
	}
	return all.String()
}

// sessionIn is a session whose journals lie in dir.
func sessionIn(dir string, stderr io.Writer) *session {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.String("state-dir", dir, "")
	return &session{system: system{stderr: stderr}, flags: cli.NewContext(cli.NewApp(), flags, nil), log: slog.New(slog.DiscardHandler)}
}

func startLogCluster(t *testing.T) *simkafka.Cluster {
	t.Helper()
	cluster, err := startSimulated("log-cluster")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

// closedPort is an address where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
