package runbooks

// form is one way to write a value: how it is read from YAML and from a flag, how
// it is printed, and what the JSON Schema says of it.
type form[V any] struct {
	want   string // "a duration such as 30s"; completes "write ..." and "expects ..."
	read   func(d *reader, n *node, path string) (V, bool)
	parse  func(words []string) (V, error) // nil: does not fit on a line
	print  func(V) string                  // YAML on one line
	schema schema

	choices choices // the words, if there are only a few
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
		schema: withVariable(s.schema, s.bare),
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
