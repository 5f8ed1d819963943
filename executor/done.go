package executor

import "drain/reassign"

// Done is what a run has done, by its journal. It decides the exit code before
// the error does.
type Done struct {
	Run       string // id of the run; empty if none was begun
	Changed   bool   // something on the cluster may have been changed
	StopBegun bool   // a stop was begun and is not proven to have gone well
	Stopped   []int32
	Owed      []reassign.Debt // settings still to be given back, without a cordon that is kept
	Cordoned  []int32         // brokers that stay cordoned until a restore
	Journal   string          // path of the file
}
