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

// ParseList splits the value of a list setting. Kafka ignores blank entries.
func ParseList(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

// entry is how a throttled replica is listed.
func entry(partition, broker int32) string {
	return strconv.Itoa(int(partition)) + ":" + strconv.Itoa(int(broker))
}

// ParseEntry reads a throttled replica as it is listed, partition:broker. The
// entry that stands for all replicas, "*", is none.
func ParseEntry(entry string) (partition, broker int32, ok bool) {
	p, b, found := strings.Cut(entry, ":")
	m, errP := strconv.ParseInt(p, 10, 32)
	n, errB := strconv.ParseInt(b, 10, 32)
	return int32(m), int32(n), found && errP == nil && errB == nil
}

// missing returns what of want must be appended to the value. A list that holds
// everything needs nothing, and takes nothing: "*,0:1" is invalid.
func missing(value string, want []string) []string {
	have := ParseList(value)
	if slices.Contains(have, everything) {
		return nil
	}
	return without(want, have)
}

// present returns what of entries is in the value.
func present(value string, entries []string) []string {
	have := ParseList(value)
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
