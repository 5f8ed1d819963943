//go:build !race

package reassign

const raced = false
