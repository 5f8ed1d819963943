package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"drain/plan"
)

//go:embed plan.html
var planPage string

// htmlPlan is what the page shows.
type htmlPlan struct {
	Title    string
	Plan     plan.Plan
	Loads    []htmlLoad
	Racks    []htmlLoad
	Findings []plan.Finding
}

// htmlLoad is a bar: a broker or a rack before and after, as parts of the fullest.
type htmlLoad struct {
	Name, Rack          string
	Drained             bool
	Before, After       plan.Share // Bytes is what is used of the disks
	In, Out             int64
	BeforePart, AfterPt float64 // percent of the largest bar
}

// writeHTMLPlan writes one page that needs nothing else: no script or style is
// loaded from anywhere.
func writeHTMLPlan(w io.Writer, c plan.Cluster, p plan.Plan) error {
	page, err := template.New("plan").Funcs(template.FuncMap{
		"bytes": humanBytes, "duration": seconds, "binding": bindingText, "ids": plan.JoinIDs,
		"leads": leadsText, "whole": func(f float64) int64 { return int64(f) },
	}).Parse(planPage)
	if err != nil {
		return fmt.Errorf("page of the plan: %w", err)
	}
	loads := plan.Loads(c, p)
	return page.Execute(w, htmlPlan{
		Title: "Drain of " + plan.BrokerNames(p.Brokers), Plan: p, Findings: p.Findings,
		Loads: brokerBars(loads), Racks: rackBars(loads),
	})
}

// leadsText is a broker that leads, or a dash for nobody.
func leadsText(id int32) string {
	if id == plan.NoLeader {
		return "-"
	}
	return fmt.Sprint(id)
}

func brokerBars(loads []plan.Load) []htmlLoad {
	bars := make([]htmlLoad, 0, len(loads))
	for _, l := range loads {
		bars = append(bars, htmlLoad{
			Name: fmt.Sprintf("broker %d", l.Broker), Rack: l.Rack, Drained: l.Drained,
			Before: l.Before, After: l.After, In: l.In, Out: l.Out,
		})
		last := &bars[len(bars)-1]
		last.Before.Bytes, last.After.Bytes = diskUse(l)
	}
	return scaled(bars)
}

func rackBars(loads []plan.Load) []htmlLoad {
	byRack := map[string]*htmlLoad{}
	for _, l := range loads {
		bar := byRack[l.Rack]
		if bar == nil {
			bar = &htmlLoad{Name: "rack " + l.Rack}
			if l.Rack == "" {
				bar.Name = "no rack"
			}
			byRack[l.Rack] = bar
		}
		bar.add(l)
	}
	bars := make([]htmlLoad, 0, len(byRack))
	for _, rack := range sortedKeys(byRack) {
		bars = append(bars, *byRack[rack])
	}
	return scaled(bars)
}

// add sums a broker up in the bar of its rack.
func (h *htmlLoad) add(l plan.Load) {
	before, after := diskUse(l)
	h.Before = plan.Share{Bytes: h.Before.Bytes + before, Replicas: h.Before.Replicas + l.Before.Replicas, Leaders: h.Before.Leaders + l.Before.Leaders}
	h.After = plan.Share{Bytes: h.After.Bytes + after, Replicas: h.After.Replicas + l.After.Replicas, Leaders: h.After.Leaders + l.After.Leaders}
	h.In, h.Out = h.In+l.In, h.Out+l.Out
}

// scaled gives each bar its length, in percent of the longest.
func scaled(bars []htmlLoad) []htmlLoad {
	most := int64(1)
	for _, b := range bars {
		most = max(most, b.Before.Bytes, b.After.Bytes)
	}
	for i := range bars {
		bars[i].BeforePart = 100 * float64(bars[i].Before.Bytes) / float64(most)
		bars[i].AfterPt = 100 * float64(bars[i].After.Bytes) / float64(most)
	}
	return bars
}
