package runbooks

import (
	"slices"

	"github.com/xrash/smetrics"
)

// Risk is one word of acceptRisks: what a finding warns of, or blocks for.
type Risk struct {
	Word string
	Doc  string // what it stands for, on one line, without a full stop
}

// Risks are all risk words, sorted. A finding that blocks is a warning once its
// word is accepted; accepting one that only warns changes nothing.
func Risks() []Risk {
	return []Risk{
		{"already-leaderless", "a partition has no leader already, before the stop"},
		{"already-under-min-isr", "a partition is under its min.insync.replicas already, before the stop"},
		{"another-drain", "another run on this host drains another broker, which receives nothing"},
		{"at-min-isr", "partitions are left exactly at their min.insync.replicas while the broker is down (mode at-risk)"},
		{"broker-unread", "a broker did not say what is on its disks"},
		{"clock-skew", "the clocks of this host and of the controllers disagree, so that a window opens at another time than it says"},
		{"configs-unread", "the settings of a broker or topic could not be read"},
		{"cordoned-survivor", "a list would keep a replica on another broker that is cordoned, which controllers from 4.3.2 on refuse"},
		{"deadline-too-short", "with the hours of the window the moves are not over by the deadline, or do not even begin"},
		{"disk-full", "a destination would have less free than diskHeadroom asks for"},
		{"excluded-topics", "replicas of excluded topics stay on the broker, which is then not empty"},
		{"foreign-move", "somebody else moves a partition that is to be moved"},
		{"foreign-throttle", "moves are as slow as a lower replication throttle that somebody else set; accepted, ours stands there while replicas move"},
		{"helper-moves", "replicas that could stay move too, to make room"},
		{"hidden-throttle", "a broker has a replication throttle whose value it does not tell: it could not be given back, and is deleted after the moves"},
		{"hidden-topic", "a topic lies on the broker that this login may not see"},
		{"internal-topic", "consumer offsets or transaction states move: clients retry while a new leader loads them"},
		{"internal-topic-factor", "an internal topic that does not exist yet could not be created while the broker is away"},
		{"leaderless", "a partition would have no leader after the stop"},
		{"leftover-throttle", "a broker that will copy has a replication throttle already"},
		{"log-dir-offline", "a log dir of a broker is offline: what it holds is not known; right before the stop it is `offline-log-dir`"},
		{"min-isr-unreachable", "partitions have fewer replicas than their min.insync.replicas"},
		{"missing-rights", "the login lacks a right that a later step needs"},
		{"mixed-releases", "the brokers run different releases"},
		{"no-destination", "no broker may receive a replica"},
		{"no-rack", "a broker has no rack: it counts as none"},
		{"offline-log-dir", "`log-dir-offline` as it is found right before the stop: what these log dirs hold cannot be listed"},
		{"plan-mismatch", "the cluster has changed since the plan of --plan was made"},
		{"probe-failed", "stop.probe did not exit with 0"},
		{"quorum-lost", "without the broker the controller quorum would have no majority"},
		{"quorum-thin", "without the broker no further controller voter may fail"},
		{"quorum-unread", "the controller quorum could not be read"},
		{"rack-lost", "the replicas of a partition would lie in fewer racks than before"},
		{"reassignments-unread", "the moves under way could not be read"},
		{"release-unknown", "the rules of election of these brokers are not known for certain: the worst counts"},
		{"rf-1", "a partition has a single replica: until it is copied only the broker holds what is in it"},
		{"rf-above-brokers", "a partition has more replicas than there are brokers left"},
		{"rf-below-min-isr", "writes to a topic would fail while it is copied, and a lower min.insync.replicas would weaken other partitions of it"},
		{"shared-host", "other brokers or controllers run on the host, which a stop of the host's Kafka would take down too"},
		{"space-unknown", "only brokers whose free space is not known could receive a replica"},
		{"stray-log", "a log lies on the broker that no replica list places there"},
		{"throttle-too-long", "at this throttle the moves take longer than they may, or never end, since more is written meanwhile"},
		{"topic-in-motion", "replica lists of a topic change faster than they can be read"},
		{"topic-unread", "a topic could not be read"},
		{"unbound-stop", "the stop command is not tied to the broker, or names another one's host"},
		{"unclean", "a partition would get a leader that is out of sync: what it lacks is lost"},
		{"unclean-unknown", "it is not known whether unclean election is on: clean is assumed"},
		{"under-min-isr", "a partition would be under its min.insync.replicas after the stop"},
		{"under-replicated", "a partition that moves has replicas out of sync"},
		{"unknown-broker", "a broker that is asked about is not known to the cluster"},
		{"unknown-size", "nobody tells how large a partition is"},
		{"unknown-topic", "a pattern of excludeTopics picks no topic of the cluster"},
		{"window-too-short", "the moves do not fit into one window, or one of them into any"},
		{"worse-than-before", "a partition is worse than before the run, beside what was predicted"},
	}
}

// risk is the form of one word. What it accepts are the words that a finding can
// show, so that one which is misspelt is refused before anything is asked of a
// cluster.
func risk() form[string] {
	f := one(single[string]{
		want: "a risk word such as under-min-isr",
		parse: func(s string) (string, error) {
			if !slices.ContainsFunc(Risks(), func(r Risk) bool { return r.Word == s }) {
				return "", refusal(nearestRisk(s), "%q is not a risk word", s)
			}
			return s, nil
		},
		print: func(s string) string { return s },
	})
	for _, r := range Risks() {
		f.choices = append(f.choices, choice{r.Word, r.Doc})
	}
	f.schema = withVariable(schema{"enum": f.choices.words()}, false)
	return f
}

// nearestRisk is a remedy for a word that is none.
func nearestRisk(s string) string {
	best, least := "", max(3, len(s)/3)
	for _, r := range Risks() {
		if d := smetrics.WagnerFischer(fold(s), fold(r.Word), 1, 1, 1); d < least {
			best, least = r.Word, d
		}
	}
	if best == "" {
		return "write the word that the finding shows, such as under-min-isr; docs/RUNBOOK.md lists them"
	}
	return "did you mean " + best + "?"
}
