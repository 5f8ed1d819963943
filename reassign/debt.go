package reassign

import (
	"cmp"
	"fmt"
	"slices"
)

// Debt is one dynamic setting that this drain changes and must give back. It
// is written to the [Ledger] before the change is made. Either Set is the whole
// value that replaces Before, or Entries are what is appended to a list.
type Debt struct {
	Resource Resource `json:"resource"`
	Key      string   `json:"key"`
	Before   *string  `json:"before"`            // at the layer of the resource; nil: none
	Layer    Layer    `json:"layer,omitempty"`   // where the value came from that was in force before; empty: nowhere, or not known
	InForce  *string  `json:"inForce,omitempty"` // that value, if it is not Before but of a layer beneath; nil also where it is not told
	Set      string   `json:"set,omitempty"`     // the value put there
	Was      []string `json:"was,omitempty"`     // values put there earlier, before Set
	Entries  []string `json:"entries,omitempty"` // or the list entries that were absent
	Why      string   `json:"why,omitempty"`     // the reason of Set, where it is not what a person asked for
}

// DebtOn is the debt of a change to key, as far as what was read tells: the value
// that has to be put back, and what was in force. The two differ where the
// change is laid over a static value or a cluster-wide default.
func DebtOn(have ResourceConfig, key string) Debt {
	d := Debt{Resource: have.Resource, Key: key}
	own := have.layer()
	if v, ok := have.At(key, own); ok && !have.Hides(key, own) {
		d.Before = &v
	}
	if e, ok := have.inForce(key); ok {
		d.Layer = e.Layer
		if e.Layer != own && !e.Hidden {
			d.InForce = &e.Value
		}
	}
	return d
}

// Past is what was in force before and where it came from, for people, such as
// "it was 5000000 (dynamicDefault)"; empty where that is not known, or nothing
// was.
func (d Debt) Past() string {
	was := d.Before
	if was == nil {
		was = d.InForce
	}
	switch {
	case d.Layer == "" || len(d.Entries) > 0:
		return ""
	case was == nil:
		return fmt.Sprintf("it had a value that is not told (%s)", d.Layer)
	case *was == "":
		return fmt.Sprintf("it was empty (%s)", d.Layer)
	}
	return fmt.Sprintf("it was %s (%s)", *was, d.Layer)
}

// ours says that value is one that the debt put there. Anything else was put
// there by somebody else, and is not ours to take away.
func (d Debt) ours(value string) bool {
	return value == d.Set || slices.Contains(d.Was, value)
}

// foreign says that somebody else has put a value there since the debt was made.
// None is no value: who removes ours has put nothing in its place.
func (d Debt) foreign(value *string) bool {
	return value != nil && !d.ours(*value) && !same(value, d.Before)
}

func (d Debt) setting() setting { return setting{d.Resource, d.Key} }

// String names the setting, such as "broker 1 leader.replication.throttled.rate".
func (d Debt) String() string { return d.setting().String() }

// setting is one key of one resource.
type setting struct {
	Resource
	Key string
}

func (s setting) String() string { return string(s.Kind) + " " + s.Name + " " + s.Key }

func compareSettings(a, b setting) int {
	return cmp.Or(a.Resource.Compare(b.Resource), cmp.Compare(a.Key, b.Key))
}

// layer is where a debt's own value stands.
func (r Resource) layer() Layer {
	if r.Kind == TopicResource {
		return DynamicTopic
	}
	return DynamicBroker
}
