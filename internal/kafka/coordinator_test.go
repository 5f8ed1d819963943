package kafka

import "testing"

func TestKeysFallOnThePartitionThatKafkaComputes(t *testing.T) {
	t.Parallel()
	// "polygenelubricants" is the well-known string whose Java hash is the least
	// int, which Utils.abs takes for 0; the others were computed by Java.
	tests := []struct {
		key              string
		partitions, want int32
	}{
		{"", 50, 0},
		{"a", 50, 97 % 50},
		{"hello", 50, 99162322 % 50},
		{"polygenelubricants", 50, 0},
		{"Hello World", 50, 862545276 % 50}, // the hash is negative
	}
	for _, test := range tests {
		if got := partitionOf(test.key, test.partitions); got != test.want {
			t.Errorf("partitionOf(%q, %d): got %d, want %d", test.key, test.partitions, got, test.want)
		}
	}
}

func TestAKeyIsFoundForEveryPartition(t *testing.T) {
	t.Parallel()
	for p := range int32(50) {
		if key, ok := keyFor(p, 50); !ok || partitionOf(key, 50) != p {
			t.Errorf("keyFor(%d, 50): got %q and %v, which falls on %d", p, key, ok, partitionOf(key, 50))
		}
	}
}
