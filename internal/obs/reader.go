package obs

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

// ReaderMetrics counts messages that a reader rejected (EV-6).
type ReaderMetrics struct {
	log     *slog.Logger
	skipped counters
}

// NewReaderMetrics registers the metrics.
func NewReaderMetrics(r prometheus.Registerer, log *slog.Logger) *ReaderMetrics {
	return &ReaderMetrics{log: log, skipped: newCounters(r, prometheus.CounterOpts{
		Name: "scaffoldwatch_skipped_messages_total",
		Help: "Messages of a stream outside of valid batches, or whose type does not match their subject, by reason.",
	}, NewLabel("stream", streams...), NewLabel("reason", doubts...))}
}

// Skipped counts and logs one message.
func (m *ReaderMetrics) Skipped(stream string, partition int, reason string, sequence uint64) {
	m.skipped.inc(stream, reason)
	m.log.Warn("message not accepted", "stream", stream, "partition", partition, "reason", reason, "sequence", sequence)
}
