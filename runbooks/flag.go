package runbooks

import (
	"maps"
	"strings"
)

// Key describes one key of the runbook, for flags and docs.
type Key struct {
	Path     string   // dotted
	Flag     string   // without dashes; "" when the key does not fit on a line
	Repeated bool     // the flag may be given several times, for a list
	Want     string   // what the value should be: "a duration such as 30s"
	Words    []string // the words to choose from, if there are only a few
	Default  string   // as a runbook would say it; "" is none
	Doc      string
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
	d := Key{Path: k.path, Want: k.value.want, Doc: k.doc}
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
	if e := r.set(key, values); e != nil {
		return Errors{e}
	}
	return nil
}

func (r *Runbook) set(key string, values []string) *Error {
	rows := keys()
	i := find(rows, key)
	if i < 0 || rows[i].value.set == nil || rows[i].flag == "" {
		return &Error{Key: key, Message: "no key that a flag can set"}
	}
	k, name, changed := rows[i], "--"+rows[i].flag, r.detached()
	changed.replace(rows, k)
	if err := k.value.set(&changed, values); err != nil {
		return placed(err, 0, name)
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
