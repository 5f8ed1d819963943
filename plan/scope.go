package plan

// AnyBroker as [Scope.Via] leaves it to the one who looks whom it asks.
const AnyBroker int32 = -1

// Scope says how much of a cluster a picture of it must show, and through whose
// eyes. The zero value asks broker 0: say [AnyBroker].
type Scope struct {
	// Brokers are to be drained: they are read in full, every log by name.
	Brokers []int32
	// Via is the broker that is asked about the cluster; AnyBroker is the one that
	// answered before, if it still does.
	Via int32
	// Space asks the other brokers too, for what a plan needs: their volumes, the
	// sizes of the logs that they lead and Brokers hold, and all overrides of the
	// topics. Without it they are asked for their settings once, and of topics only
	// those are read that say what is healthy.
	Space bool
	// Sizes, with Space, reads the size of every log there is: on a large cluster
	// millions, which only a plan with helper moves looks at.
	Sizes bool
	// Rights notes what the login lacks to drain Brokers.
	Rights bool
}

// Scope is what a picture must show for the request to be planned from it,
// through any broker.
func (r Request) Scope() Scope {
	return Scope{Brokers: r.Brokers, Via: AnyBroker, Space: true, Sizes: r.accepts(helperRisk)}
}
