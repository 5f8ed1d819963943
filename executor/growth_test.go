package executor

import (
	"testing"

	"drain/plan"
)

// A throttle that what is written uses up is refused before anything is changed,
// with the least that can end; one above it is not.
func TestAThrottleUnderWhatIsWrittenIsRefused(t *testing.T) {
	t.Parallel()
	spec := incident()
	simulate(t, spec, plainRunbook, func(r *rig) {
		const written = 400_000 // to log-0, whose one replica leaves
		if err := r.sim.Write(plan.TopicPartition{Topic: "log"}, written); err != nil {
			r.Fatal(err)
		}
		r.rb.Throttle.BytesPerSec = 300_000
		r.rb.Deadline = 0
		done, err := r.run()
		// 400 kB/s at 0.93 of the throttle, and a fifth more.
		r.wants(err, ErrRefused, "throttle-too-long", "can never catch up", "set a throttle of 516 kB/s or more")
		if done.Changed {
			r.Error("it has changed something")
		}
		r.untouched(spec)

		r.rb.Throttle.BytesPerSec = 2_000_000
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(spec, 1)
	})
}
