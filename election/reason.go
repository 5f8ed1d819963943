package election

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Reason says in words for a person why the outcome is what it is. It names
// the brokers, and for a partition without a clean leader why each replica
// does not fit.
func (res Result) Reason() string {
	switch res.Outcome {
	case Leaderless:
		return res.whyLeaderless()
	case UncleanLeader:
		return fmt.Sprintf("no replica in sync is left, and with unclean election on broker %d, which is out of sync, takes over: what it lacks is lost (%s)",
			res.Leader, res.scene.unfit())
	case UnderMinISR:
		return fmt.Sprintf("led by %d with %d in sync (%s), but acks=all needs %d: such writes are refused", res.Leader, len(res.ISR), names(res.ISR), res.MinISR)
	case Elected:
		return fmt.Sprintf("leadership moves from %d to %d", res.scene.before.Leader, res.Leader)
	}
	if res.Leader == NoLeader {
		return "leaderless already"
	}
	if res.Touched {
		return fmt.Sprintf("still led by %d, with %s in sync", res.Leader, names(res.ISR))
	}
	return fmt.Sprintf("still led by %d", res.Leader)
}

func (res *Result) whyLeaderless() string {
	words := "nobody is left to lead: " + res.scene.unfit()
	if res.WasUnclean {
		words += "; on the way a broker out of sync may lead for a moment, and what it lacks is lost"
	}
	if res.UncleanUnknown {
		words += "; should unclean election be on, a broker out of sync takes over instead"
	}
	return words
}

// unfit says for each replica why it may not lead cleanly.
func (s *scene) unfit() string {
	fits := make([]string, 0, len(s.before.Replicas))
	for _, id := range s.before.Replicas {
		fits = append(fits, strconv.Itoa(int(id))+" "+s.unfitness(id))
	}
	return strings.Join(fits, ", ")
}

func (s *scene) unfitness(id int32) string {
	p := &s.before
	inSync := slices.Contains(p.ISR, id)
	eligible := slices.Contains(p.ELR, id)
	switch {
	case slices.Contains(s.dead, id) && inSync && len(p.ISR) == 1:
		return "goes and is the only one in sync"
	case slices.Contains(s.dead, id):
		return "goes"
	case !s.live(id) && (inSync || eligible):
		return "is in sync but not alive"
	case !s.live(id): // Metadata has its replicas offline as well
		return "is not alive"
	case slices.Contains(p.Offline, id):
		return "has its log dir offline"
	case slices.Contains(p.Adding, id):
		return "is still being copied"
	}
	return "is not in sync"
}

// names lists brokers as "nobody", "2" or "2, 3".
func names(ids []int32) string {
	if len(ids) == 0 {
		return "nobody"
	}
	sorted := slices.Sorted(slices.Values(ids))
	words := make([]string, len(sorted))
	for i, id := range sorted {
		words[i] = strconv.Itoa(int(id))
	}
	return strings.Join(words, ", ")
}
