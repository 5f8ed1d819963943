// Package simkafka is a Kafka cluster inside the process. kfake carries the
// bytes of the protocol; a plain struct, the model, is the controller, the
// disks and the replication, and follows the rules of the Kafka release it is
// told to be. Clients reach it over loopback TCP, or over a
// [kfake.VirtualNetwork] in a testing/synctest bubble: time is taken from
// package time alone.
//
// [Spec] says what is there at the start, and what [Cluster.State] gives back;
// [Cluster] is the running thing.
//
// It stores no records and answers neither produce nor fetch: what a client
// would see of them is only counted ([Cluster.Unwritable]). Nor does anything
// happen by itself that a broker does to look after the cluster: no preferred
// leaders are restored in the background, and a full disk stays online.
package simkafka
