package plan

import "io"

// expectFile makes room for as many partitions as a file can hold, if r is one and
// tells its length. The arrays need not grow then, over and over, and what is never
// filled of them costs address space only.
func (r *snapshotReader) expectFile(file io.Reader) {
	const (
		shortest = 80      // bytes of a partition with three replicas and small numbers
		most     = 1 << 22 // partitions, whatever a length claims
	)
	if bytes := lengthOf(file); bytes > scanBuffer {
		r.b.parts.reserve(int(min(bytes/shortest, most)))
	}
}

// lengthOf is what is left of a file, 0 if that cannot be told, as of a pipe.
func lengthOf(r io.Reader) int64 {
	file, ok := r.(io.Seeker)
	if !ok {
		return 0
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	end, err := file.Seek(0, io.SeekEnd)
	if _, back := file.Seek(at, io.SeekStart); err != nil || back != nil {
		return 0
	}
	return end - at
}
