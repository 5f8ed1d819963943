package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

// parsing is held by each call: the library writes to cli.HelpFlag, which is one
// for the whole process, whenever it parses.
var parsing sync.Mutex

// call runs a command line without a network or a terminal.
func call(t *testing.T, words ...string) (code int, stdout, stderr string) {
	t.Helper()
	parsing.Lock()
	defer parsing.Unlock()
	var out, errs bytes.Buffer
	s := system{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) (string, bool) { return "", false }}
	code = s.main(t.Context(), append([]string{"drain"}, words...))
	return code, out.String(), errs.String()
}

func TestUsageErrorsAreFourAndOnStderr(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, says string }{
		{"", "which verb?"},
		{"plann", `unknown verb "plann"; did you mean plan?`},
		{"help nonsense", `unknown verb "nonsense"`},
		{"check --broker 1 --bootstrap a:1 --tls-ca-file no-such.pem", "no-such.pem"},
		{"plan --brokr 1", "unknown flag --brokr; did you mean --broker?"},
		{"plan --broker 010 --bootstrap a:1", "--broker"},
		{"plan --bootstrap a:1", "which broker?"},
		{"check --broker 1", "which cluster?"},
		{"check --broker 1 --bootstrap a:1 --simulated log-cluster", "which cluster? --bootstrap and --simulated name one each"},
		{"check --broker 1 --bootstrap a:1 --snapshot x.json", "which cluster? --bootstrap and --snapshot name one each"},
		{"snapshot --bootstrap a:1 --sasl-mechanism PLAIN --sasl-username ops", "where the secret is"},
		{"run", "run needs a runbook"},
		{"run a.yaml b.yaml", "is too many"},
		{"run no-such-file.yaml", "no-such-file.yaml"},
		{"check --broker 1 --output yaml", "not one of text, json"},
		{"init --simulated log-cluster --output json", "--output json: not one of text"},
		{"validate --log-level loud x.yaml", "not one of debug"},
		{"completion tcsh", "bash, zsh or fish"},
		{"simulated-stop 1", "DRAIN_SIMULATED is not set"},
		{"throttle x.yaml 50", "RATE"},
		{"throttle", "throttle needs a runbook and a rate"},
		{"throttle x.yaml", "throttle needs a runbook and a rate"},
		{"throttle no-such.yaml 50MB/s", "no-such.yaml: no such file"},
		{"approve no-such.yaml", "no-such.yaml: no such file"},
		{"throttle ../../runbooks/broker-1.yaml 50MB/s", "hears nothing from another shell"},
		{"status x.yaml --dry-run", "drain status has no flag --dry-run; drain status --help lists those it has"},
		{"plan --snapshot testdata/books.json --broker 1 --cluster-id other", "cluster.id: the runbook is for cluster other, and this is books; check"},
		{"check --snapshot testdata/books.json --broker 1 --cluster-id other", "cluster.id: the runbook is for cluster other, and this is books; check"},
		{"plan x.yaml --rollback", "add --output kafka"},
		{"plan x.yaml --rollback --output json", "add --output kafka"},
		{"run ../../runbooks/broker-1.yaml --plan testdata/books.json", "this is no plan"},
		{"run ../../runbooks/broker-1.yaml --plan testdata/check.txt", "this is no plan"},
		{"run ../../runbooks", "runbooks is a folder: name a runbook in it"},
		{"validate ../../runbooks/broker-1.yaml --accept-risk stray-logs", "did you mean stray-log?"},
	} {
		t.Run(tc.line, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := call(t, strings.Fields(tc.line)...)
			if code != 4 || !strings.Contains(stderr, tc.says) || stdout != "" {
				t.Errorf("got %d, stdout %q, stderr %q; want 4 and %q on stderr", code, stdout, stderr, tc.says)
			}
		})
	}
}

func TestVerbsThatNeedNoCluster(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, says string }{
		{"version", "drain "},
		{"version --output json", `"version"`},
		{"schema", `"$schema"`},
		{"completion bash", "complete "},
		{"completion zsh", "#compdef drain"},
		{"completion fish", "complete -c drain"},
		{"run --help ../../runbooks/broker-1.yaml", "drain run - the whole"},
		{"plan --help", "--throttle value "},
		{"plan --help", "FORMAT of the result: text, json, kafka, html\n"},
		{"cancel --help", "a cancel never asks"},
		{"status --help", "FORMAT of the result: text, json\n"},
		{"validate ../../runbooks/broker-1.yaml", "is valid: drains broker 1"},
		{"--output json validate ../../runbooks/broker-1.yaml", `"valid":true`},
	} {
		t.Run(tc.line, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := call(t, strings.Fields(tc.line)...)
			if code != 0 || !strings.Contains(stdout, tc.says) || stderr != "" {
				t.Errorf("got %d, stdout %q, stderr %q; want 0 and %q on stdout", code, stdout, stderr, tc.says)
			}
		})
	}
}
