package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// digits groups the digits of a number by thousands, such as 80,000.
func digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	head := len(s) % 3
	if n < 0 {
		head = (len(s)-1)%3 + 1
	}
	var b strings.Builder
	b.WriteString(s[:head])
	for i := head; i < len(s); i += 3 {
		if i > 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteString(s[i : i+3])
	}
	return b.String()
}

// Count is a number with its noun, such as "1 move" and "80,000 moves".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return digits(int64(n)) + " " + many
}

// JoinIDs prints ids in their order: 1, 3, 2.
func JoinIDs(ids []int32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}

// BrokerNames prints brokers as people say them, sorted: broker 1; brokers 1, 2
// and 3.
func BrokerNames(ids []int32) string {
	ids = slices.Sorted(slices.Values(ids))
	switch last := len(ids) - 1; {
	case last < 0:
		return "no brokers"
	case last == 0:
		return "broker " + JoinIDs(ids)
	default:
		return fmt.Sprintf("brokers %s and %d", JoinIDs(ids[:last]), ids[last])
	}
}

// FormatBytes is a number of bytes with three digits that count, such as 53.7 GB.
func FormatBytes(n int64) string {
	const units = "kMGTPE"
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, k := float64(n)/1000, 0
	for f >= 999.5 && k < len(units)-1 {
		f, k = f/1000, k+1
	}
	return fmt.Sprintf("%.3g %cB", f, units[k])
}

// longText is a time as a person says it: in years where days are too many.
func longText(seconds float64) string {
	const day, year = 86400, 365.25 * 86400
	switch {
	case seconds >= 2*year:
		return fmt.Sprintf("about %s years", digits(int64(seconds/year+0.5)))
	case seconds >= 2*day:
		return fmt.Sprintf("%.1f days", seconds/day)
	}
	return time.Duration(seconds * 1e9).Round(time.Second).String()
}
