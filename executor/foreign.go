package executor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

// foreignRisk is the finding of a move that is not ours.
const foreignRisk = "foreign-move"

// lookShare bounds how much of a wait is spent on pictures of the cluster: the next
// comes no sooner than after this many times what one took.
const lookShare = 5

// awaitForeign looks, and looks again while nothing stands in the way but moves of
// others, for as long as the runbook waits for them.
func (r *run) awaitForeign(ctx context.Context, look func() ([]plan.Finding, error)) error {
	end := time.Now().Add(r.cfg.Runbook.WaitForForeign)
	for told := false; ; told = true {
		began := time.Now()
		findings, err := look()
		if err != nil || !onlyForeign(findings) {
			return err
		}
		took, left := time.Since(began), time.Until(end)
		if left <= 0 {
			return nil
		}
		if !told {
			r.event(Event{Kind: EventWait, Until: end, Text: foreignText(plan.Blocking(findings), end)})
		}
		if err := pause(ctx, min(left, max(r.cfg.Runbook.Poll, lookShare*took))); err != nil {
			return err
		}
	}
}

// onlyForeign says that moves of others block, and nothing else does.
func onlyForeign(findings []plan.Finding) bool {
	bad := plan.Blocking(findings)
	return len(bad) > 0 && !slices.ContainsFunc(bad, func(f plan.Finding) bool { return f.Risk != foreignRisk })
}

func foreignText(bad []plan.Finding, end time.Time) string {
	text := fmt.Sprintf("waiting until %s: %s", end.Format(time.RFC3339), bad[0].Message)
	if n := len(bad) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return text
}

// nameOwners tells of moves that somebody else has under way whose they are, if
// the journal of another runbook in the state folder has them: a drain that was
// interrupted is waited for in vain.
func (r *run) nameOwners(cluster string, findings []plan.Finding) {
	var owners map[Partition]string
	for i := range findings {
		f := &findings[i]
		if f.Risk != foreignRisk {
			continue
		}
		if owners == nil {
			owners = r.otherMoves(cluster)
		}
		if by := owners[Partition{Topic: f.Topic, Partition: f.Partition}]; by != "" {
			f.Message += fmt.Sprintf("; it is a move of the run of %s, which is not over", by)
			f.Remedy = fmt.Sprintf("bring that to its end with `drain run %s`, or take its moves back with `drain cancel %s`", by, by)
		}
	}
}

// otherMoves are the moves that open journals of other runbooks of this cluster
// have asked for and not seen complete, with their runbook. A journal that cannot
// be read is its own runbook's concern.
func (r *run) otherMoves(cluster string) map[Partition]string {
	owners := map[Partition]string{}
	paths, err := r.files.others()
	if err != nil {
		r.log.Warn("journals of other runbooks cannot be listed", "err", err)
	}
	for _, path := range paths {
		records, err := readJournal(path)
		if err != nil || len(records) == 0 || ended(records) || records[0].Header.Cluster != cluster {
			continue
		}
		h := fold(records)
		for _, m := range h.own() {
			owners[Partition(m.TopicPartition)] = h.header.Runbook
		}
	}
	return owners
}
