package reassign

// The error codes of Kafka that are told apart here.
const (
	codeUnknownServer     int16 = -1
	codeUnknownTopic      int16 = 3
	codeLeaderAway        int16 = 5
	codeNotLeader         int16 = 6
	codeTimedOut          int16 = 7
	codeBrokerAway        int16 = 8
	codeNetwork           int16 = 13
	codeLoading           int16 = 14
	codeInvalidAssignment int16 = 39
	codeNotController     int16 = 41
	codeNothingInFlight   int16 = 85
	codeThrottled         int16 = 89
)

// passing says that a refusal may be gone at the next try.
func passing(code int16) bool {
	switch code {
	case codeUnknownServer, codeLeaderAway, codeNotLeader, codeTimedOut, codeBrokerAway,
		codeNetwork, codeLoading, codeNotController, codeThrottled:
		return true
	}
	return false
}
