package simkafka

import (
	"slices"
	"strings"
)

// cordonMetadataVersion is the first metadata.version with cordoning (KIP-1066,
// 4.3-IV0).
const cordonMetadataVersion = 30

// cordonedDir says that no new replica goes to the dir. It takes a release and
// a metadata.version that know of it; else the setting is only kept.
func (m *model) cordonedDir(b *broker, d *dir) bool {
	value := b.configs[cordonedDirs]
	if value == "" || !m.release.AtLeast(4, 3) || m.metadataVersion < cordonMetadataVersion {
		return false
	}
	return value == "*" || slices.Contains(strings.Split(value, ","), d.path)
}

// cordoned says that no new replica goes to the broker.
func (m *model) cordoned(b *broker) bool {
	return len(b.dirs) > 0 && !slices.ContainsFunc(b.dirs, func(d *dir) bool { return !m.cordonedDir(b, d) })
}

func (b *broker) dir(path string) *dir {
	i := slices.IndexFunc(b.dirs, func(d *dir) bool { return d.path == path })
	if i < 0 {
		return nil
	}
	return b.dirs[i]
}
