package runbooks

import (
	"slices"
	"strings"
)

// choice is one of the words that a key may take.
type choice struct {
	word  string
	state state
	doc   string
}

// choices are all of them, in the order in which they are shown.
type choices []choice

// words are those that may be written, with or without what is not built yet.
func (cs choices) words(planned bool) []string {
	var words []string
	for _, c := range cs {
		if planned || c.state == built {
			words = append(words, c.word)
		}
	}
	return words
}

// want names the words that work, or those that will if none does yet.
func (cs choices) want() string {
	words := cs.words(len(cs.words(false)) == 0)
	if len(words) == 1 {
		return words[0]
	}
	return "one of " + strings.Join(words, ", ")
}

// oneOf is the form of a key that takes one of a few words.
func oneOf[V ~string](cs ...choice) form[V] {
	all := choices(cs)
	f := one(single[V]{
		want: all.want(),
		parse: func(s string) (V, error) {
			if !slices.Contains(all.words(true), s) {
				return "", refusal("write "+all.want(), "%q is not known", s)
			}
			return V(s), nil
		},
		print: func(v V) string { return string(v) },
	})
	f.choices = all
	f.schema = func(planned bool) schema { return withVariable(schema{"enum": all.words(planned)}, false) }
	f.unbuilt = func(v V) string {
		if slices.Contains(all.words(false), string(v)) {
			return ""
		}
		return string(v)
	}
	read := f.read
	f.read = func(d *reader, n *node, path string) (V, bool) {
		v, ok := read(d, n, path)
		return v, ok && d.supports(f.unbuilt(v), n.Line, path)
	}
	return f
}

// supports refuses what the contract has and this program has not; "" is nothing.
func (d *reader) supports(unbuilt string, line int, path string) bool {
	if unbuilt == "" || d.planned {
		return true
	}
	d.fail(line, path, "", "%s is not supported yet", unbuilt)
	return false
}
