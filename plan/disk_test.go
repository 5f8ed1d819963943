package plan

import (
	"math"
	"testing"
)

// Where a file system has no end, as of a network, a volume tells the largest
// number there is, and sums over two of them came out negative.
func TestRoomIsSummedOverVolumesOfAnySize(t *testing.T) {
	t.Parallel()
	const used = 1 << 40
	endless := func(path string, used int64) LogDir {
		return LogDir{Path: path, TotalBytes: math.MaxInt64, UsableBytes: math.MaxInt64 - used}
	}
	for _, k := range []struct {
		name              string
		dirs              []LogDir
		total, used, room int64
	}{
		{"one without an end", []LogDir{endless("/a", used)}, mostBytes, used, mostBytes - used},
		{"two without an end", []LogDir{endless("/a", used), endless("/b", 0)}, mostBytes, used, mostBytes},
		{"full, and without an end", []LogDir{{Path: "/a", TotalBytes: math.MaxInt64}}, mostBytes, mostBytes, 0},
		{"freer than it is large", []LogDir{{Path: "/a", TotalBytes: 10, UsableBytes: math.MaxInt64}}, 10, 0, 10},
		{"two of usual size", []LogDir{{Path: "/a", TotalBytes: 10, UsableBytes: 4}, {Path: "/b", TotalBytes: 20, UsableBytes: 5}}, 30, 21, 9},
		{"two that share a volume", []LogDir{{Path: "/a", TotalBytes: 10, UsableBytes: 4}, {Path: "/b", TotalBytes: 10, UsableBytes: 4}}, 10, 6, 4},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			d := newDisk(&Broker{LogDirs: k.dirs}, &Request{})
			total, used := d.sizes()
			if room := d.room(); total != k.total || used != k.used || room != k.room {
				t.Errorf("got %d bytes, %d used, room for %d; want %d, %d, %d", total, used, room, k.total, k.used, k.room)
			}
		})
	}
}
