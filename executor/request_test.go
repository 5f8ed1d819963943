package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/reassign"
)

func (r *rig) send(req Request) {
	r.Helper()
	req.Who = "somebody"
	if err := Send(r.files(), req); err != nil {
		r.Error(err)
	}
}

func TestAThrottleReachesALiveRunAndTheNext(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		time.AfterFunc(10*time.Second, func() { r.send(Request{Kind: AskThrottle, BytesPerSec: 40_000_000}) })
		var rates []string
		time.AfterFunc(14*time.Second, func() {
			for _, b := range r.sim.State().Brokers {
				if v, ok := b.Configs[reassign.FollowerRate]; ok {
					rates = append(rates, v)
				}
			}
		})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if len(rates) == 0 || slices.ContainsFunc(rates, func(v string) bool { return v != "40000000" }) {
			r.Errorf("4 s after it was asked for, the rates are %v", rates)
		}
	})
	// Sent while nobody is alive it is for the next run; a cancel is not.
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.send(Request{Kind: AskThrottle, BytesPerSec: 40_000_000})
		r.send(Request{Kind: AskCancel})
		r.send(Request{Kind: AskApprove})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if !slices.ContainsFunc(r.records(), func(rec Record) bool { return rec.Kind == KindThrottle && *rec.Throttle == 40_000_000 }) {
			r.Error("the throttle is not in the journal")
		}
	})
}

// A cancel that came while a restore asked its question was dropped as one for the
// run before, and the restore went on. A throttle that came then was lost.
func TestARestoreThatAsksIsReached(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		ask  confirms // meanwhile
		want error    // nil: it is carried out, at the rate that was asked for
	}{
		{"cancelled, and nobody answers", func(ctx context.Context, r *rig) (Answer, error) {
			r.send(Request{Kind: AskCancel})
			<-ctx.Done()
			return Answer{}, context.Cause(ctx)
		}, ErrCancelled},
		{"cancelled, and the answer is yes", func(_ context.Context, r *rig) (Answer, error) {
			r.send(Request{Kind: AskCancel})
			return Answer{Who: "person"}, nil
		}, ErrCancelled},
		{"a throttle", func(_ context.Context, r *rig) (Answer, error) {
			r.send(Request{Kind: AskThrottle, BytesPerSec: 40_000_000})
			r.send(Request{Kind: AskApprove})
			r.pause(time.Minute)
			return Answer{Who: "person"}, nil
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.maintained()
				r.send(Request{Kind: AskCancel}) // for the run, which is over
				there := fmt.Sprint(assignment(r.sim.State()))
				client := r.dial()
				defer client.Close()
				cfg := r.config(client)
				cfg.Yes, cfg.Confirmer = false, asking{r, tc.ask}
				_, _, err := Restore(r.Context(), cfg)
				if !errors.Is(err, tc.want) {
					r.Fatalf("got %v, want %v", err, tc.want)
				}
				if tc.want == nil {
					if rate := fold(r.records()).throttle; rate == nil || *rate != 40_000_000 {
						r.Errorf("the rate is %v", rate)
					}
					r.untouched(before)
					return
				}
				if now := fmt.Sprint(assignment(r.sim.State())); now != there {
					r.Errorf("the cluster is\n%s\nand was\n%s", now, there)
				}
				if _, err := r.restore(r.Context()); err != nil {
					r.Fatal(err)
				}
				r.untouched(before)
			})
		})
	}
}

// confirms is what happens while a person is asked.
type confirms func(context.Context, *rig) (Answer, error)

type asking struct {
	rig *rig
	ask confirms
}

func (a asking) Ask(ctx context.Context, _ string) (Answer, error) { return a.ask(ctx, a.rig) }

func TestALineThatIsNoRequestDoesNotHoldTheOthersUp(t *testing.T) {
	t.Parallel()
	files := filesIn(t)
	if err := Send(files, Request{Kind: AskCancel, Who: "a"}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(files.Requests(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("please stop\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Send(files, Request{Kind: AskThrottle, BytesPerSec: 5, Who: "b"}); err != nil {
		t.Fatal(err)
	}
	got, err := receive(files, allKinds...)
	if err == nil || len(got) != 2 || got[0].Who != "a" || got[1].BytesPerSec != 5 {
		t.Errorf("got %+v, %v; want both requests and an error about the third line", got, err)
	}
	if again, err := receive(files, allKinds...); len(again) > 0 || err != nil {
		t.Errorf("taken twice: %+v, %v", again, err)
	}
}

// sentOf is how many requests of a kind that change something were sent.
func sentOf(r *rig, key int16) int {
	n := 0
	for _, c := range r.sim.Requests() {
		if c.Request.Key() == key {
			n++
		}
	}
	return n
}

func inFlight(s simkafka.Spec) int {
	n := 0
	for _, t := range s.Topics {
		for _, p := range t.Partitions {
			if len(p.Adding)+len(p.Removing) > 0 {
				n++
			}
		}
	}
	return n
}
