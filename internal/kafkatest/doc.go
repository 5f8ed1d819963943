// Package kafkatest starts real Apache Kafka brokers for tests, and kills them.
//
// [Start] makes a [Cluster] from a [Spec]: one JVM a node on loopback, from jars
// that Maven brings once into a cache folder. The cluster's methods end, hang and
// restart single brokers; [Cluster.Describe] reads the whole cluster back as a
// [State], with requests of its own, so that a test does not judge the product
// by the product's own eyes.
//
// It does not hide Kafka: topics, records and rights are made with the
// franz-go client that [Cluster.Client] gives.
package kafkatest
