package kafka_test

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafka"
)

// What is committed is known to a broker once it has the record after it.
func TestNothingIsReadFromABrokerThatIsBehind(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	looks := 0
	f.on(kmsg.DescribeQuorum, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		looks++
		f.ends = map[int32]int64{0: 99, 1: 8 + int64(looks)/2} // 8, 9, 9, 10, 10, 11
		resp := req.ResponseKind().(*kmsg.DescribeQuorumResponse)
		f.quorum(resp)
		return resp, nil
	})
	seen := -1
	f.on(kmsg.Metadata, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		if req.(*kmsg.MetadataRequest).Topics == nil && seen < 0 {
			seen = looks
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(req.(*kmsg.MetadataRequest), resp)
		return resp, nil
	})
	if _, err := f.dial().Snapshot(t.Context(), kafka.Scope{Via: 1}); err != nil {
		t.Fatal(err)
	}
	if seen != 6 {
		t.Errorf("the topics were read after %d looks, want after the sixth, which showed record 11", seen)
	}
}

func TestABrokerThatStaysBehindIsNotAsked(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.ends = map[int32]int64{0: 11, 1: 9, 2: 11}
	c := f.dial()
	_, err := c.Snapshot(t.Context(), kafka.Scope{Via: 1})
	if err == nil || !strings.Contains(err.Error(), "broker 1 is behind the controller: at record 9 of 10") {
		t.Errorf("got %v, want an error that says how far broker 1 is", err)
	}
	c.Avoid(0, 2) // so that 1 is the first to be tried
	if _, err := c.Snapshot(t.Context(), kafka.Scope{Via: -1}); err != nil {
		t.Errorf("by any broker: %v", err)
	}
}
