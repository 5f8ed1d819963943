package runbooks

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Placeholders are the values that an argv of the runbook may name.
type Placeholders struct {
	Broker int32  // {broker}
	Host   string // {host}: the host that the broker advertises
	Rack   string // {rack}: empty if it has none
	Drain  string // {drain}: the running program
}

// Expand puts the values into argv, which is not changed; braces around anything
// else stay. It refuses a value that is empty, begins with "-" or holds blanks or
// control characters: what a cluster says of itself must not become an option or a
// second word of somebody's ssh.
func Expand(argv []string, p Placeholders) ([]string, error) {
	values := []struct{ name, value string }{
		{"{broker}", strconv.Itoa(int(p.Broker))}, {"{host}", p.Host}, {"{rack}", p.Rack}, {"{drain}", p.Drain},
	}
	var pairs []string
	for _, v := range values {
		if !anyContains(argv, v.name) {
			continue
		}
		if why := unfit(v.value); why != "" {
			return nil, fmt.Errorf("expand %s for broker %d: the value %q %s", v.name, p.Broker, v.value, why)
		}
		pairs = append(pairs, v.name, v.value)
	}
	// One pass over the text, so that a host called "{rack}" stays what it is.
	replacer := strings.NewReplacer(pairs...)
	expanded := make([]string, len(argv))
	for i, arg := range argv {
		expanded[i] = replacer.Replace(arg)
	}
	return expanded, nil
}

// unfit says why a value may not be put into an argv, or "".
func unfit(value string) string {
	switch {
	case value == "":
		return "is empty"
	case strings.HasPrefix(value, "-"):
		return `begins with "-", which a command would take for an option`
	case strings.ContainsFunc(value, unicode.IsSpace):
		return "holds blanks"
	case !utf8.ValidString(value) || strings.ContainsFunc(value, func(c rune) bool { return !unicode.IsPrint(c) }):
		return "holds control characters"
	}
	return ""
}

// Bound reports, as an error that says why, that a stop command is not tied to the
// broker, as when a runbook was copied and only half changed. host is what the
// broker advertises, others the hosts of the other brokers, several whether the
// runbook drains more than one.
//
// A command is bound by {broker}, {host}, or the broker's host as a whole word; for
// several brokers by a placeholder alone. One that names the host of another broker
// and not that of this one is never bound, with or without {broker}: it would be
// run over there.
func Bound(argv []string, broker int32, host string, others map[int32]string, several bool) error {
	here := anyContains(argv, "{host}") || names(argv, host)
	placeholder := anyContains(argv, "{broker}") || anyContains(argv, "{host}")
	for _, id := range slices.Sorted(maps.Keys(others)) {
		if other := others[id]; !here && names(argv, other) {
			return fmt.Errorf("the stop command names %s, the host of broker %d, and not that of broker %d; write {host}", other, id, broker)
		}
	}
	switch {
	case placeholder:
		return nil
	case several:
		return fmt.Errorf("the stop command is the same for each of several brokers; write {host} or {broker} in it")
	case !here:
		return fmt.Errorf("the stop command names neither broker %d nor its host; write {host} or {broker} in it", broker)
	}
	return nil
}

func anyContains(argv []string, s string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, s) })
}

// names reports whether an argument holds host as a whole word: kafka-1 is in
// root@kafka-1 and kafka-1:22, but neither in kafka-10 nor in kafka-1.example.com.
func names(argv []string, host string) bool {
	if host == "" {
		return false
	}
	host = strings.ToLower(host)
	return slices.ContainsFunc(argv, func(arg string) bool { return holdsWord(strings.ToLower(arg), host) })
}

func holdsWord(s, word string) bool {
	inWord := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-' || c == '.' || c == '_' || c == ':' && strings.Contains(word, ":")
	}
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(word):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = i + 1
	}
}
