package executor

import (
	"testing"

	"drain/plan"
)

func TestAMoveThatNeedsRoomMadeFirstIsRefused(t *testing.T) {
	t.Parallel()
	move := func(number int32, wave int) plan.Move {
		return plan.Move{TopicPartition: plan.TopicPartition{Topic: "t", Partition: number}, Wave: wave}
	}
	if got := secondWave(preflight{plan: plan.Plan{Moves: []plan.Move{move(0, 0)}}}); len(got) != 0 {
		t.Errorf("one wave: got %v, want nothing", got)
	}
	got := secondWave(preflight{plan: plan.Plan{Moves: []plan.Move{move(0, 0), move(1, 1)}}})
	if len(got) != 1 || got[0].Level != plan.Block || got[0].Partition != 1 {
		t.Errorf("two waves: got %v, want a block about t-1", got)
	}
}
