//go:build !race

package reassign

const raced = false

// stride is the step from one point of a crash to the next.
func stride() int { return 1 }
