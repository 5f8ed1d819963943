package main

// painter colours words where the stream is a terminal and nobody said no
// (NO_COLOR, --no-color, TERM=dumb).
type painter bool

func (p painter) with(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p painter) bold(s string) string   { return p.with("1", s) }
func (p painter) dim(s string) string    { return p.with("2", s) }
func (p painter) red(s string) string    { return p.with("31", s) }
func (p painter) yellow(s string) string { return p.with("33", s) }
