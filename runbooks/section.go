package runbooks

import "gopkg.in/yaml.v3"

type node = yaml.Node

// section is the value of a key that holds other keys. made makes the place for
// them, and given reports whether it is there.
func section(want string, made func(*Runbook), given func(Runbook) bool) value[Runbook] {
	return value[Runbook]{
		want:    want,
		section: true,
		holds:   func(Runbook) bool { return true },
		read: func(d *reader, n *node, path string, into *Runbook) {
			if n.Kind != yaml.MappingNode {
				d.wrongKind(n, path, want)
				return
			}
			made(into)
			readSection(d, keys(), path, n, into)
		},
		// A flag can only say that the section is there, as --tls does.
		set: func(into *Runbook, words []string) error {
			on, err := boolean().parse(words)
			if err == nil && !on {
				err = refusal("leave it out", "can only be true")
			}
			made(into)
			return err
		},
		clear: func(*Runbook) {},
		print: func(Runbook) string { return "{}" },
		same:  func(a, b Runbook) bool { return given(a) == given(b) },
	}
}

// throttle is a rate, or the keys under it.
func throttle() value[Runbook] {
	v := bind(rate(), func(r *Runbook) *Throttle { return &r.Throttle })
	short := v.read
	v.want += ", or {max: 200MB/s, adaptive: true}"
	v.holds = func(r Runbook) bool {
		return r.Throttle.Adaptive || r.Present["throttle.max"] || r.Present["throttle.adaptive"]
	}
	v.read = func(d *reader, n *node, path string, into *Runbook) {
		if n.Kind == yaml.MappingNode {
			readSection(d, keys(), path, n, into)
			return
		}
		short(d, n, path, into)
	}
	return v
}
