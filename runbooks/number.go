package runbooks

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Numbers are read by grammars of our own. YAML reads 010 as 8, 0x10 as 16 and
// 1_0 as 10, and a flag library with base 0 does the same: the wrong broker would
// be drained, without a word.
var (
	wholeNumber   = regexp.MustCompile(`^(0|[1-9][0-9]{0,18})$`)
	decimalNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?$`)
)

// ParseID reads a broker id: 0 to 2147483647 in plain decimal digits, without a
// sign, quotes or leading zeros.
func ParseID(s string) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || !wholeNumber.MatchString(s) {
		return 0, refusal("write plain decimal digits without quotes, sign or leading zeros, such as 10",
			"%q is not a broker id", s)
	}
	return int32(n), nil
}

// ParseFraction reads a number from 0 to 1, such as 0.25, in plain decimals.
func ParseFraction(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !decimalNumber.MatchString(s) || f > 1 {
		return 0, refusal("write a number from 0 to 1, such as 0.25", "%q is not a fraction", s)
	}
	return f, nil
}

// parseCount reads a whole number within [low, high].
func parseCount(low, high int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || !wholeNumber.MatchString(s) {
			return 0, refusal("write plain decimal digits, such as "+strconv.Itoa(low), "%q is not a whole number", s)
		}
		if n < low || n > high {
			return 0, refusal("", "%d is not between %d and %d", n, low, high)
		}
		return n, nil
	}
}

func parseBool(s string) (bool, error) {
	if s != "true" && s != "false" {
		return false, refusal("write true or false", "%q is neither true nor false", s)
	}
	return s == "true", nil
}

// scale is number times unit, if that is a whole number that fits. Floats would
// turn 1.1 GB into a byte less than was written.
func scale(number string, unit int64) (int64, bool) {
	if !decimalNumber.MatchString(number) {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, false
	}
	r.Mul(r, new(big.Rat).SetInt64(unit))
	return r.Num().Int64(), r.IsInt() && r.Num().IsInt64()
}

// cutNumber splits "50MB/s" into "50" and "MB/s".
func cutNumber(s string) (number, unit string) {
	i := strings.IndexFunc(s, func(c rune) bool { return c != '.' && (c < '0' || c > '9') })
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}
