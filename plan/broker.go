package plan

import (
	"strconv"
	"strings"
)

// NoLeader is the leader of a partition that has none.
const NoLeader int32 = -1

// Unknown stands for a number of bytes that nobody could tell.
const Unknown int64 = -1

// State is what the cluster says of a broker.
type State uint8

// The states of a broker. A broker in controlled shutdown can not be told from
// a live one through the admin API (KIP-841 keeps the state in the controller),
// so ShuttingDown comes from snapshot files only.
const (
	Alive        State = iota
	Fenced             // registered, but without a heartbeat
	ShuttingDown       // in controlled shutdown
	Down               // in no answer, only in replica lists
)

// String is the word of the snapshot format.
func (s State) String() string {
	return [...]string{"alive", "fenced", "shuttingDown", "down"}[s]
}

// Broker is one broker. The zero value is not useful: CapacityBytes and
// UsableBytes must be Unknown where the broker did not answer.
type Broker struct {
	ID       int32
	Rack     string // empty if it has none (broker.rack)
	Host     string // of the advertised listener; empty if unknown
	Port     int32
	State    State
	Cordoned bool // every log dir is cordoned (KIP-1066, cordoned.log.dirs)

	CapacityBytes int64 // total of its volumes, or Unknown
	UsableBytes   int64 // free for Kafka on its volumes, or Unknown
	LogDirs       []LogDir

	Throttle Throttle // of the broker itself
}

// Address is where clients reach the broker, as host:port, an IPv6 host in
// brackets. It is empty where the host is unknown.
func (b Broker) Address() string {
	port := ":" + strconv.Itoa(int(b.Port))
	switch {
	case b.Host == "":
		return ""
	case strings.Contains(b.Host, ":"):
		return "[" + b.Host + "]" + port
	}
	return b.Host + port
}

// LogDir is one log directory of a broker (DescribeLogDirs).
type LogDir struct {
	Path        string
	TotalBytes  int64 // of its volume (KIP-827), or Unknown
	UsableBytes int64 // of its volume, or Unknown
	Offline     bool
	Replicas    int // logs in it; Kafka puts a new one where there are fewest
}

// Live says that the broker takes part in elections and can receive replicas:
// it is registered, unfenced and not shutting down.
func (b Broker) Live() bool { return b.State == Alive }
