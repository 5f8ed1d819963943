package main

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// takesValue maps each flag name, without dashes, to whether a value follows.
type takesValue map[string]bool

// reorder puts the words of a command line into the order that the flag package
// wants (program, verb, flags, arguments), so that flags may stand anywhere:
// before the verb, after it, or after the runbook. A "--" ends them. A flag
// that no verb knows is refused here, since what followed it could not be told
// from an argument.
func reorder(argv []string, known takesValue) ([]string, error) {
	var verb string
	var flags, args []string
	var help bool
	words := argv[1:]
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			args = append(args, words[i+1:]...)
			i = len(words)
		case len(word) > 1 && word[0] == '-':
			name, _, inline := strings.Cut(strings.TrimLeft(word, "-"), "=")
			value, ok := known[name]
			if !ok {
				return nil, usageError{fmt.Sprintf("unknown flag %s%s", word, didYouMean("--", name, known))}
			}
			help = help || name == "help" || name == "h"
			flags = append(flags, word)
			if value && !inline {
				if i+1 == len(words) {
					return nil, usageError{fmt.Sprintf("flag %s needs a value", word)}
				}
				i++
				flags = append(flags, words[i])
			}
		case verb == "":
			verb = word
		default:
			args = append(args, word)
		}
	}
	out := []string{argv[0]}
	if verb != "" {
		out = append(out, verb)
	}
	out = append(out, flags...)
	// The library would look for the help of a verb that is named like the runbook.
	if len(args) > 0 && (!help || verb == "help") {
		out = append(append(out, "--"), args...)
	}
	return out, nil
}

// didYouMean names the known word that is nearest to a misspelt one, if any is
// near.
func didYouMean[V any](prefix, word string, known map[string]V) string {
	best, least := "", 3
	for k := range known {
		if d := smetrics.WagnerFischer(word, k, 1, 1, 1); d < least || d == least && best != "" && k < best {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s?", prefix, best)
}
