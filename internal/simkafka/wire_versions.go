package simkafka

import (
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// apiVersions lists the keys that the model answers, as far as the release has
// them, and the finalized features.
func (q *question) apiVersions(req *kmsg.ApiVersionsRequest, resp *kmsg.ApiVersionsResponse) {
	if req.Version > q.maxVersion(18) { // KIP-511: tell at version 0
		resp.Version, resp.ErrorCode = 0, kerr.UnsupportedVersion.Code
	}
	for _, key := range append(slices.Sorted(maps.Keys(handlers)), 17, 36) {
		if highest := q.maxVersion(key); highest >= 0 {
			k := kmsg.NewApiVersionsResponseApiKey()
			k.ApiKey, k.MinVersion, k.MaxVersion = key, minVersions[key], highest
			resp.ApiKeys = append(resp.ApiKeys, k)
		}
	}
	if !q.zk {
		q.features(resp)
	}
}

// minVersions are those that kfake needs for what it answers itself.
var minVersions = map[int16]int16{17: 1}

// raftKeys are those of KRaft brokers that no ZooKeeper broker has, with the
// releases that brought their versions.
var raftKeys = map[int16][]struct{ major, minor int }{
	55: {{3, 0}, {3, 3}, {3, 9}},
	64: {{3, 3}},
	75: {{3, 8}},
}

// maxVersion is the highest version of a key that the release answers, -1 if
// it does not know the key.
func (m *model) maxVersion(key int16) int16 {
	highest := int16(-1)
	if since, ok := raftKeys[key]; ok {
		for _, r := range since {
			if !m.zk && m.release.atLeast(r.major, r.minor) {
				highest++
			}
		}
		return highest
	}
	if v, ok := m.release.versions().LookupMaxKeyVersion(key); ok {
		highest = v
	}
	return min(highest, kmsg.RequestForKey(key).MaxVersion())
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
	resp.FinalizedFeaturesEpoch = 1
}

func refuseAPIVersions(_ *kmsg.ApiVersionsRequest, resp *kmsg.ApiVersionsResponse, code int16) {
	resp.ErrorCode = code
}
