package executor

import (
	"slices"
	"testing"
	"time"

	"drain/executor/child"
)

// Journals of the same story are the same, byte for byte but for their times.
func TestBrokersThatLeftBehindTheirStopsAreWrittenDownInOrder(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		brokers := []int32{4, 2, 1, 3}
		records := []Record{
			{Kind: KindHeader, Broker: none, Header: &Header{Version: JournalVersion, Run: "r", Cluster: "rig", Brokers: brokers}},
			{Kind: KindBaseline, Broker: none, Baseline: &Baseline{Live: []int32{1, 2, 3, 4, 5}}},
		}
		for _, b := range brokers {
			stop := func(rec Record) Record {
				rec.Step, rec.Name, rec.Broker = 5, "stop", b
				return rec
			}
			records = append(records, stop(Record{Kind: KindBegin}), stop(Record{Kind: KindAct, Act: &Act{Argv: []string{"stop-it"}, Timeout: time.Minute}}),
				stop(Record{Kind: KindExit, Exit: &child.Exit{Code: 255}}), stop(Record{Kind: KindFail, Text: "exited with code 255"}))
			r.sim.Crash(b)
		}
		writeJournal(t, r.files(), records)
		r.pause(time.Minute)
		if _, err := r.cleanup(false); err != nil {
			r.Fatal(err)
		}
		var gone []int32
		for _, rec := range r.records() {
			if rec.Kind == KindGone {
				gone = append(gone, rec.Broker)
			}
		}
		if !slices.Equal(gone, []int32{1, 2, 3, 4}) {
			r.Errorf("written down as gone: %v, want each in order", gone)
		}
	})
}
