package runbooks

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var variable = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// isVariable reports whether the whole of s is one ${NAME}.
func isVariable(s string) bool { return s != "" && variable.FindString(s) == s }

// expand replaces each ${NAME} in s, in one pass: what came from the environment is
// not looked at again, so that a dollar sign in a password survives. "$$" is a
// dollar sign, and one that neither this nor a name follows stays as it is. found
// reports whether there was a name.
func expand(s string, env func(string) (string, bool)) (text string, found bool, err error) {
	var b strings.Builder
	for s != "" {
		name := variable.FindString(s)
		switch {
		case name != "":
			value, err := lookup(name, env)
			if err != nil {
				return "", true, err
			}
			b.WriteString(value)
			s, found = s[len(name):], true
		case strings.HasPrefix(s, "$$"):
			b.WriteByte('$')
			s = s[2:]
		case strings.HasPrefix(s, "${"):
			return "", found, refusal("write ${NAME} with letters, digits and underscores, or $${ for the characters themselves", "${ is not followed by a name and }")
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String(), found, nil
}

func lookup(name string, env func(string) (string, bool)) (string, error) {
	value, ok := env(name[2 : len(name)-1])
	if !ok {
		return "", refusal("set it, or write $"+name+" for the characters themselves", "%s is not set in the environment", name)
	}
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return "", refusal("", "the value of %s is not text", name)
	}
	return value, nil
}
