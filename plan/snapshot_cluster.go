package plan

func (r *snapshotReader) cluster() {
	h := &r.b.Head
	names := newKeys(
		"id", "mode", "controllerId", "release", "metadataVersion", "elr",
		"minInsyncReplicasDefault", "uncleanDefault", "quorum", "releases", "heard", "throttle")
	r.object(names, func(name int) {
		if name != 7 && r.null() {
			return
		}
		switch name {
		case 0:
			h.ID = string(r.string())
		case 1:
			h.Mode = ControllerMode(r.oneOf("kraft", "zookeeper"))
		case 2:
			h.ControllerID = r.int32()
		case 3:
			h.Release = string(r.string())
		case 4:
			h.MetadataVersion = int(r.int32())
		case 5:
			h.ELR = r.bool()
		case 6:
			h.MinISRDefault = max(1, int(r.int32()))
		case 7:
			h.UncleanDefault = r.tristate()
		case 8:
			h.Quorum = r.quorum()
		case 9:
			r.array(func() { h.Releases = append(h.Releases, string(r.string())) })
		case 10:
			r.array(func() { h.Heard = append(h.Heard, r.heard()) })
		case 11:
			h.Throttle = r.throttle()
		}
	})
}

func (r *snapshotReader) throttle() Throttle {
	var t Throttle
	r.object(newKeys("leader", "follower"), func(name int) {
		if name == 0 {
			t.Leader = max(0, r.int64())
		} else {
			t.Follower = max(0, r.int64())
		}
	})
	return t
}

// tristate reads true, false, or null for unknown.
func (r *snapshotReader) tristate() Tristate {
	switch {
	case r.null():
		return Maybe
	case r.bool():
		return On
	}
	return Off
}

func (r *snapshotReader) quorum() *Quorum {
	q := &Quorum{LeaderID: -1}
	r.object(newKeys("leaderId", "voters", "lagging"), func(name int) {
		switch name {
		case 0:
			q.LeaderID = r.int32()
		case 1:
			r.array(func() { q.Voters = append(q.Voters, r.voter()) })
		case 2:
			q.Lagging = r.int32s(nil)
		}
	})
	return q
}

func (r *snapshotReader) heard() Heard {
	h := Heard{ID: -1}
	r.object(newKeys("id", "at"), func(name int) {
		if name == 0 {
			h.ID = r.int32()
		} else {
			h.At = r.time()
		}
	})
	return h
}

func (r *snapshotReader) voter() Voter {
	v := Voter{ID: -1}
	r.object(newKeys("id", "host"), func(name int) {
		if name == 0 {
			v.ID = r.int32()
		} else if !r.null() {
			v.Host = string(r.string())
		}
	})
	return v
}
