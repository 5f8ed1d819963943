package runbooks

import (
	"regexp"
	"strings"
)

// TopicPattern picks topics: by name, letter for letter (a dot is a dot), or by a
// regular expression between slashes that must match the whole name.
type TopicPattern struct {
	text string
	re   *regexp.Regexp // nil for a name
}

// topicName is what Kafka allows (Topic.LEGAL_CHARS, at most 249 of them).
var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

// ParseTopicPattern reads "orders" or "/orders-.*/".
func ParseTopicPattern(s string) (TopicPattern, error) {
	if len(s) < 2 || !strings.HasPrefix(s, "/") || !strings.HasSuffix(s, "/") {
		if !topicName.MatchString(s) || s == "." || s == ".." {
			return TopicPattern{}, refusal("write a topic's name, or a regular expression between slashes, such as /orders-.*/",
				"%q cannot be the name of a topic", s)
		}
		return TopicPattern{text: s}, nil
	}
	// Compiled bare first, so that "a)(b" cannot close the group that is put around it.
	if _, err := regexp.Compile(s[1 : len(s)-1]); err != nil {
		return TopicPattern{}, refusal("the syntax is that of Go (RE2)", "%q is not a regular expression: %v", s, err)
	}
	re, err := regexp.Compile(`\A(?:` + s[1:len(s)-1] + `)\z`)
	if err != nil {
		return TopicPattern{}, refusal("write a smaller one", "%q is not a usable regular expression: %v", s, err)
	}
	return TopicPattern{text: s, re: re}, nil
}

// Match reports whether the topic of this name is picked. The zero pattern picks
// nothing.
func (p TopicPattern) Match(name string) bool {
	if p.re != nil {
		return p.re.MatchString(name)
	}
	return p.text != "" && p.text == name
}

// String is the pattern as it was written.
func (p TopicPattern) String() string { return p.text }
