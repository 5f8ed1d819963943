package reassign

import (
	"context"
	"errors"
	"fmt"
)

// Cordon keeps new replicas off a broker (KIP-1066, cordoned.log.dirs), as a
// debt that outlives the moves. It must not be asked where metadata.version is
// under 30: older brokers accept the key and do nothing. A broker that somebody
// else has cordoned is left as it is.
func (d *Driver) Cordon(ctx context.Context, broker int32) error {
	s := d.settings
	k := setting{OfBroker(broker), CordonedDirs}
	have, err := s.read(ctx, []Resource{k.Resource})
	if err != nil {
		return err
	}
	if err := have[k.Resource].Err; err != nil {
		return fmt.Errorf("cordon broker %d: %w", broker, err)
	}
	before := have.value(k)
	if text(before) == everything {
		return nil
	}
	if err := s.owe(Debt{Resource: k.Resource, Key: k.Key, Before: before, Set: everything}); err != nil {
		return err
	}
	failed, _, err := s.change(ctx, []Change{{Resource: k.Resource, Key: k.Key, Op: Set, Value: everything}})
	if err = errors.Join(err, failed[k]); err != nil {
		return fmt.Errorf("cordon broker %d: %w", broker, err)
	}
	return nil
}

// Uncordon gives back the cordons that are owed. A broker that is down keeps
// its own: the error is an [UnpaidError].
func (d *Driver) Uncordon(ctx context.Context) error {
	return d.payWhere(ctx, func(debt Debt) bool { return debt.Key == CordonedDirs })
}
