package reassign

// Debt is one dynamic setting that this drain changes and must give back. It
// is written to the [Ledger] before the change is made. Either Set is the whole
// value that replaces Before, or Entries are what is appended to a list.
type Debt struct {
	Resource Resource `json:"resource"`
	Key      string   `json:"key"`
	Before   *string  `json:"before"`            // at the layer of the resource; nil: none
	Set      string   `json:"set,omitempty"`     // the value put there
	Entries  []string `json:"entries,omitempty"` // or the list entries that were absent
}
