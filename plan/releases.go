package plan

import (
	"slices"

	"drain/election"
)

// PossibleReleases are the releases that the controllers of a live cluster may
// run, one for each set of election rules, the likeliest first, for
// Cluster.Releases. Brokers are the releases that the brokers speak as, the
// oldest first. With ZooKeeper any of them is, or becomes, the controller. KRaft
// controllers tell nobody: they are not older than the finalized metadata
// version, whatever the brokers are; those are the best guess.
func PossibleReleases(mode ControllerMode, metadataVersion int, brokers []string) []string {
	var possible []election.Release
	add := func(r election.Release) {
		known := func(other election.Release) bool { return sameRules(mode, r, other) }
		if !slices.ContainsFunc(possible, known) {
			possible = append(possible, r)
		}
	}
	for _, r := range parsed(brokers) {
		add(r)
	}
	if mode == KRaft {
		for _, r := range election.Candidates(mode.rules(), metadataVersion) {
			add(r)
		}
	}
	names := make([]string, len(possible))
	for i, r := range possible {
		names[i] = r.String()
	}
	return names
}

// parsed are the releases that are named as such.
func parsed(names []string) []election.Release {
	var releases []election.Release
	for _, name := range names {
		if r, err := election.ParseRelease(name); err == nil && r != (election.Release{}) {
			releases = append(releases, r)
		}
	}
	return releases
}

// release is what the cluster says to run, zero if it says nothing that can be read.
func (c *Cluster) release() election.Release {
	r, _ := election.ParseRelease(c.Release) // zero beside an error
	return r
}

// sameRules is whether elections go by the same rules under both releases.
func sameRules(mode ControllerMode, a, b election.Release) bool {
	for _, first := range election.Candidates(mode.rules(), 0) {
		if a.Before(first.Major, first.Minor) != b.Before(first.Major, first.Minor) {
			return false
		}
	}
	return true
}

func (m ControllerMode) rules() election.Mode {
	if m == ZooKeeper {
		return election.ZooKeeper
	}
	return election.KRaft
}

// rules are the rules to predict under, one for each release that may run, the
// likeliest first. None given: those that the cluster may run, else its release,
// or the newest of its metadata version.
func (c *Cluster) rules(releases []election.Release) []election.Rules {
	mode := c.Mode.rules()
	if len(releases) == 0 {
		releases = parsed(c.Releases)
	}
	if len(releases) == 0 {
		releases = parsed([]string{c.Release})
	}
	if len(releases) == 0 {
		releases = []election.Release{election.Newest(mode, c.MetadataVersion)}
	}
	rules := make([]election.Rules, len(releases))
	for i, release := range releases {
		rules[i] = election.Rules{Mode: mode, Release: release, ELR: c.ELR}
	}
	return rules
}

// worstOver is the worst that a loss does over the rules; where the outcome is the
// same, under the likeliest. It also says whether the outcome hangs on the rules.
func worstOver(rules []election.Rules, loss func(election.Rules) election.Result) (res election.Result, differs bool) {
	res = loss(rules[0])
	for _, r := range rules[1:] {
		other := loss(r)
		differs = differs || other.Outcome != res.Outcome
		if other.Worse(&res) {
			res = other
		}
	}
	return res, differs
}
