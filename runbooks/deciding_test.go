package runbooks

import (
	"strings"
	"testing"
)

const decided = `version: 1
brokers: [1, 2]
cluster: {bootstrap: [a:1, b:2]}
throttle: 5MB/s
destinations: [3, 4]
excludeTopics: [/logs.*/]
steps: [check, {run: {name: x, command: [x], timeout: 1m}}, move, verify, {approve: "now?"}, stop]
stop: {command: [stop, "{broker}"], timeout: 1m}
`

func TestDecidingIsTheSameForWhatMeansTheSame(t *testing.T) {
	t.Parallel()
	want := string(parsed(t, decided).Deciding())
	for name, text := range map[string]string{
		"another order, spelling and comments": `# x
stop: {timeout: 60s, command: ["stop", "{broker}"], acceptExitCodes: [0, 255]}
cluster: {bootstrap: ["c:3"]}
destinations: [4, 3]
excludeTopics: ["/logs.*/"]
version: 1
mode: evacuate
steps:
  - check
  - run: {command: [x], name: another name, timeout: 60s}
  - move
  - verify
  - approve: another text
  - stop
throttle: none
brokers: [1, 2]
`,
		"what may change between runs": decided + `name: x
reason: y
maxInFlight: 5
maxInFlightPerBroker: 6
poll: 5s
stallAfter: 1h
deadline: 5h
window: {hours: "01:00-02:00", timeZone: UTC}
acceptRisks: [stray-log]
`,
	} {
		if got := string(parsed(t, text).Deciding()); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestDecidingTellsApartWhatDecidesTheMoves(t *testing.T) {
	t.Parallel()
	base := string(parsed(t, decided).Deciding())
	for _, f := range []Flag{
		{"brokers", []string{"2,1"}}, // the order of the stops
		{"brokers", []string{"1"}},
		{"cluster.simulated", []string{"x"}},
		{"cluster.id", []string{"x"}},
		{"mode", []string{"at-risk"}},
		{"destinations", []string{"3"}},
		{"destinationRacks", []string{"a"}},
		{"exclude", []string{"3"}},
		{"excludeTopics", []string{"/logs.*/", "t"}},
		{"excludeTopics", []string{"/log.*/"}},
		{"steps", []string{"check,move,verify,stop"}},
		{"stop.timeout", []string{"2m"}},
	} {
		if got := string(parsed(t, decided, f).Deciding()); got == base {
			t.Errorf("%v changes nothing", f)
		}
	}
	for _, k := range [][2]string{
		{"command: [x]", "command: [y]"}, {"1m}}", "2m}}"}, {"1m}}", "1m, repeat: true}}"}, {`{approve: "now?"}`, "check"},
	} {
		was, is := k[0], k[1]
		text := strings.Replace(decided, was, is, 1)
		if got := string(parsed(t, text).Deciding()); text == decided || got == base {
			t.Errorf("%s instead of %s changes nothing", is, was)
		}
	}
	other := parsed(t, decided)
	other.Stop.Command = []string{"stop", "{host}"}
	if string(other.Deciding()) == base {
		t.Error("another stop command changes nothing")
	}
}
