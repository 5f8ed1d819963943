package plan

import "encoding/json"

// MarshalJSON writes the form of docs/FORMATS.md.
func (f Finding) MarshalJSON() ([]byte, error) {
	return json.Marshal(findingJSON{f.Level.String(), f.Risk, f.Topic, known(f.Partition), known(f.Broker), f.Key, f.Message, f.Remedy})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Finding) UnmarshalJSON(data []byte) error {
	var j findingJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*f = j.finding()
	return nil
}
