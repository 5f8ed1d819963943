package plan

// reason is why a slot has no place, or has one only with a word about it.
type reason uint8

const (
	placed   reason = iota
	rackless        // goes to a broker without a rack
	// From here on it is a finding.
	spaceUnknown // only brokers of unknown space are left
	tooFew       // no broker is left without a replica of it
	full         // brokers are left, and none has room
	needsHelp    // there is room once another replica has moved; see helper
)

// whyNot tells a slot without any free broker from one without room.
func (d *drain) whyNot(s *slot) reason {
	t := &d.tasks[s.task]
	for r := range d.racks {
		for _, at := range d.racks[r].eligible {
			if !d.holds(t, at) {
				return full
			}
		}
	}
	return tooFew
}
