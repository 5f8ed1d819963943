package plan

import "testing"

func TestBrokersAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ids  []int32
		want string
	}{
		{nil, "no brokers"},
		{[]int32{3}, "broker 3"},
		{[]int32{2, 1}, "brokers 1 and 2"},
		{[]int32{10, 9, 1}, "brokers 1, 9 and 10"},
	} {
		if got := BrokerNames(tc.ids); got != tc.want {
			t.Errorf("%v: got %q, want %q", tc.ids, got, tc.want)
		}
	}
	if got, want := JoinIDs([]int32{3, 1, 2}), "3, 1, 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
