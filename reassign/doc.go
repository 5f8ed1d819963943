// Package reassign carries a plan out: it moves replicas and leadership in
// small windows, under a throttle, and gives every setting back.
//
// The two types that matter are [Driver], which does it, and [Debt], a setting
// that was changed and must be restored. Deciding is apart from acting: the
// scheduler is a pure function from what is waiting and what was observed to
// what may start. It does not decide where a replica goes (package plan), and
// it keeps no state of its own: what must survive a crash goes to the [Ledger]
// before it is done.
//
// A move has three parts: leadership goes to the survivor that feeds the copy,
// Kafka copies, and the final order and leader are set. The first comes before
// the move, in small batches; where the broker that leaves is cordoned, so that
// Kafka refuses the list that would do it, it comes with the move. Internal
// topics, whose leaders are coordinators, go beside the others but in requests
// of their own, a few at a time.
package reassign
