package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"drain/executor"
	"drain/plan"
)

// planFlag lets a run carry out a plan that was made before.
func planFlag() cli.Flag {
	return &cli.StringFlag{Name: "plan", Usage: "carry out the plan in this `FILE` (drain plan --output json), if the cluster still matches it"}
}

// madePlan is a plan made before, and where it came from; nil is none.
type madePlan struct {
	plan.Plan
	executor.Made
}

// madePlan reads the file of --plan. The hash is of the plan, not of the file:
// how it is laid out says nothing.
func (s *session) madePlan() (*madePlan, error) {
	name := s.flags.String("plan")
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, usageError{"--plan: " + err.Error()}
	}
	var p plan.Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, usageError{fmt.Sprintf("--plan %s: this is no plan (%v); give what drain plan --output json wrote", name, err)}
	}
	if len(p.Brokers) == 0 {
		return nil, usageError{fmt.Sprintf("--plan %s: it names no broker to drain; give what drain plan --output json wrote", name)}
	}
	canonical, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", name, err)
	}
	if absolute, err := filepath.Abs(name); err == nil {
		name = absolute
	}
	sum := sha256.Sum256(canonical)
	return &madePlan{p, executor.Made{File: name, Hash: hex.EncodeToString(sum[:])}}, nil
}

// config has a run carry the plan out.
func (m *madePlan) config(cfg executor.Config) executor.Config {
	if m == nil {
		return cfg
	}
	p := m.Plan
	if cfg.Simulated != "" {
		p = anywhere(p)
	}
	cfg.Plan, cfg.Made = plan.Saved(p), m.Made
	return cfg
}

// anywhere is the plan without the ids of its cluster and topics: a simulated
// cluster has others in each process.
func anywhere(p plan.Plan) plan.Plan {
	p.Cluster, p.Moves = "", slices.Clone(p.Moves)
	for i := range p.Moves {
		p.Moves[i].TopicID = [16]byte{}
	}
	return p
}
