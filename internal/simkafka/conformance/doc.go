// Package conformance holds the simulated cluster against real Kafka: its tests
// send the same requests to both and compare what came back, word for word.
package conformance
