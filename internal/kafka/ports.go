package kafka

import "drain/reassign"

// Ports are all that a driver of moves talks to.
func (c *Client) Ports() reassign.Ports {
	return reassign.Ports{Mover: c, Configs: c, Disks: c, Health: c, Coordinators: c, Watch: c, Probe: c}
}
