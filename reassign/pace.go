package reassign

import (
	"fmt"
	"time"
)

// The rules of the adaptive throttle. A period is longer than the quota's window
// and a look.
const (
	period      = 15 * time.Second
	holdPeriods = 4 // after a cut: two lag times
	calmPeriods = 2 // without an ISR event before a raise
	slowPeriods = 2 // of slow answers before a cut
	mutePeriods = 2 // without an answer before the floor
	leastStep   = 5_000_000
	firstShare  = 4   // the first rate is the maximum over this
	used        = 0.7 // of a rate: under it the rate is not what limits
)

// signals are what a period showed of one lane.
type signals struct {
	achieved int64   // bytes a second
	busy     bool    // there was enough to copy to use the rate
	slowness float64 // time of a small request, as a multiple of before; 0: not asked
	shrunk   bool    // a replica that is not moved left an ISR here
	mute     bool    // the broker did not answer
	floor    int64   // under it the moves in flight would not end
}

// pace is the throttle of one lane that adapts. It is a value: next returns
// another one.
type pace struct {
	rate  int64 // in force
	aim   int64 // raised step by step until it is worth a change
	hold  int   // periods before it may be raised or trimmed
	calm  int   // periods without an ISR event
	slow  int   // periods of slow answers
	muted int   // periods without an answer
}

// firstPace starts low, at a part of the maximum.
func firstPace(most int64) pace {
	rate := max(1, most/firstShare)
	return pace{rate: rate, aim: rate}
}

// next decides the rate of the next period, and says why it changed. It is never
// over most, even if the floor is: then fewer moves have to be in flight. A
// change of a tenth or less is not made.
func (p pace) next(s signals, most int64) (pace, string) {
	p = p.count(s)
	rate, why, cut := p.judge(s, most)
	if rate < s.floor {
		rate, why = s.floor, fmt.Sprintf("the moves in flight need %s to end", rateText(s.floor))
	}
	p.aim = min(rate, most)
	if cut {
		p.hold, p.slow = holdPeriods, 0
	}
	within := p.rate <= most && p.rate >= min(s.floor, most)
	if diff := p.aim - p.rate; diff == 0 || within && 10*max(diff, -diff) <= p.rate {
		return p, ""
	}
	p.rate = p.aim
	return p, why
}

// count takes the period in.
func (p pace) count(s signals) pace {
	p.hold = max(0, p.hold-1)
	p.calm++
	if s.shrunk {
		p.calm = 0
	}
	if p.slow++; s.slowness <= 3 {
		p.slow = 0
	}
	if p.muted++; !s.mute {
		p.muted = 0
	}
	return p
}

// judge returns the rate, why it changes, and whether that is a cut for the
// sake of others.
func (p pace) judge(s signals, most int64) (rate int64, why string, cut bool) {
	switch {
	case p.muted >= mutePeriods:
		return s.floor, "the broker does not answer", false
	case s.mute:
		return p.rate, "", false
	case s.shrunk:
		return p.rate / 2, "a replica that is not moved left its ISR", true
	case p.slow >= slowPeriods:
		return p.rate / 2, fmt.Sprintf("requests take %.1f times as long as before", s.slowness), true
	case p.hold > 0:
		return p.rate, "", false
	case s.busy && float64(s.achieved) < used*float64(p.rate):
		return s.achieved * 6 / 5, fmt.Sprintf("only %s of it was used", rateText(s.achieved)), false
	case float64(s.achieved) > 0.85*float64(p.rate) && s.slowness < 1.5 && p.calm >= calmPeriods:
		return max(p.aim, p.rate) + max(leastStep, most/20), "it is used, and nobody suffers", false
	}
	return p.rate, "", false
}
