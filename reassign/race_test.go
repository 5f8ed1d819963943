//go:build race

package reassign

// raced says that the race detector is on, under which the largest simulation
// takes ten times as long.
const raced = true

// stride is the step from one point of a crash to the next.
func stride() int { return 7 }
