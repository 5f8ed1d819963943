//go:build race

package executor

// raced says that the race detector is on, under which a run takes ten times as
// long.
const raced = true
