// Package conformance holds package election against Kafka's own classes. Its
// tests compile two small Java programs, in the folder java, against the jars
// of several releases: one feeds the real ReplicationControlManager with
// metadata records, the other a real KafkaController with znodes of an
// in-process ZooKeeper. Both are told what happens to brokers, and print what
// becomes of random partitions, which has to be what election says.
//
// The package has no code of its own; nothing imports it.
package conformance
