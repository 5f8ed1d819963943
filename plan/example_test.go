package plan_test

import (
	"fmt"
	"strings"

	"drain/plan"
)

// A snapshot goes in, a plan comes out: broker 3 is emptied within its racks,
// and who leads while the copies run is chosen so that no port feeds them all.
func Example() {
	c, err := plan.ReadSnapshot(strings.NewReader(`{
	 "brokers": [
	  {"id": 1, "rack": "a", "capacityBytes": 1000000000000},
	  {"id": 2, "rack": "b", "capacityBytes": 1000000000000},
	  {"id": 3, "rack": "c", "capacityBytes": 1000000000000},
	  {"id": 4, "rack": "c", "capacityBytes": 1000000000000},
	  {"id": 5, "rack": "c", "capacityBytes": 1000000000000}],
	 "topics": [{"name": "orders", "partitions": [
	  {"partition": 0, "leader": 3, "replicas": [3, 1, 2], "isr": [1, 2, 3], "sizeBytes": 90000000000},
	  {"partition": 1, "leader": 3, "replicas": [3, 1, 2], "isr": [1, 2, 3], "sizeBytes": 60000000000},
	  {"partition": 2, "leader": 1, "replicas": [1, 2, 3], "isr": [1, 2, 3], "sizeBytes": 50000000000}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := plan.Compute(c, plan.Request{
		Brokers: []int32{3}, BytesPerSec: 50_000_000, Slack: 0.25, DiskHeadroom: 0.1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)
	// Output:
	// drain 3, evacuate: 3 moves, 200 GB, 39m28s (36m40s at best: few-items)
	//   orders-0 [3 1 2] -> [4 1 2], 90 GB, led by 2 meanwhile
	//   orders-1 [3 1 2] -> [5 1 2], 60 GB, led by 1 meanwhile
	//   orders-2 [1 2 3] -> [1 2 5], 50 GB
}

// A finding of level Block says why a plan must not be carried out, and what to
// do about it.
func ExamplePlan_Blocked() {
	c, _ := plan.ReadSnapshot(strings.NewReader(`{
	 "brokers": [{"id": 1, "capacityBytes": 100}, {"id": 2, "capacityBytes": 100}],
	 "topics": [{"name": "orders", "partitions": [
	  {"partition": 0, "leader": 1, "replicas": [1, 2], "isr": [1, 2], "sizeBytes": 5}]}]}`))
	p, _ := plan.Compute(c, plan.Request{Brokers: []int32{2}})
	for _, f := range p.Blocked() {
		fmt.Println(f.Message)
		fmt.Println(f.Remedy)
	}
	// Output:
	// orders-0 needs 2 replicas, and only 1 broker may hold one once the drained ones are gone
	// add a broker, allow more destinations, or lower the replication factor first
}
