//go:build race

package reassign

// raced says that the race detector is on, under which the largest simulation
// takes ten times as long.
const raced = true
