package reassign

import (
	"slices"
	"strconv"
	"strings"
)

// longest is how long a value may be (KRaft's limit of a string in a record,
// KAFKA-17993).
const longest = 32767

// everything in a throttled-replica list stands for all replicas of the topic.
const everything = "*"

// parseList splits the value of a list setting. Kafka ignores blank entries.
func parseList(value string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }),
		func(e string) bool { return e == "" })
}

// entry is how a throttled replica is listed.
func entry(partition, broker int32) string {
	return strconv.Itoa(int(partition)) + ":" + strconv.Itoa(int(broker))
}

// missing returns what of want must be appended to the value. A list that holds
// everything needs nothing, and takes nothing: "*,0:1" is invalid.
func missing(value string, want []string) []string {
	have := parseList(value)
	if slices.Contains(have, everything) {
		return nil
	}
	return without(want, have)
}

// present returns what of entries is in the value.
func present(value string, entries []string) []string {
	have := parseList(value)
	return slices.DeleteFunc(slices.Clone(entries), func(e string) bool { return !slices.Contains(have, e) })
}

// fits says that the entries can be appended to the value.
func fits(value string, entries []string) bool {
	n := len(value)
	for _, e := range entries {
		n += len(e) + 1
	}
	return n <= longest
}
