// Package plantest makes clusters of the sizes and shapes that a planner has to
// cope with, and measures what a plan does to them. It serves tests and
// benchmarks only.
//
// A [Shape] and a seed always give the same cluster. [Measure] judges a plan by
// what can be seen from outside, without asking the planner how it came about.
package plantest

// Shape describes a synthetic cluster. Placement is striped over racks, as a
// KRaft controller does it for a new topic, and then worn down.
type Shape struct {
	Name       string
	Brokers    int // IDs from 1
	Racks      int // 0: no broker has one
	Topics     int // two internal ones come on top
	Partitions int
	RF         int

	Tail, Skew float64 // spread of the sizes of topics, and within one (sigma of a log-normal)
	Zipf       bool    // sizes by rank instead
	Fill       float64 // part of all capacity that is used; 0: MeanBytes a partition
	MeanBytes  float64
	MaxPart    float64 // no partition is a larger part of a broker
	Capacity   float64 // bytes of a broker

	Double   float64 // part of the brokers with twice the capacity
	Empty    int     // the last brokers hold nothing yet
	RackSkew float64 // part of the brokers that are in the first rack, before the rest is dealt round
	Single   float64 // part of the topics with one replica
	Pair     float64 // and with two
}

func shape(name string, change func(*Shape)) Shape {
	s := Shape{
		Name: name, Brokers: 100, Racks: 3, Topics: 1000, Partitions: 50000, RF: 3,
		Tail: 1.6, Skew: 0.5, Fill: 0.55, MaxPart: 0.05, Capacity: 8e12,
	}
	change(&s)
	return s
}

func (s *Shape) size(brokers, topics, partitions int) {
	s.Brokers, s.Topics, s.Partitions = brokers, topics, partitions
}

// Shapes are the shapes of the benchmark, the small ones first.
func Shapes() []Shape {
	return []Shape{
		shape("S", func(s *Shape) { s.size(12, 60, 1000) }),
		shape("N", func(s *Shape) { s.size(30, 300, 5000) }),
		shape("F", func(s *Shape) { s.size(10, 200, 6000); s.Fill, s.Tail, s.MaxPart = 0.78, 1, 0.02 }),
		shape("H", func(s *Shape) {
			s.size(60, 600, 20000)
			s.Double, s.Empty, s.RackSkew, s.Fill = 0.3, 6, 0.15, 0.35
		}),
		shape("T", func(s *Shape) { s.size(30, 400, 40000); s.Fill, s.MeanBytes, s.Tail = 0, 30e6, 1.2 }),
		shape("R2", func(s *Shape) { s.size(40, 300, 12000); s.Racks = 2 }),
		shape("R12", func(s *Shape) { s.size(12, 100, 3000); s.Racks = 12 }),
		shape("R20", func(s *Shape) { s.size(60, 600, 20000); s.Racks = 20 }),
		shape("R0", func(s *Shape) { s.size(40, 300, 12000); s.Racks = 0 }),
		shape("RF5", func(s *Shape) { s.size(50, 400, 12000); s.Racks, s.RF = 5, 5 }),
		shape("M", func(*Shape) {}),
		shape("M6", func(s *Shape) { s.Racks = 6 }),
		shape("B", func(s *Shape) { s.Tail, s.Skew = 1, 0.4 }),
		shape("Z", func(s *Shape) { s.Zipf = true }),
		shape("X", func(s *Shape) { s.Single, s.Pair = 0.2, 0.2 }),
		shape("L", func(s *Shape) { s.size(300, 4000, 200000) }),
		shape("XL", func(s *Shape) { s.size(1000, 20000, 1000000) }),
		shape("XXL", func(s *Shape) { s.size(2000, 20000, 2000000) }),
	}
}

// Named is the shape of that name, and whether there is one.
func Named(name string) (Shape, bool) {
	for _, s := range Shapes() {
		if s.Name == name {
			return s, true
		}
	}
	return Shape{}, false
}
