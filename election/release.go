package election

import (
	"fmt"
	"strconv"
	"strings"
)

// Release is a release of Kafka as far as elections differ by it: 4.3 stands
// for 4.3.0 and every later 4.3. The zero value is an unknown release, which
// counts as the newest.
type Release struct{ Major, Minor int }

// ParseRelease reads "4.3", "4.3.1" or "3.9-IV0": what follows the second
// number is not read. The empty string is the zero Release.
func ParseRelease(s string) (Release, error) {
	if s == "" {
		return Release{}, nil
	}
	major, rest, ok := strings.Cut(s, ".")
	if !ok {
		return Release{}, fmt.Errorf("release %q: want two numbers such as 4.3", s)
	}
	if end := strings.IndexAny(rest, ".-"); end >= 0 {
		rest = rest[:end]
	}
	r := Release{}
	for i, text := range []string{major, rest} {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return Release{}, fmt.Errorf("release %q: want two numbers such as 4.3", s)
		}
		if i == 0 {
			r.Major = int(n)
		} else {
			r.Minor = int(n)
		}
	}
	return r, nil
}

// String is the release as ParseRelease reads it, "" for the zero Release.
func (r Release) String() string {
	if r == (Release{}) {
		return ""
	}
	return strconv.Itoa(r.Major) + "." + strconv.Itoa(r.Minor)
}

// AtLeast is whether r is major.minor or later. An unknown release is.
func (r Release) AtLeast(major, minor int) bool { return !r.Before(major, minor) }

// Before is whether r is earlier than major.minor. An unknown release is not.
func (r Release) Before(major, minor int) bool {
	if r == (Release{}) {
		return false
	}
	return r.Major < major || r.Major == major && r.Minor < minor
}

// ruleClasses are the first releases of each set of rules, oldest first.
//
// KRaft: 3.7 effective minimum, 3.8 another completion rule (KAFKA-15665), 3.9
// reads the unclean flag (KAFKA-12670), 4.0 ELR (KIP-966), 4.1 the last known
// leader put right (KAFKA-19522), 4.3 the completion rule again (KAFKA-19975).
// ZooKeeper: 3.2 recovery state (KIP-704), 3.7 effective minimum (KAFKA-15583).
var ruleClasses = map[Mode][]Release{
	KRaft:     {{3, 3}, {3, 7}, {3, 8}, {3, 9}, {4, 0}, {4, 1}, {4, 3}},
	ZooKeeper: {{2, 4}, {3, 2}, {3, 7}},
}

// metadataVersions are the first metadata.version of each release that brought
// one, newest first (MetadataVersion, 4.4).
var metadataVersions = []struct {
	first   int
	release Release
}{
	{31, Release{4, 4}}, {30, Release{4, 3}}, {28, Release{4, 2}}, {26, Release{4, 1}}, {22, Release{4, 0}},
	{21, Release{3, 9}}, {20, Release{3, 8}}, {15, Release{3, 7}}, {12, Release{3, 6}}, {9, Release{3, 5}},
	{8, Release{3, 4}}, {4, Release{3, 3}}, {3, Release{3, 2}}, {2, Release{3, 1}}, {1, Release{3, 0}},
}

// Newest is the release to assume where nothing says which one runs: the one
// that brought the metadata version, or the last with the same rules (3.7 for
// all below 20). A cluster may run a later one, see [Candidates]. In ZooKeeper
// mode it is 3.9, whatever the version, which does not exist there.
func Newest(mode Mode, metadataVersion int) Release {
	if mode == ZooKeeper {
		return Release{3, 9}
	}
	for _, mv := range metadataVersions {
		if metadataVersion >= mv.first {
			if mv.release.Before(3, 7) {
				return Release{3, 7}
			}
			return mv.release
		}
	}
	return Release{}
}

// Candidates are the releases that a cluster of that metadata version may run,
// one for each set of rules, oldest first: a metadata version stays while the
// programs are upgraded, and the rules follow the program. Below 1 (unknown)
// it is every set. A prediction that must hold takes the worst over them.
func Candidates(mode Mode, metadataVersion int) []Release {
	oldest := Release{}
	if mode == KRaft {
		for _, mv := range metadataVersions {
			if metadataVersion >= mv.first {
				oldest = mv.release
				break
			}
		}
	}
	classes := ruleClasses[mode]
	first := 0
	for i, c := range classes {
		if oldest != (Release{}) && !oldest.Before(c.Major, c.Minor) {
			first = i
		}
	}
	return append([]Release(nil), classes[first:]...)
}
