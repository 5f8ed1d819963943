package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

func TestInternalTopicsThatCouldNotBeMadeAreTold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		brokers int
		topics  []string
		factor  string
		want    string // topics that are told of
	}{
		{"three brokers, and neither topic is there", 3, nil, "3", "__consumer_offsets __transaction_state"},
		{"the offsets are there", 3, []string{"__consumer_offsets"}, "3", "__transaction_state"},
		{"both are there", 3, []string{"__consumer_offsets", "__transaction_state"}, "3", ""},
		{"enough brokers are left", 4, nil, "3", ""},
		{"two replicas do", 3, nil, "2", ""},
		{"nobody tells", 3, nil, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := picture{scope: plan.Scope{Brokers: []int32{1}, Space: true}, topics: topicIndex{}}
			for _, name := range tc.topics {
				p.topics[name] = &kmsg.MetadataResponseTopic{}
			}
			for id := range int32(tc.brokers) {
				a := account{broker: id + 1}
				for _, key := range factorKeys {
					a.settings.Entries = append(a.settings.Entries, layered(key, "static", tc.factor).Entries...)
				}
				p.accounts = append(p.accounts, a)
			}
			p.noteFirstUse()
			var got []string
			for _, f := range p.notes {
				got = append(got, f.Topic)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %v, want %q", p.notes, tc.want)
			}
		})
	}
}
