package runbooks

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// list is the form of several values of one form.
type list[V any] struct {
	want   string
	each   form[V]
	commas bool            // flags give it split at commas; else, for values that may hold one, once for each
	check  func([]V) error // of the whole; never lets it be empty
}

// listOf is the form of a list that check judges.
func listOf[V any](want string, each form[V], commas bool, check func([]V) error) form[[]V] {
	l := list[V]{want, each, commas, check}
	f := form[[]V]{want: want, read: l.read, print: l.print, choices: each.choices, schema: schema{"type": "array", "items": each.schema, "minItems": 1}}
	if each.parse != nil {
		f.parse = l.parse
	}
	return f
}

// set is a list in which each value stands once.
func set[V any](want string, each form[V], commas bool) form[[]V] {
	f := listOf(want, each, commas, distinct(each))
	f.schema = schema{"type": "array", "items": each.schema, "minItems": 1, "uniqueItems": true}
	return f
}

func (l list[V]) read(d *reader, n *node, path string) ([]V, bool) {
	if n.Kind != yaml.SequenceNode {
		d.wrongKind(n, path, l.want)
		return nil, false
	}
	all, good := make([]V, 0, len(n.Content)), true
	for _, c := range n.Content {
		if d.full() {
			break
		}
		v, ok := l.each.read(d, c, path)
		all, good = append(all, v), good && ok
	}
	if !good {
		return nil, false
	}
	if err := l.check(all); err != nil {
		d.errs = append(d.errs, placed(err, n.Line, path))
		return nil, false
	}
	return all, true
}

func (l list[V]) parse(words []string) ([]V, error) {
	if l.commas {
		words = strings.Split(strings.Join(words, ","), ",")
	}
	all := make([]V, 0, len(words))
	for _, w := range words {
		v, err := l.each.parse([]string{w})
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, l.check(all)
}

func (l list[V]) print(all []V) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = l.each.print(v)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// distinct refuses an empty list, and a value given twice.
func distinct[V any](each form[V]) func([]V) error {
	return func(all []V) error {
		if len(all) == 0 {
			return refusal("name at least one, or leave the key out", "the list is empty")
		}
		seen := make(map[string]bool, len(all))
		for _, v := range all {
			word := each.print(v)
			if seen[word] {
				return refusal("name each once", "%s is named twice", word)
			}
			seen[word] = true
		}
		return nil
	}
}
