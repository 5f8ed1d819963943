package simkafka

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kversion"

	"drain/election"
)

// release is a Kafka release; its rules depend on it, and on metadata.version
// only where that is said.
type release struct {
	election.Release
	patch int
}

// defaultRelease is what a Spec without a release means.
const defaultRelease = "4.4"

func parseRelease(s string) (release, error) {
	s = cmp.Or(s, defaultRelease)
	named, err := election.ParseRelease(s)
	if err != nil {
		return release{}, err
	}
	r := release{Release: named}
	if rest := strings.TrimPrefix(s, r.String()); rest != "" {
		patch, err := strconv.ParseUint(strings.TrimPrefix(rest, "."), 10, 16)
		if err != nil {
			return release{}, fmt.Errorf("release %q: want major.minor or major.minor.patch", s)
		}
		r.patch = int(patch)
	}
	if r.versions() == nil || r.Before(2, 4) {
		return release{}, fmt.Errorf("release %q: known are 2.4 to 4.4", s)
	}
	return r, nil
}

// versions are the API versions and features of the release.
func (r release) versions() *kversion.Versions { return kversion.FromString(r.String()) }

// newestMetadataVersion is what a cluster formatted by the release starts at.
func (r release) newestMetadataVersion() int16 {
	var newest int16
	r.versions().EachSupportedFeature(func(name string, _, highest int16) {
		if name == "metadata.version" {
			newest = highest
		}
	})
	return newest
}

// honoursDefaultRate says whether a throttle rate at the cluster default has
// any effect (KAFKA-10190).
func (r release) honoursDefaultRate() bool { return r.AtLeast(3, 9) }

// hidesRates says whether a broker takes its dynamic throttle rates for secrets,
// and tells that they are set but not their values: seen on 2.4.1, not on 2.8.2.
func (r release) hidesRates() bool { return r.Before(2, 5) }

// capsMinISR says whether the broker lowers min.insync.replicas to the length
// of the replica list (KAFKA-15583).
func (r release) capsMinISR() bool { return r.AtLeast(3, 7) }

// refusesCordoned says whether the controller refuses a replica list that
// names a fully cordoned broker (KAFKA-20832).
func (r release) refusesCordoned() bool {
	return r.AtLeast(4, 4) || r.AtLeast(4, 3) && r.patch >= 2
}

// namesLongValues says whether a value over the limit is answered with
// INVALID_CONFIG (KAFKA-18907), and not with UNKNOWN_SERVER_ERROR.
func (r release) namesLongValues() bool { return r.AtLeast(4, 1) }
