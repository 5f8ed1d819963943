package runbooks

import (
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	values := Placeholders{Broker: 0, Host: "kafka-0", Rack: "a", Drain: "/usr/bin/drain"}
	for _, c := range []struct {
		name, argv, want string
		values           Placeholders
	}{
		{"every placeholder, also within a word", "ssh {host} stop kafka@{broker} {rack}{rack} {drain}", "ssh kafka-0 stop kafka@0 aa /usr/bin/drain", values},
		{"other braces stay", "awk {print} {} {{broker}} ${host} {Broker} {broker", "awk {print} {} {0} $kafka-0 {Broker} {broker", values},
		{"a value that looks like a placeholder is left alone", "ssh {host} {rack}", "ssh {rack} a", Placeholders{Host: "{rack}", Rack: "a"}},
		{"what is not used may be anything", "stop {broker}", "stop 4", Placeholders{Broker: 4, Host: "-oProxyCommand=x", Rack: "a b"}},
		{"an IPv6 host", "ssh {host}", "ssh ::1", Placeholders{Host: "::1"}},
	} {
		argv := strings.Fields(c.argv)
		before := slices.Clone(argv)
		got, err := Expand(argv, c.values)
		if err != nil || !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
		if !slices.Equal(argv, before) {
			t.Errorf("%s: the argv was changed to %q", c.name, argv)
		}
	}
}

func TestExpandRefusesValuesThatCouldBeMoreThanOneWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ host, want string }{
		{"", "is empty"},
		{"-oProxyCommand=reboot", `begins with "-"`},
		{"kafka 1", "holds blanks"},
		{"kafka\u00a01", "holds blanks"},
		{"kafka\n1", "holds blanks"},
		{"kafka\x001", "holds control characters"},
		{"kafka\x1b[31m", "holds control characters"},
		{"kafka\u202e1", "holds control characters"},
		{"kafka\xff", "holds control characters"},
	} {
		got, err := Expand([]string{"ssh", "{host}"}, Placeholders{Broker: 7, Host: c.host})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "broker 7") {
			t.Errorf("host %q: got %q, %v, want an error that it %s", c.host, got, err, c.want)
		}
	}
}

func TestBound(t *testing.T) {
	t.Parallel()
	others := map[int32]string{2: "kafka-2", 10: "kafka-10", 11: "Kafka-1.example.com"}
	for _, c := range []struct {
		name, argv string
		host       string
		several    bool
		want       string // "" is bound
	}{
		{name: "by {host}", argv: "ssh {host} systemctl stop kafka", host: "kafka-1"},
		{name: "by {broker}", argv: "{drain} simulated-stop {broker}", host: "kafka-1"},
		{name: "by its host, letter case aside", argv: "ssh root@KAFKA-1 stop", host: "kafka-1"},
		{name: "by its host and a port", argv: "ssh://kafka-1:22 stop", host: "kafka-1"},
		{name: "by its host in a text", argv: "sh -c 'ssh\u00a0kafka-1;true'", host: "kafka-1"},
		{name: "by an IPv6 host", argv: "ssh [2001:db8::1]:22", host: "2001:db8::1"},
		{name: "by its host beside another, a jump host", argv: "ssh -J kafka-2 kafka-1 stop", host: "kafka-1"},
		{name: "by {host} through another broker", argv: "ssh -J kafka-2 {host} stop", host: "kafka-1"},
		{name: "by its host behind a longer one", argv: "pdsh -w kafka-10,kafka-1 stop", host: "kafka-1"},
		{name: "several, by a placeholder", argv: "ssh {host} stop", host: "kafka-1", several: true},

		{name: "by nothing", argv: "systemctl stop kafka", host: "kafka-1", want: "names neither broker 1 nor its host"},
		{name: "by {rack} alone", argv: "stop {rack} {drain}", host: "kafka-1", want: "names neither broker 1 nor its host"},
		{name: "a longer host is not the host", argv: "ssh kafka-10 stop", host: "kafka-1", want: "names kafka-10, the host of broker 10"},
		{name: "a host of the same first label is not the host", argv: "ssh kafka-1.example.com stop", host: "kafka-1", want: "the host of broker 11"},
		{name: "a host that ends the same is not the host", argv: "ssh my-kafka-1 stop", host: "kafka-1", want: "names neither"},
		{name: "a host with a letter more is not the host", argv: "ssh kafka-1b stop", host: "kafka-1", want: "names neither"},
		{name: "a host with an underscore behind is not the host", argv: "ssh kafka-1_old stop", host: "kafka-1", want: "names neither"},
		{name: "another broker's host with {broker}", argv: "ssh kafka-2 stop-kafka {broker}", host: "kafka-1", want: "names kafka-2, the host of broker 2"},
		{name: "a longer IPv6 host", argv: "ssh 2001:db8::10", host: "2001:db8::1", want: "names neither"},
		{name: "an IPv6 host that ends the same", argv: "ssh fe80:2001:db8::1", host: "2001:db8::1", want: "names neither"},
		{name: "an unknown host", argv: "ssh kafka-1 stop", host: "", want: "names neither"},
		{name: "several, by a host", argv: "ssh kafka-1 stop", host: "kafka-1", several: true, want: "the same for each of several brokers"},
	} {
		err := Bound(strings.Fields(c.argv), 1, c.host, others, c.several)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: got %v, want bound", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestBoundOnOneHostForAll(t *testing.T) {
	t.Parallel()
	others := map[int32]string{2: "localhost", 3: "localhost"}
	if err := Bound([]string{"stop", "--host", "localhost", "{broker}"}, 1, "localhost", others, false); err != nil {
		t.Errorf("the host that all share is the broker's own: %v", err)
	}
}
