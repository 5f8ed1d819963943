package reassign

import "strconv"

// ruling is what becomes of a setting that must not exceed a limit.
type ruling struct {
	set     string // to be put there; empty: nothing
	stands  int64  // what then applies
	yielded bool   // somebody else's lower value stays
}

// ruleRate decides the rate of a broker. An operator's own lower rate stays,
// be it the broker's or the cluster-wide default, unless accept is set. The
// default is never relied on: before 3.9 Kafka stored and ignored it.
func ruleRate(c ResourceConfig, key string, want int64, d Debt, owed, accept bool) ruling {
	if n, ok := number(c, key, DynamicDefault); ok && !accept {
		want = min(want, max(n, 1))
	}
	value, has := c.At(key, DynamicBroker)
	text := strconv.FormatInt(want, 10)
	if has && value == text {
		return ruling{stands: want}
	}
	n, isNumber := number(c, key, DynamicBroker)
	if foreign := has && !(owed && d.ours(value)); foreign && isNumber && n <= want && !accept {
		return ruling{stands: max(n, 1), yielded: true}
	}
	return ruling{set: text, stands: want}
}

// softly is the ruling for a rate that has risen as far as the want says. It
// does not fall for that unless it begins anew: a run that goes on after another
// finds it risen.
func (r ruling) softly(w want, c ResourceConfig, key string, d Debt, owed bool) ruling {
	soft := w.soft
	value, has := c.At(key, DynamicBroker)
	if n, ok := number(c, key, DynamicBroker); ok && owed && d.ours(value) && !w.anew {
		soft = max(soft, n)
	}
	if foreign := r.yielded || r.set == "" && !owed; foreign || soft >= r.stands {
		return r
	}
	text := strconv.FormatInt(soft, 10)
	if has && value == text {
		return ruling{stands: soft}
	}
	return ruling{set: text, stands: soft}
}

// ruleMinISR decides the min.insync.replicas of a topic whose replication
// factor is under it. While a partition of it moves it has more replicas than
// its factor, the effective minimum rises, and every acks=all write would fail
// until the copy is in sync; before and afterwards the factor is the effective
// minimum, so nothing is lost (KAFKA-15583).
func ruleMinISR(c ResourceConfig, factor int) ruling {
	for _, layer := range []Layer{DynamicTopic, DynamicBroker, DynamicDefault, Static, Default} {
		n, ok := number(c, MinISR, layer)
		switch {
		case ok && n > int64(factor):
			return ruling{set: strconv.Itoa(factor), stands: int64(factor)}
		case ok:
			return ruling{stands: n}
		}
	}
	return ruling{}
}

func number(c ResourceConfig, key string, layer Layer) (int64, bool) {
	value, ok := c.At(key, layer)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil
}
