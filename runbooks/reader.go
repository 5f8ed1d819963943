package runbooks

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// reader walks the tree of a runbook and keeps what is wrong with it.
type reader struct {
	env   func(string) (string, bool)
	errs  Errors
	lines map[string]int // where each key was written, by dotted path
}

func (d *reader) fail(line int, key, remedy, format string, args ...any) {
	d.errs = append(d.errs, &Error{Line: line, Key: key, Message: fmt.Sprintf(format, args...), Remedy: remedy})
}

// full reports that enough is wrong: this may be some other file altogether.
func (d *reader) full() bool { return len(d.errs) >= 20 }

// located gives problems of the whole the line of their key, or of the nearest key
// around it that was written.
func (d *reader) located(problems Errors) Errors {
	for _, e := range problems {
		key := e.Key
		for d.lines[key] == 0 && key != "" {
			key = parent(key)
		}
		e.Line = d.lines[key]
	}
	return problems
}

// present are the keys of the runbook that were written.
func (d *reader) present() map[string]bool {
	p := map[string]bool{}
	for _, k := range keys() {
		if d.lines[k.path] > 0 {
			p[k.path] = true
		}
	}
	return p
}

func parent(path string) string {
	return path[:max(strings.LastIndexByte(path, '.'), 0)]
}

func leaf(path string) string {
	return path[strings.LastIndexByte(path, '.')+1:]
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// plain refuses what would make two readers of the same text see different
// runbooks: anchors, aliases, merge keys and tags.
func (d *reader) plain(n *node) {
	switch {
	case n.Kind == yaml.AliasNode:
		d.fail(n.Line, "", `write the value out; quote one that begins with "*"`, "an alias is used, which runbooks do not allow")
		return
	case n.Anchor != "":
		d.fail(n.Line, "", `write the value out; quote one that begins with "&"`, "an anchor is set, which runbooks do not allow")
	case n.Style&yaml.TaggedStyle != 0:
		d.fail(n.Line, "", `take it away; quote a value that begins with "!"`, "a tag is set, which runbooks do not allow")
	case n.Tag == "!!merge":
		d.fail(n.Line, "<<", "write the keys out", "a merge key is used, which runbooks do not allow")
	}
	for _, c := range n.Content {
		d.plain(c)
	}
}

// entry is one key of a mapping and its value.
type entry struct {
	path  string
	line  int
	value *node
}

// entries are the keys of the mapping n at path, in the order written. A key that
// known does not have goes to unknown; one given twice is an error.
func (d *reader) entries(path string, n *node, known func(path string) bool, unknown func(path string, key *node)) []entry {
	if n.Kind != yaml.MappingNode {
		d.wrongKind(n, path, "keys and values")
		return nil
	}
	var found []entry
	for i := 0; i < len(n.Content) && !d.full(); i += 2 {
		key, p := n.Content[i], join(path, n.Content[i].Value)
		first := slices.IndexFunc(found, func(e entry) bool { return e.path == p })
		switch {
		case key.Kind != yaml.ScalarNode:
			d.fail(key.Line, path, "", "a key that is not a word")
		case !known(p) || key.Value == "":
			unknown(p, key)
		case first >= 0:
			d.fail(key.Line, p, "write it once", "given twice, first on line %d", found[first].line)
		default:
			found = append(found, entry{path: p, line: key.Line, value: n.Content[i+1]})
		}
	}
	return found
}

// scalar is a single value as it was written.
type scalar struct {
	text     string
	quoted   bool
	variable bool // the whole of it is one ${NAME}
	expanded bool // some of it came from the environment
}

// scalar reads the single value at path; want says what it should be.
func (d *reader) scalar(n *node, path, want string) (scalar, bool) {
	if n.Kind != yaml.ScalarNode {
		d.wrongKind(n, path, want)
		return scalar{}, false
	}
	if isNull(n) {
		d.fail(n.Line, path, "write "+want+", or quote the word if it is meant", "has no value")
		return scalar{}, false
	}
	text, expanded, err := expand(n.Value, d.env)
	if err != nil {
		d.errs = append(d.errs, placed(err, n.Line, path))
		return scalar{}, false
	}
	return scalar{
		text:     text,
		quoted:   n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0,
		variable: isVariable(n.Value),
		expanded: expanded,
	}, true
}

// wrongKind never quotes what was found: it may be a secret in the wrong place.
func (d *reader) wrongKind(n *node, path, want string) {
	found := map[yaml.Kind]string{yaml.MappingNode: "keys and values", yaml.SequenceNode: "a list", yaml.ScalarNode: "a single value"}[n.Kind]
	if isNull(n) {
		found = "nothing"
	}
	d.fail(n.Line, path, "write "+want, "found %s", found)
}

// isNull reports a value that is missing, or spelt in one of YAML's ways to say so.
func isNull(n *node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
