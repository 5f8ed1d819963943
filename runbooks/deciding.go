package runbooks

import (
	"encoding/json"
	"slices"
)

// Deciding is the part of the runbook that decides the moves, in a form that is the
// same for runbooks that mean the same: brokers, which cluster, mode,
// destinations, excludes, steps and the stop. A run that was interrupted under other
// bytes is not resumed. What may change between the runs (throttle, limits, times,
// risks, exit codes of the stop that are fine, texts) is not in it, nor are logins
// and certificates, which are renewed, and the addresses that are asked first: one
// may be that of a broker which was stopped. The journal knows the cluster by its id.
func (r Runbook) Deciding() []byte {
	type step struct {
		Kind    StepKind
		Run     []string `json:",omitempty"`
		Timeout string   `json:",omitempty"`
		Repeat  bool     `json:",omitempty"`
	}
	steps := make([]step, len(r.Steps))
	for i, s := range r.Steps {
		steps[i].Kind = s.Kind
		if s.Run != nil {
			steps[i] = step{s.Kind, s.Run.Command, formatDuration(s.Run.Timeout), s.Run.Repeat}
		}
	}
	patterns := make([]string, len(r.ExcludeTopics))
	for i, p := range r.ExcludeTopics {
		patterns[i] = p.String()
	}
	b, err := json.Marshal(struct {
		Brokers                []int32 // in order: it is that of the stops
		Simulated, ID          string
		Mode                   Mode
		Destinations, Exclude  []int32
		DestinationRacks       []string
		ExcludeTopics          []string
		Steps                  []step
		StopCommand, StopProbe []string
		StopTimeout            string
	}{
		append([]int32{}, r.Brokers...), r.Cluster.Simulated, r.Cluster.ID, r.Mode,
		ordered(r.Destinations), ordered(r.Exclude), ordered(r.DestinationRacks), ordered(patterns), steps,
		append([]string{}, r.Stop.Command...), append([]string{}, r.Stop.Probe...), formatDuration(r.Stop.Timeout),
	})
	if err != nil {
		panic("runbooks: texts and numbers cannot be encoded: " + err.Error())
	}
	return b
}

// ordered is a sorted copy, never nil: the order of these lists says nothing.
func ordered[T int32 | string](list []T) []T {
	c := append([]T{}, list...)
	slices.Sort(c)
	return c
}
