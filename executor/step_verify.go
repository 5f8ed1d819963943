package executor

import (
	"context"

	"drain/plan"
)

// verifyStep proves that the stop of the drained brokers hurts nobody.
type verifyStep struct {
	*run
	warnings []plan.Finding
}

func (s *verifyStep) observe(context.Context) (string, error) { return "", nil }

// act judges each broker as the gate before its stop will, with all of them
// gone: if new replicas have come, they are moved before anything is stopped.
func (s *verifyStep) act(ctx context.Context) error {
	brokers := without(s.cfg.Runbook.Brokers, s.history().stopped())
	for _, b := range brokers {
		_, v, err := s.gate(ctx, b, brokers)
		if err != nil {
			return err
		}
		s.warnings = append(s.warnings, v.findings...)
	}
	return nil
}

func (s *verifyStep) verify(context.Context) (string, error) {
	if len(s.warnings) > 0 {
		s.event(Event{Kind: EventFindings, Findings: s.warnings, Text: plan.Count(len(s.warnings), "warning", "warnings")})
	}
	return plan.BrokerNames(s.cfg.Runbook.Brokers) + " can be stopped: two looks agree that nobody would notice", nil
}
