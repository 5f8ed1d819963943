//go:build race

package plan_test

// raced says that the race detector is on, under which a test takes ten times as
// long.
const raced = true
