package kafkatest

import (
	"fmt"
	"strings"
	"testing"
)

// verdict notes how a test would have ended.
type verdict struct {
	TB
	fatal, skipped string
}

func (v *verdict) Helper() {}

func (v *verdict) Fatalf(format string, args ...any) { v.fatal = fmt.Sprintf(format, args...) }

func (v *verdict) Skipf(format string, args ...any) { v.skipped = fmt.Sprintf(format, args...) }

func TestWithoutJavaATestIsSkippedOrFailsWhereKafkaIsRequired(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("DRAIN_REQUIRE_KAFKA", "")
	var optional verdict
	Need(&optional)
	if optional.fatal != "" || !strings.Contains(optional.skipped, "java and mvn") {
		t.Errorf("not required: got %+v, want it skipped", optional)
	}
	t.Setenv("DRAIN_REQUIRE_KAFKA", "1")
	var required verdict
	Need(&required)
	if required.skipped != "" || !strings.Contains(required.fatal, "DRAIN_REQUIRE_KAFKA=1") {
		t.Errorf("required: got %+v, want it failed", required)
	}
}
