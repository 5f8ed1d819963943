package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// growth is by how many bytes the memory of this process grows at most while do
// runs. It is not known where the system does not tell, as only Linux does.
func growth(do func()) (bytes int64, known bool) {
	forgetPeak()
	before, known := memory("VmRSS:")
	do()
	peak, told := memory("VmHWM:")
	return peak - before, known && told
}

// forgetPeak gives back what is free, and has the system count the peak of this
// process from here on (proc(5), clear_refs). A child inherits the peak, too.
// What cannot be had only leaves it too high.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

func memory(what string) (bytes int64, ok bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, what); found {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib * 1024, err == nil
		}
	}
	return 0, false
}
