package main

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// readLine reads one line, or gives up when the context ends. The reading
// goroutine is then left to the end of the process: a terminal cannot be
// interrupted.
func readLine(ctx context.Context, r io.Reader) (string, error) {
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		line, err := bufio.NewReader(r).ReadString('\n')
		if line != "" {
			err = nil
		}
		got <- answer{strings.TrimSpace(line), err}
	}()
	select {
	case a := <-got:
		return a.line, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
