package runbooks

import (
	"strings"
	"testing"
)

func TestTopicPatternMatchesWholeNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern   string
		matches   string
		unmatched string
	}{
		{"test.a", "test.a", "test_a testxa test.ab xtest.a"}, // a dot is a dot
		{"007", "007", "7 07"},
		{"on", "on", "true ON"},
		{"/test.a/", "test.a test_a testxa", "test.ab xtest.a"},
		{"/a|b/", "a b", "ab ax xb"},
		{"/logs-[0-9]+/", "logs-1 logs-22", "logs- logs-1x xlogs-1"},
		{"/(?i)logs/", "logs LOGS", "logs2"},
		{"/^a$/", "a", "aa"},
	} {
		p, err := ParseTopicPattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for name := range strings.FieldsSeq(c.matches) {
			if !p.Match(name) {
				t.Errorf("%s does not match %s", p, name)
			}
		}
		for name := range strings.FieldsSeq(c.unmatched) {
			if p.Match(name) {
				t.Errorf("%s matches %s", p, name)
			}
		}
		if p.Match("") {
			t.Errorf("%s matches the empty name", p)
		}
		if p.String() != c.pattern {
			t.Errorf("%s prints as %s", c.pattern, p)
		}
	}
}

func TestTopicPatternRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "/", "a/b", "a b", "a*", ".", "..", "ü", strings.Repeat("x", 250), "/[/", "/a)(b/", "/(?<a/", "/a{1001}/"} {
		if p, err := ParseTopicPattern(text); err == nil {
			t.Errorf("ParseTopicPattern(%q): got %v, want a refusal", text, p)
		}
	}
	if (TopicPattern{}).Match("") {
		t.Error("the zero pattern matches something")
	}
}
