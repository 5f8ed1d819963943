package runbooks

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// form is one way to write a value: how it is read from YAML and from a flag, how
// it is printed, and what the JSON Schema says of it.
type form[V any] struct {
	want   string // "a duration such as 30s"; completes "write ..." and "expects ..."
	read   func(d *reader, n *node, path string) (V, bool)
	parse  func(words []string) (V, error) // nil: does not fit on a line
	print  func(V) string                  // YAML on one line
	schema func(planned bool) schema       // with or without what is not built yet

	choices []choice       // the words, if there are only a few
	unbuilt func(V) string // names the part that is not built yet; nil: all is built
}

// lacks names the part of v that is not built yet, or "".
func (f form[V]) lacks(v V) string {
	if f.unbuilt == nil {
		return ""
	}
	return f.unbuilt(v)
}

// single is the form of values that are one word or text.
type single[V any] struct {
	want   string
	bare   bool // must not be quoted, unless it is one ${NAME}
	secret bool // never shown in an error
	parse  func(string) (V, error)
	print  func(V) string // as parse reads it
	schema schema
}

func one[V any](s single[V]) form[V] {
	return form[V]{
		want:   s.want,
		read:   s.read,
		parse:  s.fromWords,
		print:  s.yaml,
		schema: func(bool) schema { return withVariable(s.schema, s.bare) },
	}
}

func (s single[V]) read(d *reader, n *node, path string) (v V, ok bool) {
	word, ok := d.scalar(n, path, s.want)
	if !ok {
		return v, false
	}
	if s.bare && word.expanded && !word.variable {
		d.fail(n.Line, path, "write one ${NAME} and nothing else, or "+s.want, "is put together from the environment")
		return v, false
	}
	if s.bare && word.quoted && !word.variable {
		d.fail(n.Line, path, "write "+s.want+" without quotes", "%q is quoted", word.text)
		return v, false
	}
	v, err := s.parse(word.text)
	switch {
	case err == nil:
		return v, true
	case s.secret || word.expanded:
		d.fail(n.Line, path, "it must be "+s.want, "%s cannot be used (it is not shown, for it may be secret)", shown(n, word))
	default:
		d.errs = append(d.errs, placed(err, n.Line, path))
	}
	return v, false
}

// shown names a value that must not be shown.
func shown(n *node, word scalar) string {
	if word.variable {
		return "the value of " + n.Value
	}
	return "the value"
}

func (s single[V]) fromWords(words []string) (v V, err error) {
	if len(words) != 1 {
		return v, refusal("give "+s.want, "takes one value, got %d", len(words))
	}
	return s.parse(words[0])
}

func (s single[V]) yaml(v V) string {
	if s.bare {
		return s.print(v)
	}
	return quote(s.print(v))
}

// listOf is a list of values, which check judges and never lets be empty. Flags give it split at commas, or, where a value may
// hold a comma, once for each value.
func listOf[V any](want string, each form[V], commas bool, check func([]V) error) form[[]V] {
	read := func(d *reader, n *node, path string) ([]V, bool) {
		if n.Kind != yaml.SequenceNode {
			d.wrongKind(n, path, want)
			return nil, false
		}
		list, good := make([]V, 0, len(n.Content)), true
		for _, c := range n.Content {
			if d.full() {
				break
			}
			v, ok := each.read(d, c, path)
			list, good = append(list, v), good && ok
		}
		if !good {
			return nil, false
		}
		if err := check(list); err != nil {
			d.errs = append(d.errs, placed(err, n.Line, path))
			return nil, false
		}
		return list, true
	}
	parse := func(words []string) ([]V, error) {
		if commas {
			words = strings.Split(strings.Join(words, ","), ",")
		}
		list := make([]V, 0, len(words))
		for _, w := range words {
			v, err := each.parse([]string{w})
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, check(list)
	}
	print := func(list []V) string {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = each.print(v)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	f := form[[]V]{want: want, read: read, print: print, schema: func(planned bool) schema {
		return schema{"type": "array", "items": each.schema(planned), "minItems": 1}
	}}
	if each.parse != nil {
		f.parse = parse
	}
	f.choices = each.choices
	f.unbuilt = func(list []V) string {
		for _, v := range list {
			if what := each.lacks(v); what != "" {
				return what
			}
		}
		return ""
	}
	return f
}

// distinct refuses an empty list, and a value given twice.
func distinct[V any](each form[V]) func([]V) error {
	return func(list []V) error {
		if len(list) == 0 {
			return refusal("name at least one, or leave the key out", "the list is empty")
		}
		seen := make(map[string]bool, len(list))
		for _, v := range list {
			word := each.print(v)
			if seen[word] {
				return refusal("name each once", "%s is named twice", word)
			}
			seen[word] = true
		}
		return nil
	}
}

// set is a list in which each value stands once.
func set[V any](want string, each form[V], commas bool) form[[]V] {
	f := listOf(want, each, commas, distinct(each))
	f.schema = func(planned bool) schema {
		return schema{"type": "array", "items": each.schema(planned), "minItems": 1, "uniqueItems": true}
	}
	return f
}

// choice is one of the words that a key may take.
type choice struct {
	word  string
	state state
	doc   string
}

// oneOf is the form of a key that takes one of a few words.
func oneOf[V ~string](choices ...choice) form[V] {
	words := func(planned bool) []string {
		var ws []string
		for _, c := range choices {
			if planned || c.state == built {
				ws = append(ws, c.word)
			}
		}
		return ws
	}
	known := words(false)
	if len(known) == 0 {
		known = words(true)
	}
	want := "one of " + strings.Join(known, ", ")
	if len(known) == 1 {
		want = known[0]
	}
	f := one(single[V]{
		want: want,
		parse: func(s string) (V, error) {
			if !slices.Contains(words(true), s) {
				return "", refusal("write "+want, "%q is not known", s)
			}
			return V(s), nil
		},
		print: func(v V) string { return string(v) },
	})
	f.schema = func(planned bool) schema { return withVariable(schema{"enum": words(planned)}, false) }
	f.choices = choices
	f.unbuilt = func(v V) string {
		if slices.Contains(words(false), string(v)) {
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
