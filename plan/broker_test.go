package plan

import "testing"

func TestAnAddressIsOneThatToolsTake(t *testing.T) {
	t.Parallel()
	for want, b := range map[string]Broker{
		"kafka-1:9092":   {Host: "kafka-1", Port: 9092},
		"10.0.0.1:9093":  {Host: "10.0.0.1", Port: 9093},
		"[fd00::1]:9092": {Host: "fd00::1", Port: 9092},
		"":               {Port: 9092},
	} {
		if got := b.Address(); got != want {
			t.Errorf("%s, port %d: got %q, want %q", b.Host, b.Port, got, want)
		}
	}
}
