package reassign

import (
	"maps"
	"slices"

	"drain/plan"
)

// cover is what one move needs of settings while Kafka copies it.
type cover struct {
	plan.TopicPartition
	from   []int32 // its replicas, any of which may come to lead: leader side
	to     []int32 // the added ones: follower side
	listed bool    // in the lists; else only its rates and its min ISR stand
	factor int     // its topic's min ISR is over the factor; 0: it is not
}

// wish is what the settings should be.
type wish struct {
	rate   func(Lane) int64  // of the brokers that the lists name; nil: no throttle
	soft   func(Lane) int64  // how far it has risen; nil: wholly
	anew   func(Lane) bool   // it begins to rise, and may be lowered for that; nil: none does
	why    func(Lane) string // the reason of the rate; nil: a person asked for it
	covers []cover
	keep   func(setting) bool // made before, and soon needed again
}

// want is what one setting should be: at least these entries, or at most limit,
// and for now no more than soft.
type want struct {
	entries     []string
	limit, soft int64
	anew        bool // and it may be lowered to that
	why         string
}

// wants spells the wish out.
func (w wish) wants() map[setting]want {
	all := map[setting]want{}
	for _, c := range w.covers {
		if c.factor > 0 {
			all[setting{OfTopic(c.Topic), MinISR}] = want{limit: int64(c.factor)}
		}
		if w.rate == nil {
			continue
		}
		for _, s := range c.rates() {
			at := s.lane()
			all[s] = want{limit: w.rate(at), soft: w.softly(at), anew: w.anew != nil && w.anew(at), why: w.reason(at)}
		}
		if c.listed {
			list(all, c, LeaderList, c.from)
			list(all, c, FollowerList, c.to)
		}
	}
	return all
}

func (w wish) softly(at Lane) int64 {
	if w.soft == nil {
		return w.rate(at)
	}
	return w.soft(at)
}

func (w wish) reason(at Lane) string {
	if w.why == nil {
		return ""
	}
	return w.why(at)
}

func list(all map[setting]want, c cover, key string, brokers []int32) {
	s := setting{OfTopic(c.Topic), key}
	w := all[s]
	for _, b := range brokers {
		w.entries = append(w.entries, entry(c.Partition, b))
	}
	all[s] = w
}

func (c cover) rates() []setting {
	var rates []setting
	for _, b := range c.from {
		rates = append(rates, setting{OfBroker(b), LeaderRate})
	}
	for _, b := range c.to {
		rates = append(rates, setting{OfBroker(b), FollowerRate})
	}
	return rates
}

// lane is what the rate of a broker limits.
func (s setting) lane() Lane { return Lane{s.Broker(), s.Key == LeaderRate} }

// needs lists the settings that must stand before the move may start.
func (c cover) needs() []setting {
	needs := []setting{{OfTopic(c.Topic), LeaderList}, {OfTopic(c.Topic), FollowerList}, {OfTopic(c.Topic), MinISR}}
	return append(needs, c.rates()...)
}

// resources lists the owners of the settings once each, sorted.
func resources[V any](settings map[setting]V) []Resource {
	seen := map[Resource]bool{}
	var all []Resource
	for _, s := range slices.SortedFunc(maps.Keys(settings), compareSettings) {
		if !seen[s.Resource] {
			seen[s.Resource] = true
			all = append(all, s.Resource)
		}
	}
	return all
}
