package plan

// keys are the names that the members of an object may have. One program writes
// them always in the same order, so that which comes next is nearly always known:
// it is then compared and not looked up.
type keys struct {
	names  []string
	quoted []string // as they stand in a file, with quotes and colon
	after  []int    // by name, from 1, and 0 for the first: which one followed last time
}

func newKeys(names ...string) *keys {
	k := &keys{names: names, after: make([]int, len(names)+1)}
	for _, name := range names {
		k.quoted = append(k.quoted, `"`+name+`":`)
	}
	return k
}

// object calls field for each key; field reads the value, and key is good until
// then. A key of the names that comes twice is an error: the file would mean
// two things.
func (s *scanner) object(k *keys, field func(name int)) {
	s.expect('{')
	var seen uint64
	last := -1
	for more := s.peek() != '}'; more && s.err == nil; more = s.comma('}') {
		name := s.nextKey(k, last)
		if name < 0 {
			s.skip(0)
			continue
		}
		if seen&(1<<name) != 0 {
			s.fail("the key %q is there twice", k.names[name])
		}
		seen |= 1 << name
		last = name
		field(name)
	}
	s.expect('}')
}

// nextKey reads a key and the colon, and returns its place among the names, or -1.
func (s *scanner) nextKey(k *keys, last int) int {
	guess := k.after[last+1]
	if q := k.quoted[guess]; s.end-s.pos >= len(q) && string(s.buf[s.pos:s.pos+len(q)]) == q {
		s.pos += len(q)
		return guess
	}
	name := s.key(k.names)
	if name >= 0 {
		k.after[last+1] = name
	}
	return name
}

// key looks a key up.
func (s *scanner) key(names []string) int {
	key := s.string()
	at := -1
	for i, name := range names {
		if string(key) == name {
			at = i
			break
		}
	}
	s.expect(':') // may read on, over the key
	return at
}
