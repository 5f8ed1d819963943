package runbooks

import (
	"math"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"
)

// The forms that the table is made of.

func id() form[int32] {
	return one(single[int32]{
		want: "a broker id such as 1", bare: true,
		parse:  ParseID,
		print:  func(v int32) string { return strconv.Itoa(int(v)) },
		schema: schema{"type": "integer", "minimum": 0, "maximum": math.MaxInt32},
	})
}

func ids() form[[]int32] {
	return set("a list of broker ids such as [1, 2]", id(), true)
}

// loneID is a list of one id, written without the list.
func loneID() form[[]int32] {
	each := id()
	return form[[]int32]{
		want: each.want,
		read: func(d *reader, n *node, path string) ([]int32, bool) {
			v, ok := each.read(d, n, path)
			return []int32{v}, ok
		},
		print:  func(list []int32) string { return strings.Trim(ids().print(list), "[]") },
		schema: each.schema,
	}
}

func count(low, high int) form[int] {
	return one(single[int]{
		want: "a whole number such as " + strconv.Itoa(low), bare: true,
		parse:  parseCount(low, high),
		print:  strconv.Itoa,
		schema: schema{"type": "integer", "minimum": low, "maximum": high},
	})
}

func version() form[int] {
	return one(single[int]{
		want: "1", bare: true,
		parse: func(s string) (int, error) {
			if s != strconv.Itoa(Version) {
				return 0, refusal("write version: 1", "version %q is not known here", s)
			}
			return Version, nil
		},
		print:  strconv.Itoa,
		schema: schema{"const": Version},
	})
}

func fraction() form[float64] {
	return one(single[float64]{
		want: "a number from 0 to 1 such as 0.25", bare: true,
		parse:  ParseFraction,
		print:  func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) },
		schema: schema{"type": "number", "minimum": 0, "maximum": 1},
	})
}

func boolean() form[bool] {
	return one(single[bool]{
		want: "true or false", bare: true,
		parse: parseBool, print: strconv.FormatBool,
		schema: schema{"type": "boolean"},
	})
}

func duration() form[time.Duration] {
	return one(single[time.Duration]{
		want:  "a duration such as 30s",
		parse: ParseDuration, print: formatDuration,
		schema: schema{"anyOf": []any{
			schema{"const": 0},
			schema{"type": "string", "pattern": `^(0|([0-9]+(\.[0-9]+)?d)?([0-9]+(\.[0-9]+)?h)?([0-9]+(\.[0-9]+)?m)?([0-9]+(\.[0-9]+)?s)?([0-9]+ms)?)$`, "minLength": 1},
		}},
	})
}

func rate() form[Throttle] {
	return one(single[Throttle]{
		want:  "a rate such as 50MB/s, or none",
		parse: ParseRate, print: Throttle.String,
		schema: schema{"type": "string", "pattern": `^(none|` + ratePattern + `)$`},
	})
}

const ratePattern = `[0-9]+(\.[0-9]+)?([kKMGTP]B|[KMGTP]iB|B)/s`

// ceiling is the most of an adaptive throttle.
func ceiling() form[int64] {
	return one(single[int64]{
		want: "a rate such as 200MB/s",
		parse: func(s string) (int64, error) {
			t, err := ParseRate(s)
			if err == nil && t.None {
				return 0, refusal("write a rate such as 200MB/s", "none is no ceiling")
			}
			return t.BytesPerSec, err
		},
		print:  func(n int64) string { return Throttle{BytesPerSec: n}.String() },
		schema: schema{"type": "string", "pattern": "^" + ratePattern + "$"},
	})
}

// text is taken letter for letter, whatever YAML would make of it: a rack called NO
// and a topic called 007 are what they look like.
func text(want string, check func(string) error) form[string] {
	f := one(single[string]{
		want:  want,
		parse: func(s string) (string, error) { return s, check(s) },
		print: func(s string) string { return s },
	})
	f.schema = anyWord()
	return f
}

// anyWord is the schema of text: readers that know no better see a number in 007.
func anyWord() schema { return schema{"type": []string{"string", "number", "boolean"}} }

