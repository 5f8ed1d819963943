package executor

import (
	"fmt"

	"drain/plan"
)

// foreignRisk is the finding of a move that is not ours.
const foreignRisk = "foreign-move"

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
		records, err := readDated(path)
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
