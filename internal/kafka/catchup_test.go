package kafka_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafka"
	"drain/plan"
)

func TestNothingIsReadFromABrokerThatIsBehind(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.dial()
	f.shown = map[int32]int64{0: 99, 1: 6}
	f.on(kmsg.ApiVersions, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.ApiVersionsResponse)
		f.versions(node, resp)
		if node == 1 {
			f.shown[1]++ // it learns of one record after the other
		}
		return resp, nil
	})
	seen := int64(-1)
	f.on(kmsg.Metadata, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		if req.(*kmsg.MetadataRequest).Topics == nil && seen < 0 {
			seen = f.shown[1] - 1
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(req.(*kmsg.MetadataRequest), resp)
		return resp, nil
	})
	if _, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{0}, Via: 1}); err != nil {
		t.Fatal(err)
	}
	if seen != 9 {
		t.Errorf("the topics were read when record %d was the last to be shown, want 9, the controller's last", seen)
	}
}

func TestABrokerThatStaysBehindIsNotAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		f := newFake(t, kfake.ListenFn(network.Listen), kfake.Ports(9001, 9002, 9003))
		f.shown = map[int32]int64{1: 8}
		c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: f.ListenAddrs(), Dialer: network.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		begin := time.Now()
		_, err = c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{0}, Via: 1})
		if err == nil || !strings.Contains(err.Error(), "broker 1 is behind the controller: it shows record 8 of 9") {
			t.Errorf("got %v, want an error that says how far broker 1 is", err)
		}
		if took := time.Since(begin); took < 3*time.Second || took > 3200*time.Millisecond {
			t.Errorf("gave up after %v, want 3s", took)
		}
		if _, err := c.Snapshot(t.Context(), plan.Scope{Via: 1}); err != nil {
			t.Errorf("a glance, which may be a moment old: %v", err)
		}
		c.Avoid(0, 2) // so that 1 is the first to be tried
		if _, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{0}, Via: -1}); err != nil {
			t.Errorf("by any broker: %v", err)
		}
	})
}
