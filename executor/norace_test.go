//go:build !race

package executor

const raced = false
