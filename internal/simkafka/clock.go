package simkafka

import "time"

// SetClock puts the clock of the controllers ahead of that of the clients, or
// behind it where d is negative.
func (c *Cluster) SetClock(d time.Duration) {
	c.do(func(m *model) { m.ahead = d })
}

// clock is the time by the controllers.
func (m *model) clock() time.Time { return m.epoch.Add(m.now + m.ahead) }
