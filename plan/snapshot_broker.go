package plan

func (r *snapshotReader) broker() {
	r.what, r.number = "broker", -1
	b := Broker{ID: -1, CapacityBytes: Unknown, UsableBytes: Unknown}
	names := newKeys("id", "rack", "host", "port", "state", "cordoned", "capacityBytes", "usableBytes", "logDirs", "throttle")
	r.object(names, func(name int) {
		if r.null() {
			return
		}
		switch name {
		case 0:
			b.ID = r.int32()
			r.number = b.ID
		case 1:
			b.Rack = string(r.string())
		case 2:
			b.Host = string(r.string())
		case 3:
			b.Port = r.int32()
		case 4:
			b.State = State(r.oneOf("alive", "fenced", "shuttingDown", "down"))
		case 5:
			b.Cordoned = r.bool()
		case 6:
			b.CapacityBytes = r.bytes()
		case 7:
			b.UsableBytes = r.bytes()
		case 8:
			r.array(func() { b.LogDirs = append(b.LogDirs, r.logDir()) })
		case 9:
			b.Throttle = r.throttle()
		}
	})
	if b.ID < 0 {
		r.fail("a broker has no id of 0 or more")
	}
	r.b.Broker(b)
}

// bytes reads a number of bytes; -1 is unknown, as Kafka answers.
func (r *snapshotReader) bytes() int64 {
	n := r.int64()
	if n < Unknown {
		r.fail("%d is no number of bytes", n)
	}
	return n
}

func (r *snapshotReader) logDir() LogDir {
	l := LogDir{TotalBytes: Unknown, UsableBytes: Unknown}
	r.object(newKeys("path", "totalBytes", "usableBytes", "offline", "replicas"), func(name int) {
		if r.null() {
			return
		}
		switch name {
		case 0:
			l.Path = string(r.string())
		case 1:
			l.TotalBytes = r.bytes()
		case 2:
			l.UsableBytes = r.bytes()
		case 3:
			l.Offline = r.bool()
		case 4:
			l.Replicas = int(r.int32())
		}
	})
	return l
}
