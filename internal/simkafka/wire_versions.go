package simkafka

import (
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// apiVersions lists every key that a broker of the release has, so that a
// client guesses the release from it, and the finalized features. Keys that the
// model does not answer are left to kfake, which knows none of our topics.
func (q *question) apiVersions(req *kmsg.ApiVersionsRequest, resp *kmsg.ApiVersionsResponse) {
	keys := q.apis()
	if req.Version > keys[18] { // KIP-511: tell at version 0
		resp.Version, resp.ErrorCode = 0, kerr.UnsupportedVersion.Code
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MaxVersion = key, keys[key]
		if key == 17 {
			k.MinVersion = 1 // kfake's
		}
		resp.ApiKeys = append(resp.ApiKeys, k)
	}
	if !q.zk {
		q.features(resp)
	}
}

// zkKeys are between brokers and a ZooKeeper controller, or a KRaft one; no
// KRaft broker answers them.
var zkKeys = []int16{4, 5, 6, 7, 56, 58, 67}

// apis is the highest version of each key that brokers of the release answer.
func (m *model) apis() map[int16]int16 {
	keys := map[int16]int16{}
	m.release.versions().EachMaxKeyVersion(func(key, version int16) {
		if m.zk || !slices.Contains(zkKeys, key) {
			keys[key] = version
		}
	})
	delete(keys, 71) // telemetry, which nothing here receives (KIP-714)
	delete(keys, 72)
	if m.zk || m.release.AtLeast(4, 0) {
		return keys
	}
	// What brokers of 3.x have in KRaft alone: kversion tells of ZooKeeper ones.
	if m.release.AtLeast(3, 3) {
		keys[55], keys[64] = 1, 0
	}
	if m.release.AtLeast(3, 7) {
		keys[74] = 0
	}
	if m.release.AtLeast(3, 8) {
		keys[75] = 0
	}
	if m.release.AtLeast(3, 9) {
		keys[55], keys[80], keys[81] = 2, 0, 0
	}
	return keys
}

func (q *question) features(resp *kmsg.ApiVersionsResponse) {
	q.release.versions().EachSupportedFeature(func(name string, lowest, highest int16) {
		f := kmsg.NewApiVersionsResponseSupportedFeature()
		f.Name, f.MinVersion, f.MaxVersion = name, lowest, highest
		resp.SupportedFeatures = append(resp.SupportedFeatures, f)
	})
	finalize := func(name string, level int16) {
		f := kmsg.NewApiVersionsResponseFinalizedFeature()
		f.Name, f.MinVersionLevel, f.MaxVersionLevel = name, level, level
		resp.FinalizedFeatures = append(resp.FinalizedFeatures, f)
	}
	if q.elr {
		finalize("eligible.leader.replicas.version", 1)
	}
	finalize("metadata.version", q.metadataVersion)
	// The epoch is the last record that the broker's metadata holds
	// (KRaftMetadataCache.features): clients tell by it how far it lags.
	resp.FinalizedFeaturesEpoch = q.metadataEnd(q.timing.Lag) - 1
}

func refuseAPIVersions(_ *kmsg.ApiVersionsRequest, resp *kmsg.ApiVersionsResponse, code int16) {
	resp.ErrorCode = code
}
