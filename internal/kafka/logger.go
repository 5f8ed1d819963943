package kafka

import (
	"context"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"
)

// logger hands kgo's lines to slog, one level lower: a broker that can not be
// dialled is an error of the client library and none of ours, where brokers
// are meant to leave.
type logger struct{ to *slog.Logger }

var levels = map[kgo.LogLevel]slog.Level{
	kgo.LogLevelError: slog.LevelWarn,
	kgo.LogLevelWarn:  slog.LevelInfo,
	kgo.LogLevelInfo:  slog.LevelDebug,
	kgo.LogLevelDebug: slog.LevelDebug - 4,
}

// Level is the most detailed level that is wanted.
func (l logger) Level() kgo.LogLevel {
	for _, level := range []kgo.LogLevel{kgo.LogLevelDebug, kgo.LogLevelInfo, kgo.LogLevelWarn, kgo.LogLevelError} {
		if l.to.Enabled(context.Background(), levels[level]) {
			return level
		}
	}
	return kgo.LogLevelNone
}

// Log writes one line. kgo's keys are in snake case already.
func (l logger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	l.to.Log(context.Background(), levels[level], msg, keyvals...) //nolint:sloglint // the message is kgo's
}
