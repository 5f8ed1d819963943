package runbooks

import (
	"slices"
	"strings"
)

// choice is one of the words that a key may take.
type choice struct {
	word string
	doc  string
}

// choices are all of them, in the order in which they are shown.
type choices []choice

// words are those that may be written.
func (cs choices) words() []string {
	words := make([]string, len(cs))
	for i, c := range cs {
		words[i] = c.word
	}
	return words
}

// want names them.
func (cs choices) want() string {
	words := cs.words()
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
			if !slices.Contains(all.words(), s) {
				return "", refusal("write "+all.want(), "%q is not known", s)
			}
			return V(s), nil
		},
		print: func(v V) string { return string(v) },
	})
	f.choices = all
	f.schema = withVariable(schema{"enum": all.words()}, false)
	return f
}
