package runbooks

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// state says whether this program can do yet what a key or word of the contract
// says. What it cannot is refused, never ignored.
type state bool

const (
	built state = true
	later state = false
)

// row is one key of the mapping that makes an S. The table of rows is the one
// source of the parser, the flags, the printer, the JSON Schema and the docs.
type row[S any] struct {
	path  string // dotted
	flag  string // without dashes; "" is none
	state state
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
	choices []choice
	read    func(d *reader, n *node, path string, into *S)
	set     func(into *S, words []string) (unbuilt string, err error) // nil: does not fit on a line
	clear   func(into *S)
	print   func(from S) string
	same    func(a, b S) bool
	schema  func(planned bool) schema
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
		v.set = func(into *S, words []string) (string, error) {
			v, err := f.parse(words)
			if err == nil {
				*at(into) = v
			}
			return f.lacks(v), err
		}
	}
	return v
}

// readSection reads the mapping n at path into s, by the rows right under path.
func readSection[S any](d *reader, rows []row[S], path string, n *node, into *S) {
	groups := map[string]string{}
	known := func(p string) bool { return parent(p) == path && find(rows, p) >= 0 }
	unknown := func(p string, key *yaml.Node) { d.errs = append(d.errs, unknownKey(rows, p, key)) }
	for _, e := range d.entries(path, n, known, unknown) {
		k := rows[find(rows, e.path)]
		if k.state != built && !d.planned {
			d.fail(e.line, e.path, "", "not supported yet")
			continue
		}
		if other := groups[k.group]; k.group != "" && other != "" {
			d.fail(e.line, e.path, "write one of them", "given beside %s", other)
			continue
		}
		groups[k.group], d.lines[e.path] = e.path, e.line
		k.value.read(d, e.value, e.path, into)
	}
}

func find[S any](rows []row[S], path string) int {
	return slices.IndexFunc(rows, func(k row[S]) bool { return k.path == path })
}

// unknownKey guesses at what was meant by a key that no row has. The key is shown
// only if it looks like one: "password:secret", with the blank forgotten, does not.
func unknownKey[S any](rows []row[S], path string, key *yaml.Node) *Error {
	e := &Error{Line: key.Line, Key: path, Message: "unknown key"}
	name := fold(key.Value)
	switch {
	case !looksLikeKey(key.Value):
		e.Key, e.Message, e.Remedy = parent(path), "a key that is none", "is a blank missing behind a colon?"
	case strings.Contains(name, "password") || strings.Contains(name, "secret"):
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
		distance := editDistance(name, fold(leaf(k.path)))
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

// editDistance is Levenshtein's: how many letters must be added, dropped or changed.
func editDistance(a, b string) int {
	costs := make([]int, len(b)+1)
	for j := range costs {
		costs[j] = j
	}
	for i := range len(a) {
		diagonal := costs[0]
		costs[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = costs[j+1]
			costs[j+1] = min(change, costs[j]+1, costs[j+1]+1)
		}
	}
	return costs[len(b)]
}

// Key describes one key of the runbook, for flags and docs.
type Key struct {
	Path      string   // dotted
	Flag      string   // without dashes; "" when the key does not fit on a line
	Repeated  bool     // the flag may be given several times, for a list
	Want      string   // what the value should be: "a duration such as 30s"
	Words     []string // the words to choose from, if there are only a few
	Default   string   // as a runbook would say it; "" is none
	Doc       string
	Supported bool // false: refused as "not supported yet"
}

// Keys lists all keys of the runbook, each behind the one it belongs under.
func Keys() []Key {
	var all []Key
	for _, k := range keys() {
		all = append(all, describe(k, Defaults()))
	}
	return all
}

func describe[S any](k row[S], defaults S) Key {
	d := Key{Path: k.path, Want: k.value.want, Doc: k.doc, Supported: k.state == built}
	if k.flag != "" {
		d.Flag, d.Repeated = k.flag, k.value.many
	}
	for _, c := range k.value.choices {
		d.Words = append(d.Words, c.word)
	}
	if !k.value.section && !k.value.same(defaults, *new(S)) {
		d.Default = k.value.print(defaults)
	}
	return d
}

// Set lays one key over the runbook, as a flag does: the rules for its value are
// those of the file, but nothing is replaced from the environment. A list takes
// several values or one split at commas, and replaces the list that was there. The
// runbook is left as it was when the value is refused.
func (r *Runbook) Set(key string, values ...string) error {
	if e := r.set(key, values, false); e != nil {
		return Errors{e}
	}
	return nil
}

func (r *Runbook) set(key string, values []string, planned bool) *Error {
	rows := keys()
	i := find(rows, key)
	if i < 0 || rows[i].value.set == nil || rows[i].flag == "" {
		return &Error{Key: key, Message: "no key that a flag can set"}
	}
	k, name, changed := rows[i], "--"+rows[i].flag, r.detached()
	changed.replace(rows, k)
	unbuilt, err := k.value.set(&changed, values)
	switch {
	case err != nil:
		return placed(err, 0, name)
	case !planned && k.state != built:
		return &Error{Key: name, Message: "not supported yet"}
	case !planned && unbuilt != "":
		return &Error{Key: name, Message: unbuilt + " is not supported yet"}
	}
	*r = changed
	return nil
}

// replace marks the key of k and those around it as given, and takes away what a
// flag stands in for: the other keys of its group, and a long form under it.
func (r *Runbook) replace(rows []row[Runbook], k row[Runbook]) {
	for _, other := range rows {
		if other.group != "" && other.group == k.group {
			other.value.clear(r)
			delete(r.Present, other.path)
		}
		if strings.HasPrefix(other.path, k.path+".") && !k.value.section {
			delete(r.Present, other.path)
		}
	}
	for p := k.path; p != ""; p = parent(p) {
		r.Present[p] = true
	}
}

// detached is a copy of r that Set may change without anyone else seeing it.
func (r *Runbook) detached() Runbook {
	c := *r
	c.Present = maps.Clone(r.Present)
	if c.Present == nil {
		c.Present = map[string]bool{}
	}
	c.Cluster.TLS, c.Cluster.SASL, c.Window = clone(r.Cluster.TLS), clone(r.Cluster.SASL), clone(r.Window)
	return c
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
