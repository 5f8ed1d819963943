package simkafka

import (
	"strconv"
	"strings"
)

// throttleList is a list of throttled replicas, parsed.
type throttleList struct {
	text    string
	all     bool
	entries map[[2]int32]bool // partition, broker
}

func parseThrottleList(text string) throttleList {
	l := throttleList{text: text, all: strings.TrimSpace(text) == "*", entries: map[[2]int32]bool{}}
	for entry := range strings.SplitSeq(text, ",") {
		partition, broker, _ := strings.Cut(strings.TrimSpace(entry), ":")
		p, err1 := strconv.ParseInt(partition, 10, 32)
		b, err2 := strconv.ParseInt(broker, 10, 32)
		if err1 == nil && err2 == nil {
			l.entries[[2]int32{int32(p), int32(b)}] = true
		}
	}
	return l
}

// throttled says that the list of the topic names the replica. The list is
// parsed again only when its text has changed.
func (t *topic) throttled(key string, partition, broker int32) bool {
	l := t.lists[key]
	if text := t.configs[key]; l.text != text {
		l = parseThrottleList(text)
		if t.lists == nil {
			t.lists = map[string]throttleList{}
		}
		t.lists[key] = l
	}
	return l.all || l.entries[[2]int32{partition, broker}]
}
