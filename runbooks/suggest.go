package runbooks

import (
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// unknownKey guesses at what was meant by a key that no row has. The key is shown
// only if it looks like one: "password:secret", with the blank forgotten, does not.
func unknownKey[S any](rows []row[S], path string, key *node) *Error {
	e := &Error{Line: key.Line, Key: path, Message: "unknown key"}
	name := fold(key.Value)
	switch {
	case !looksLikeKey(key.Value):
		e.Key, e.Message, e.Remedy = parent(path), "something that is no key", "is a blank missing behind a colon?"
	case slices.ContainsFunc([]string{"passw", "pasw", "secret", "token"}, func(s string) bool { return strings.Contains(name, s) }):
		e.Message = "a secret is never written into a runbook"
		e.Remedy = "write cluster.sasl.passwordFile, passwordEnv or passwordCommand instead"
	default:
		e.Remedy = guess(rows, parent(path), name)
	}
	return e
}

func looksLikeKey(s string) bool {
	return len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == "" && s != ""
}

// fold makes stall_after, stall-after and stop.timeout look alike.
func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(s))
}

// guess says what a key called name, in the section at path, may have been meant to be.
func guess[S any](rows []row[S], path, name string) string {
	best, bestDistance := "", 3
	for _, k := range rows {
		switch {
		case parent(k.path) == path && fold(leaf(k.path)) == name:
			return "did you mean " + leaf(k.path) + "?"
		case fold(leaf(k.path)) == name || fold(k.path) == name:
			return belongs(k.path)
		}
		distance := smetrics.WagnerFischer(name, fold(leaf(k.path)), 1, 1, 1)
		if parent(k.path) != path {
			distance++ // a neighbour is the better guess
		}
		if distance < bestDistance && distance < len(name) {
			best, bestDistance = k.path, distance
		}
	}
	if best == "" {
		return "see docs/RUNBOOK.md for the keys"
	}
	if parent(best) == path {
		return "did you mean " + leaf(best) + "?"
	}
	return "did you mean " + best + "?"
}

func belongs(path string) string {
	if parent(path) == "" {
		return path + " belongs at the top level"
	}
	return leaf(path) + " belongs under " + parent(path)
}
