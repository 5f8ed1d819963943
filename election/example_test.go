package election_test

import (
	"fmt"

	"drain/election"
)

// The incident: a topic with one replica, on the broker that was stopped.
func ExampleCrash() {
	rules := election.Rules{Release: election.Release{Major: 3, Minor: 9}}
	everybody := func(int32) bool { return true }

	log := election.Partition{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}
	after := election.Crash(rules, everybody, log, []int32{1})
	fmt.Println("log-0:", after.Outcome, after.Leader, after.ISR)
	fmt.Println(after.Reason())

	orders := election.Partition{Leader: 1, Replicas: []int32{1, 2, 3}, ISR: []int32{3, 2, 1}}
	after = election.Crash(rules, everybody, orders, []int32{1})
	fmt.Println("orders-0:", after.Outcome, after.Leader, after.ISR)
	fmt.Println(after.Reason())
	// Output:
	// log-0: leaderless -1 [1]
	// nobody is left to lead: 1 goes and is the only one in sync
	// orders-0: elected 2 [3 2]
	// leadership moves from 1 to 2
}

// The same on a cluster that was formatted by 4.1 or later: eligible leader
// replicas are on, so that the last member is kept there and the ISR runs empty.
func ExampleCrash_eligibleLeaderReplicas() {
	rules := election.Rules{Release: election.Release{Major: 4, Minor: 4}, ELR: true}
	log := election.Partition{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}
	after := election.Crash(rules, func(int32) bool { return true }, log, []int32{1})
	fmt.Println(after.Outcome, after.Leader, after.ISR, after.ELR)
	// Output: leaderless -1 [] [1]
}

// Everybody in sync is gone: which broker would lead, and which not.
func ExampleOffline() {
	p := election.Partition{Leader: 3, Replicas: []int32{3, 4, 2, 1}, ISR: []int32{1, 2, 3, 4}}
	live := func(broker int32) bool { return broker != 3 && broker != 4 }
	fmt.Println(election.Offline(p, live))
	// Output: 2
}
