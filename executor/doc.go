// Package executor runs the steps of a runbook, writes down what it does, and
// goes on where an earlier run was interrupted.
//
// Deciding is apart from acting: the pure [Next] says from the runbook and the
// [Record]s of the journal what is to be done, and [Run] does it, one file for
// each kind of step. Every act is journalled before it is begun, so that a
// crash between any two lines finds the next run knowing what may have
// happened. The gate before the stop is a pure judgement of what was seen.
//
// It does not talk to Kafka itself, does not decide where a replica goes
// (package plan) and does not move any (package reassign).
package executor
