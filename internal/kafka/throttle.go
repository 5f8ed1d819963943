package kafka

import (
	"strconv"

	"drain/plan"
	"drain/reassign"
)

// throttle is the replication throttle that is set at a layer of the settings. A
// rate of nothing counts as one byte, as where it is left to stand (reassign).
func throttle(c reassign.ResourceConfig, layer reassign.Layer) plan.Throttle {
	rate := func(key string) int64 {
		value, _ := c.At(key, layer)
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return 0
		}
		return max(n, 1)
	}
	return plan.Throttle{Leader: rate(reassign.LeaderRate), Follower: rate(reassign.FollowerRate)}
}
