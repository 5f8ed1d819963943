// Package kafka is the adapter to a live cluster: Kafka's admin protocol goes
// in, the types of packages plan and reassign come out.
//
// The two types that matter are [Client], one connection to a cluster, and
// [plan.Scope], what a [Client.Snapshot] looks at closely. [Client.Ports] are those of
// package reassign. It translates and decides nothing: every answer is fresh
// and sorted, and what could not be read is kept and named (plan.Cluster.Notes,
// reassign.ResourceConfig.Err), never taken for absent.
//
// Cluster-wide questions are put to one broker at a time, the same one for as
// long as it answers, so that answers do not go back in time as they would with
// a broker chosen at random. See [Client.Avoid] for which.
package kafka
