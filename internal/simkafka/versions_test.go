package simkafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// A client that guesses the release from ApiVersions guesses right: the rules
// of an election hang on it.
func TestApiVersionsAreThoseOfTheRelease(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		release string
		zk      bool
		level   int16 // of metadata.version
		quorum  bool  // has DescribeQuorum
	}{
		{release: "2.4", zk: true}, {release: "2.8", zk: true}, {release: "3.9", zk: true},
		{release: "3.5", level: 11, quorum: true}, {release: "3.7", level: 19, quorum: true},
		{release: "3.9", level: 21, quorum: true}, {release: "4.0", level: 25, quorum: true},
		{release: "4.2", level: 29, quorum: true}, {release: "4.3", level: 30, quorum: true}, {release: "4.4", level: 33, quorum: true},
	} {
		simulated(t, Spec{Release: at.release, ZooKeeper: at.zk, Brokers: brokers(1, 2)}, func(t *testing.T, r *rig) {
			req := kmsg.NewPtrApiVersionsRequest()
			req.ClientSoftwareName, req.ClientSoftwareVersion = "test", "1"
			resp := ask[*kmsg.ApiVersionsResponse](r, req)
			apis := kversion.FromApiVersionsResponse(resp)
			if got := apis.VersionGuess(); got != "v"+at.release {
				t.Errorf("%s zk=%v: guessed %s", at.release, at.zk, got)
			}
			if apis.HasKey(55) != at.quorum {
				t.Errorf("%s zk=%v: DescribeQuorum %v, want %v", at.release, at.zk, apis.HasKey(55), at.quorum)
			}
			var level int16
			for _, f := range resp.FinalizedFeatures {
				if f.Name == "metadata.version" {
					level = f.MaxVersionLevel
				}
			}
			if level != at.level {
				t.Errorf("%s: metadata.version %d, want %d", at.release, level, at.level)
			}
		})
	}
}
