package reassign

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"drain/plan"
)

// What fitted when it was planned need not fit when it starts: others write, too.
// So the disks of destinations are read again while moves wait for them, and a
// move starts only with room for all of it.

const (
	// spaceEvery is how old what is known of a disk may be.
	spaceEvery = 5 * time.Second
	// erasure is how long room that other moves have made may take to show: Kafka
	// erases a log that has left a minute later (file.delete.delay.ms).
	erasure = 2 * time.Minute
)

// disk is what a broker told of its volumes; none where it does not tell.
type disk struct {
	at      time.Time
	volumes []*volume
	offline bool // a log dir is
}

// volume is one volume, with the log dirs on it.
type volume struct {
	total, usable int64
	paths         []string
	free          int64 // without the headroom and what is in flight to it
}

// readRoom reads the disks of the brokers that moves wait for, or show no log on,
// and notes which of the moves lack room. A broker that does not answer for once
// has no more room for that.
func (d *Driver) readRoom(ctx context.Context, r *run) {
	if r.waitOnly {
		return
	}
	waits := r.in(func(t *track) bool { return t.stage == waiting })
	if stale := r.stale(); len(stale) > 0 {
		space, err := d.Disks.Space(ctx, stale)
		if err != nil && !r.spaceless {
			d.report(Event{Kind: Retried, Broker: -1, Text: fmt.Sprintf("read the free space of brokers: %v", err)})
		}
		r.spaceless = err != nil
		for _, b := range stale {
			k := r.disks[b] // without an answer, as it last told
			k.at = r.view.at
			if dirs, told := space[b]; told {
				k = r.disk(b, dirs)
			}
			r.disks[b] = k
		}
	}
	for _, t := range waits {
		was := t.cramped
		if t.cramped = r.lacksRoom(t); was != "" && t.cramped == "" {
			r.quiet, t.told = 0, false
		}
		if t.fullFor += r.gap; t.cramped == "" || r.awaited(t) != nil {
			t.fullFor = 0
		}
	}
}

// stale lists the live destinations whose disks were not read of late.
func (r *run) stale() []int32 {
	var stale []int32
	for _, t := range r.tracks {
		for _, b := range t.To {
			if (t.stage == waiting || r.logless(t, b)) && r.view.isLive(b) && r.view.at.Sub(r.disks[b].at) >= spaceEvery {
				stale = union(stale, []int32{b})
			}
		}
	}
	slices.Sort(stale)
	return stale
}

// disk takes in what a broker told. Log dirs of equal total and usable bytes may
// share a volume, so they count as one.
func (r *run) disk(broker int32, dirs []plan.LogDir) disk {
	k := disk{at: r.view.at, offline: slices.ContainsFunc(dirs, func(l plan.LogDir) bool { return l.Offline })}
	for _, l := range dirs {
		switch at := slices.IndexFunc(k.volumes, func(v *volume) bool { return v.total == l.TotalBytes && v.usable == l.UsableBytes }); {
		case l.Offline:
		case l.TotalBytes < 0 || l.UsableBytes < 0:
			k.volumes = nil
			return k
		case at >= 0:
			k.volumes[at].paths = append(k.volumes[at].paths, l.Path)
		default:
			headroom := int64(math.Ceil(r.opts.DiskHeadroom * float64(l.TotalBytes)))
			k.volumes = append(k.volumes, &volume{l.TotalBytes, l.UsableBytes, []string{l.Path}, l.UsableBytes - headroom})
		}
	}
	for _, t := range r.moving() {
		for i, to := range t.To {
			if v := k.of(t, i); v != nil && to == broker && !slices.Contains(t.state.ISR, to) {
				v.free -= t.left
			}
		}
	}
	return k
}

// of is the volume that the i-th new replica of the move will be on: the one
// that was named for it, else the roomiest, or nil if none is known.
func (k disk) of(t *track, i int) *volume {
	var best *volume
	for _, v := range k.volumes {
		if i < len(t.Dirs) && slices.Contains(v.paths, t.Dirs[i]) {
			return v
		}
		if best == nil || v.free > best.free {
			best = v
		}
	}
	return best
}

// lacksRoom says which room a move lacks, or "". A destination that does not
// tell is taken for roomy, as a person has accepted when it was planned; but not
// for the moves that were planned because of what it told.
func (r *run) lacksRoom(t *track) string {
	for i, b := range t.To {
		switch v := r.disks[b].of(t, i); {
		case v == nil && t.Wave > 0:
			return fmt.Sprintf("broker %d does not tell how much it has", b)
		case v != nil && v.free < t.left:
			return fmt.Sprintf("broker %d has room for %s beside what is in flight, and %s is needed",
				b, plan.FormatBytes(max(0, v.free)), plan.FormatBytes(t.left))
		}
	}
	return ""
}

// roomy leaves out of the moves that are to start those that no longer fit once
// the ones before them are in flight.
func (r *run) roomy(start []*track) []*track {
	return slices.DeleteFunc(start, func(t *track) bool {
		if r.lacksRoom(t) != "" {
			return true
		}
		for i, b := range t.To {
			if v := r.disks[b].of(t, i); v != nil {
				v.free -= t.left
			}
		}
		return false
	})
}

// awaited is a move of an earlier wave that has still to leave a destination of
// this one, or nil.
func (r *run) awaited(t *track) *track {
	if t.Wave == 0 {
		return nil
	}
	for _, o := range r.tracks {
		if o.Wave < t.Wave && !o.stage.over() && len(intersect(o.From, t.To)) > 0 {
			return o
		}
	}
	return nil
}

// awaitsErasure says that a move waits for the files of others to be erased.
func (r *run) awaitsErasure() bool {
	return slices.ContainsFunc(r.tracks, func(t *track) bool { return t.Wave > 0 && t.stage == waiting && t.cramped != "" })
}
