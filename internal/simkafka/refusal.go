package simkafka

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
)

// refusal is Kafka's no: its error code and the words beside it. Nil is yes.
type refusal struct {
	code int16
	text string
}

func refuse(e *kerr.Error, format string, args ...any) *refusal {
	return &refusal{e.Code, fmt.Sprintf(format, args...)}
}

// parts is what an answer carries of it.
func (r *refusal) parts() (code int16, text *string) {
	if r == nil {
		return 0, nil
	}
	if r.text == "" {
		return r.code, nil
	}
	return r.code, &r.text
}