func name(want string) form[string] {
	f := text(want, nameable)
	f.schema = schema{"type": anyWord()["type"], "minLength": 1}
	return f
}

func freeText() form[string] { return text("a text", speakable) }

// nameList is not a set to the schema: 007 and 7 are one number there, and two names.
func nameList(want string) form[[]string] {
	return listOf(want, name("a name"), true, distinct(name("a name")))
}

// speakable allows what may be shown on a terminal.
func speakable(s string) error {
	if strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }) {
		return refusal("write plain text", "holds control characters")
	}
	return nil
}

func nameable(s string) error {
	if s == "" || strings.ContainsFunc(s, unicode.IsControl) {
		return refusal("write it on one line", "is empty or holds control characters")
	}
	return nil
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variableName hides what it refuses: it would be the secret itself.
func variableName() form[string] {
	return one(single[string]{
		want: "the name of an environment variable", secret: true,
		parse: func(s string) (string, error) {
			if !envName.MatchString(s) {
				return "", refusal("", "not a name")
			}
			return s, nil
		},
		print:  func(s string) string { return s },
		schema: schema{"type": "string", "pattern": envName.String()},
	})
}

func argv(example string) form[[]string] {
	word := text("a word", func(s string) error {
		if strings.ContainsRune(s, 0) {
			return refusal("", "holds a zero byte")
		}
		return nil
	})
	f := listOf("a list of words such as "+example, word, false, func(argv []string) error {
		if len(argv) == 0 || argv[0] == "" {
			return refusal("write the program first, such as "+example, "names no program")
		}
		return nil
	})
	list := f.read
	f.read = func(d *reader, n *node, path string) ([]string, bool) {
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			d.fail(n.Line, path, "write a list of words, such as "+example, "is text, which only a shell could cut into words")
			return nil, false
		}
		return list(d, n, path)
	}
	f.parse = nil // an argv does not fit on a line: something would have to cut it
	return f
}

func topics() form[[]TopicPattern] {
	each := one(single[TopicPattern]{
		want:  "a topic or a /regular expression/",
		parse: ParseTopicPattern, print: TopicPattern.String,
	})
	each.schema = anyWord()
	return listOf("a list of topics or /regular expressions/", each, false, distinct(each))
}

func addresses() form[[]string] {
	each := one(single[string]{
		want:   "host:port",
		parse:  parseAddress,
		print:  func(s string) string { return s },
		schema: schema{"type": "string", "pattern": `^.+:[0-9]+$`},
	})
	return set("a list of host:port such as [kafka-2:9092]", each, true)
}

// parseAddress reads host:port, an IPv6 host in brackets.
func parseAddress(s string) (string, error) {
	const remedy = "write host:port, such as kafka-2:9092 or [::1]:9092"
	i := strings.LastIndexByte(s, ':')
	if i < 1 {
		return "", refusal(remedy, "%q has no port", s)
	}
	host, port := s[:i], s[i+1:]
	if n, err := strconv.Atoi(port); err != nil || !wholeNumber.MatchString(port) || n < 1 || n > 65535 {
		return "", refusal(remedy, "%q does not end in a port from 1 to 65535", s)
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !addr.Is6() || !strings.HasSuffix(host, "]") {
			return "", refusal(remedy, "%q is not an IPv6 address in brackets", s)
		}
	} else if !hostName.MatchString(host) {
		return "", refusal(remedy, "%q does not begin with a host", s)
	}
	return s, nil
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?$`)

func days() form[[]time.Weekday] {
	each := one(single[time.Weekday]{
		want:  "a day such as sat",
		parse: parseDay, print: dayWord,
		schema: schema{"enum": []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}},
	})
	return set("a list of days such as [sat, sun]", each, true)
}

func hours() form[Hours] {
	return one(single[Hours]{
		want:  `hours such as "01:00-05:00"`,
		parse: parseHours, print: Hours.String,
		schema: schema{"type": "string", "pattern": hoursText.String()},
	})
}

func zone() form[*time.Location] {
	return one(single[*time.Location]{
		want:  "a time zone such as Europe/Madrid",
		parse: parseZone, print: (*time.Location).String,
		schema: schema{"type": "string", "minLength": 1},
	})
}
