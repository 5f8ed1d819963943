package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestReorderPutsFlagsBeforeArguments(t *testing.T) {
	t.Parallel()
	known := takesValue{"yes": false, "y": false, "throttle": true, "broker": true, "help": false, "h": false}
	for _, tc := range []struct{ name, in, want string }{
		{"flags after the runbook", "drain run b.yaml --yes", "drain run --yes -- b.yaml"},
		{"flags before the verb", "drain --throttle 5MB/s run b.yaml", "drain run --throttle 5MB/s -- b.yaml"},
		{"a value joined by =", "drain run --throttle=5MB/s b.yaml", "drain run --throttle=5MB/s -- b.yaml"},
		{"-- ends the flags", "drain run -- --yes", "drain run -- --yes"},
		{"one dash is a flag too", "drain run b.yaml -y", "drain run -y -- b.yaml"},
		{"a lone dash is an argument", "drain run -", "drain run -- -"},
		{"no verb", "drain --yes", "drain --yes"},
		{"help is about the verb, whatever stands beside it", "drain run b.yaml --help", "drain run --help"},
		{"help in short, too", "drain run -h b.yaml", "drain run -h"},
		{"help about a verb is asked for with it", "drain help run -h", "drain help -h -- run"},
		{"a value that looks like a verb", "drain --broker run plan", "drain plan --broker run"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := reorder(strings.Fields(tc.in), known)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Fields(tc.want); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestReorderRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	known := takesValue{"throttle": true}
	for in, want := range map[string]string{
		"drain run --throtle 5MB/s b.yaml": "unknown flag --throtle; did you mean --throttle?",
		"drain run --bogus":                "unknown flag --bogus",
		"drain run --throttle":             "flag --throttle needs a value",
	} {
		_, err := reorder(strings.Fields(in), known)
		var usage usageError
		if !errors.As(err, &usage) || usage.Error() != want {
			t.Errorf("%s: got %v, want %q", in, err, want)
		}
	}
}
