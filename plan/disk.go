package plan

import (
	"cmp"
	"math"
	"slices"
)

// disk is the room that a broker has for new replicas. Space is a matter of
// volumes: a broker with several log dirs can be full for a large replica while
// half of its bytes are free (JBOD).
type disk struct {
	volumes []volume
	dirs    []dir
	named   bool // dirs may be named beforehand
}

// volume is a file system with one log dir or more.
type volume struct {
	total, usable int64
	room          int64 // bytes that may still come, headroom taken off; may be negative
}

// dir is a live log dir.
type dir struct {
	path   string
	volume int
	logs   int
}

// newDisk works out the room of a broker from its log dirs, else from the
// broker's own numbers. It has no volumes if neither is known. Dirs stand in the
// order of their paths: Kafka lists them in no order.
func newDisk(b *Broker, r *Request) disk {
	d := disk{named: r.NameDirs}
	dirs := slices.SortedStableFunc(slices.Values(b.LogDirs), func(x, y LogDir) int { return cmp.Compare(x.Path, y.Path) })
	for _, l := range dirs {
		if !l.Offline && l.TotalBytes >= 0 && l.UsableBytes >= 0 {
			d.dirs = append(d.dirs, dir{l.Path, d.volumeOf(l, r.DiskHeadroom), l.Replicas})
		}
	}
	if len(d.volumes) == 0 && b.UsableBytes >= 0 {
		d.volumes = []volume{newVolume(max(b.CapacityBytes, b.UsableBytes), b.UsableBytes, r.DiskHeadroom)}
	}
	return d
}

// newVolume has the free bytes that are told, of at most mostBytes: a file system
// without an end, as of a network, tells the largest number there is.
func newVolume(total, usable int64, headroom float64) volume {
	if over := total - mostBytes; over > 0 {
		total, usable = mostBytes, max(0, usable-over)
	}
	usable = min(usable, total)
	return volume{total, usable, usable - int64(math.Ceil(headroom*float64(total)))}
}

// volumeOf is the volume of a log dir. Dirs with equal totals and usable bytes
// may share one, and count once: rather too little room than a full disk.
func (d *disk) volumeOf(l LogDir, headroom float64) int {
	v := newVolume(l.TotalBytes, l.UsableBytes, headroom)
	if i := slices.Index(d.volumes, v); i >= 0 {
		return i
	}
	d.volumes = append(d.volumes, v)
	return len(d.volumes) - 1
}

// sizes sums up total and used bytes, each to mostBytes.
func (d *disk) sizes() (total, used int64) {
	for _, v := range d.volumes {
		total = min(total+v.total, mostBytes)
		used = min(used+v.total-v.usable, mostBytes)
	}
	return total, used
}

// room is what may come in all, to mostBytes.
func (d *disk) room() int64 {
	var sum int64
	for _, v := range d.volumes {
		sum = min(sum+max(0, v.room), mostBytes)
	}
	return sum
}

// fits is the size of the largest replica that has a place: in the roomiest
// volume if dirs are named, else in the dir that Kafka will take. Negative is
// not even an empty one.
func (d *disk) fits() int64 {
	if len(d.volumes) == 0 {
		return -1
	}
	return d.volumes[d.volumeAt(d.next())].room
}

// next is the log dir that the next replica goes to, or -1 if the dirs are not
// known. Kafka takes the one with the fewest logs, not the one with most room
// (LogManager.nextLogDirs). Which of equals that is nobody can tell: it may be the
// one with the least room.
func (d *disk) next() int {
	best := -1
	for k := range d.dirs {
		if best < 0 || d.better(k, best) {
			best = k
		}
	}
	return best
}

func (d *disk) better(k, than int) bool {
	a, b := d.volumes[d.dirs[k].volume].room, d.volumes[d.dirs[than].volume].room
	if d.named && a != b {
		return a > b
	}
	return cmp.Or(cmp.Compare(d.dirs[k].logs, d.dirs[than].logs), cmp.Compare(a, b)) < 0
}

func (d *disk) volumeAt(dir int) int {
	if dir < 0 {
		return 0
	}
	return d.dirs[dir].volume
}

// add puts a replica of s bytes into a log dir, -1 where dirs are not known;
// with -s and logs -1 it takes it out again.
func (d *disk) add(dir int, s int64, logs int) {
	if len(d.volumes) > 0 {
		d.volumes[d.volumeAt(dir)].room -= s
	}
	if dir >= 0 {
		d.dirs[dir].logs += logs
	}
}

// name is the path to ask for beforehand (AlterReplicaLogDirs): empty if there
// is no choice, or Kafka is left to choose.
func (d *disk) name(dir int) string {
	if dir < 0 || !d.named || len(d.dirs) < 2 {
		return ""
	}
	return d.dirs[dir].path
}
