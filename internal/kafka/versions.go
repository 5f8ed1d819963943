package kafka

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"drain/plan"
)

// versionsOf asks what a broker speaks and which features are finalized.
func versionsOf() *kmsg.ApiVersionsRequest {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "drain", "1" // neither may be empty (KIP-511)
	return req
}

func (c *Client) versions(ctx context.Context, broker int32) (*kmsg.ApiVersionsResponse, error) {
	answer, err := c.askBroker(ctx, broker, versionsOf())
	if err != nil {
		return nil, fmt.Errorf("api versions: %w", err)
	}
	apis := answer.(*kmsg.ApiVersionsResponse)
	if err := fault(apis.ErrorCode, nil); err != nil {
		return nil, fmt.Errorf("api versions: %w", err)
	}
	return apis, nil
}

// modeOf tells KRaft by DescribeQuorum, which only its brokers answer
// (ApiMessageType, listener "broker" but not "zkBroker").
func modeOf(apis *kmsg.ApiVersionsResponse) plan.ControllerMode {
	if maxVersion(apis, kmsg.DescribeQuorum) >= 0 {
		return plan.KRaft
	}
	return plan.ZooKeeper
}

// maxVersion is the newest version of an API that a broker speaks, -1 if none.
func maxVersion(apis *kmsg.ApiVersionsResponse, key kmsg.Key) int16 {
	for _, k := range apis.ApiKeys {
		if k.ApiKey == int16(key) {
			return k.MaxVersion
		}
	}
	return -1
}

// finalized is the level of a feature of the cluster, 0 if it has none.
func finalized(apis *kmsg.ApiVersionsResponse, feature string) int16 {
	for _, f := range apis.FinalizedFeatures {
		if f.Name == feature {
			return f.MaxVersionLevel
		}
	}
	return 0
}

// guessed finds the first release in the words of kversion, such as "v4.3",
// "at least v4.4" or "between v3.8 and v3.9".
var guessed = regexp.MustCompile(`v(\d+)\.(\d+)`)

// releaseOf guesses a broker's release from what it speaks; 0, 0 if it can not.
// In between two releases, as while the controllers are upgraded, it is the
// older one.
func releaseOf(apis *kmsg.ApiVersionsResponse) (major, minor int) {
	m := guessed.FindStringSubmatch(kversion.FromApiVersionsResponse(apis).VersionGuess())
	if m == nil {
		return 0, 0
	}
	major, _ = strconv.Atoi(m[1]) // digits both: it matched
	minor, _ = strconv.Atoi(m[2])
	return major, minor
}

// release is that of the brokers, the oldest where they differ, which is noted.
func (p *picture) release() string {
	all := p.releases()
	if len(all) == 0 {
		return ""
	}
	if oldest, newest := all[0], all[len(all)-1]; oldest != newest {
		p.note(plan.Warn, "mixed-releases", "", -1, fmt.Sprintf("the brokers speak as releases %s to %s", oldest, newest),
			"finish the upgrade first")
	}
	return all[0]
}

// releases are those that the brokers speak as, each once, the oldest first.
func (p *picture) releases() []string {
	var numbers [][2]int
	for _, a := range p.accounts {
		if a.apis == nil {
			continue
		}
		if major, minor := releaseOf(a.apis); major > 0 {
			numbers = append(numbers, [2]int{major, minor})
		}
	}
	slices.SortFunc(numbers, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	var all []string
	for _, n := range slices.Compact(numbers) {
		all = append(all, fmt.Sprintf("%d.%d", n[0], n[1]))
	}
	return all
}

// possible are the releases that the controllers may run.
func (p *picture) possible() []string {
	return plan.PossibleReleases(modeOf(p.apis), int(finalized(p.apis, "metadata.version")), p.releases())
}
