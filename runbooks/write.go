package runbooks

import (
	"io"
	"regexp"
	"strconv"
	"strings"
)

// WriteYAML prints the runbook so that Parse reads the same value back: what was
// written or differs from its default, values from the environment in full. Secrets
// are not among them.
func (r Runbook) WriteYAML(w io.Writer) error {
	_, err := io.WriteString(w, r.String())
	return err
}

// String is the runbook as WriteYAML prints it.
func (r Runbook) String() string {
	var b strings.Builder
	writeSection(&b, keys(), "", r)
	return b.String()
}

func writeSection(b *strings.Builder, rows []row[Runbook], path string, r Runbook) {
	for _, k := range rows {
		if parent(k.path) != path || !written(rows, k, r) {
			continue
		}
		indent := strings.Repeat("  ", strings.Count(k.path, "."))
		b.WriteString(indent + leaf(k.path) + ":")
		var under strings.Builder
		if k.value.holds != nil && k.value.holds(r) {
			writeSection(&under, rows, k.path, r)
		}
		if under.Len() > 0 {
			b.WriteString("\n" + under.String())
		} else {
			b.WriteString(" " + k.value.print(r) + "\n")
		}
	}
}

// written reports whether the key of k is printed: when it was given, or differs
// from its default and no other key of its group says the same.
func written(rows []row[Runbook], k row[Runbook], r Runbook) bool {
	if r.Present[k.path] || k.path == "version" {
		return true
	}
	behind := false
	for _, other := range rows {
		switch {
		case parent(other.path) == k.path && k.value.section && written(rows, other, r):
			return true
		case k.group == "" || other.group != k.group:
		case other.path == k.path:
			behind = true
		case r.Present[other.path] || behind && differs(other, r):
			return false
		}
	}
	return differs(k, r)
}

func differs(k row[Runbook], r Runbook) bool { return !k.value.same(r, Defaults()) }

// plainWord is what needs no quotes, in any place and for any reader of YAML.
var plainWord = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./@=+-]*(:[A-Za-z0-9_./@=+-]+)*$`)

// yamlWord is what some reader of YAML takes for something else than text.
var yamlWord = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)

// quote prints a text so that it is read back letter for letter.
func quote(s string) string {
	s = strings.ReplaceAll(s, "$", "$$")
	if plainWord.MatchString(s) && !yamlWord.MatchString(s) || measure.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// measure are durations, sizes and rates, which no reader takes for a number.
var measure = regexp.MustCompile(`^([0-9]+(ms|[hms]))+$|^[0-9]+(\.[0-9])?([kKMGTP]i?)?B(/s)?$`)
