// Package plan decides which replica moves where when brokers are drained, or
// says why not.
//
// It is pure: a [Cluster] (one picture of the brokers, topics and partitions)
// and a [Request] go in, a [Plan] comes out, and the same input gives the same
// plan to the byte. The two types that matter most are Cluster, which holds
// millions of partitions in flat arrays, and Plan, the moves with their bounds
// and findings. Plan does not talk to Kafka: package internal/kafka reads a
// Cluster, package reassign carries a Plan out.
package plan
