package main

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// typed is a terminal on which each line is typed at its time; nobody types more.
func typed(at map[time.Duration]string) io.Reader {
	r, w := io.Pipe()
	for when, line := range at {
		time.AfterFunc(when, func() { io.WriteString(w, line+"\n") })
	}
	return r
}

// An approval from another shell left the reader of its question behind, which
// took the answer to the next one.
func TestAQuestionThatEndedTakesNoAnswerOfTheNext(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		typed map[time.Duration]string
		want  string // to a question asked from 3 s to 6 s, after one that was asked until 1 s
	}{
		{"the answer to the second", map[time.Duration]string{4 * time.Second: " yes "}, "yes"},
		{"what was typed between them is an answer to neither", map[time.Duration]string{2 * time.Second: "y", 4 * time.Second: "no"}, "no"},
		{"nor alone", map[time.Duration]string{2 * time.Second: "y"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := typed(tc.typed)
				defer r.(*io.PipeReader).Close()
				in := &lines{r: r}
				ask := func(limit time.Duration) (string, error) {
					ctx, cancel := context.WithTimeout(t.Context(), limit)
					defer cancel()
					return in.read(ctx)
				}
				if line, err := ask(time.Second); line != "" || err == nil {
					t.Errorf("the first got %q, %v", line, err)
				}
				time.Sleep(2 * time.Second)
				line, err := ask(3 * time.Second)
				if line != tc.want || (err == nil) != (tc.want != "") {
					t.Errorf("the second got %q, %v; want %q", line, err, tc.want)
				}
			})
		})
	}
}

func TestTheEndOfTheInputIsAnAnswerEachTime(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	go func() { io.WriteString(w, "y"); w.Close() }() // without a newline
	in := &lines{r: r}
	if line, err := in.read(t.Context()); line != "y" || err != nil {
		t.Errorf("got %q, %v", line, err)
	}
	for range 2 {
		if line, err := in.read(t.Context()); line != "" || err != io.EOF {
			t.Errorf("got %q, %v, want the end", line, err)
		}
	}
}
