package runbooks

import (
	"reflect"
	"slices"
)

// row is one key of the mapping that makes an S. The table of rows is the one
// source of the parser, the flags, the printer, the JSON Schema and the docs.
type row[S any] struct {
	path  string // dotted
	flag  string // without dashes; "" is none
	must  bool   // whoever gives the section gives this too
	group string // of two keys in one group, only one is given; a flag replaces the other
	value value[S]
	doc   string
}

// value is a form bound to the place in S that it fills.
type value[S any] struct {
	want    string
	section bool         // nothing but a holder of other rows
	holds   func(S) bool // whether the rows under it are what is printed; nil is never
	many    bool         // a list
	choices choices
	read    func(d *reader, n *node, path string, into *S)
	set     func(into *S, words []string) error // nil: does not fit on a line
	clear   func(into *S)
	print   func(from S) string
	same    func(a, b S) bool
	schema  schema
}

// bind ties a form to a place in S. at may make what holds the place.
func bind[S, V any](f form[V], at func(*S) *V) value[S] {
	v := value[S]{
		want:    f.want,
		many:    reflect.TypeFor[V]().Kind() == reflect.Slice,
		choices: f.choices,
		read: func(d *reader, n *node, path string, into *S) {
			if v, ok := f.read(d, n, path); ok {
				*at(into) = v
			}
		},
		clear:  func(into *S) { *at(into) = *new(V) },
		print:  func(from S) string { return f.print(*at(&from)) },
		same:   func(a, b S) bool { return reflect.DeepEqual(*at(&a), *at(&b)) },
		schema: f.schema,
	}
	if f.parse != nil {
		v.set = func(into *S, words []string) error {
			v, err := f.parse(words)
			if err == nil {
				*at(into) = v
			}
			return err
		}
	}
	return v
}

// readSection reads the mapping n at path into s, by the rows right under path.
func readSection[S any](d *reader, rows []row[S], path string, n *node, into *S) {
	groups := map[string]string{}
	known := func(p string) bool { return parent(p) == path && find(rows, p) >= 0 }
	unknown := func(p string, key *node) { d.errs = append(d.errs, unknownKey(rows, p, key)) }
	for _, e := range d.entries(path, n, known, unknown) {
		k := rows[find(rows, e.path)]
		if other := groups[k.group]; k.group != "" && other != "" {
			d.fail(e.line, e.path, "write one of them", "given beside %s", other)
			continue
		}
		groups[k.group], d.lines[e.path] = e.path, e.line
		k.value.read(d, e.value, e.path, into)
	}
}

// lacking are the rows under path that s must have and has not.
func lacking[S any](rows []row[S], path string, s S) []row[S] {
	var missing []row[S]
	for _, k := range rows {
		if k.must && parent(k.path) == path && k.value.same(s, *new(S)) {
			missing = append(missing, k)
		}
	}
	return missing
}

func find[S any](rows []row[S], path string) int {
	return slices.IndexFunc(rows, func(k row[S]) bool { return k.path == path })
}
