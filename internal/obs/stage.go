package obs

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// StageMetrics observes a stage's runner and keeps its metrics. Sessions and partitions are never
// labels: their number is not bounded.
type StageMetrics struct {
	log *slog.Logger
	*Partitions
	inputs    prometheus.Counter
	messages  prometheus.Counter
	snapshots prometheus.Counter
	commits   counters
	dead      counters
	evicted   prometheus.Counter
	rebuilt   prometheus.Histogram
	fold      prometheus.Histogram
	commit    prometheus.Histogram
	batch     prometheus.Histogram
	age       prometheus.Histogram
	waiting   prometheus.Gauge
	waited    prometheus.Gauge
	last      atomic.Int64 // time of the last accepted commit, in Unix nanoseconds
}

// LastCommit returns when a commit was last accepted, zero before the first.
func (m *StageMetrics) LastCommit() time.Time {
	if at := m.last.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

var _ engine.Observer = (*StageMetrics)(nil)

// Listener implements [engine.Observer]: it counts commits, not what they hold.
func (m *StageMetrics) Listener() func([]events.Event) { return nil }

// NewStageMetrics registers a stage's metrics. healthy is called with the health of
// its partitions whenever that may have changed.
func NewStageMetrics(r prometheus.Registerer, name string, log *slog.Logger, healthy func(error)) *StageMetrics {
	stage := prometheus.Labels{"stage": name}
	counter := func(metric, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "scaffoldwatch_" + metric, Help: help, ConstLabels: stage})
		r.MustRegister(c)
		return c
	}
	labelled := func(metric, help string, label Label) counters {
		return newCounters(r, prometheus.CounterOpts{Name: "scaffoldwatch_" + metric, Help: help, ConstLabels: stage}, label)
	}
	seconds := func(metric, help string) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scaffoldwatch_" + metric, Help: help, ConstLabels: stage,
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		})
		r.MustRegister(h)
		return h
	}
	batch := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "scaffoldwatch_batch_inputs", Help: "Inputs folded into one commit.", ConstLabels: stage,
		Buckets: prometheus.ExponentialBuckets(1, 2, 10),
	})
	gauge := func(metric, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "scaffoldwatch_" + metric, Help: help, ConstLabels: stage})
		r.MustRegister(g)
		return g
	}
	r.MustRegister(batch)
	return &StageMetrics{
		log: log, Partitions: NewPartitions(healthy), batch: batch,
		waiting:   gauge("lag_messages", "Source messages that no instance of the stage has consumed yet, of all partitions."),
		waited:    gauge("lag_seconds", "How long the oldest of them has waited."),
		inputs:    counter("inputs_total", "Inputs folded."),
		messages:  counter("outputs_total", "Messages committed."),
		snapshots: counter("snapshots_total", "Snapshots committed."),
		commits:   labelled("commits_total", "Commits by result.", NewLabel("result", "done", "failed")),
		dead:      labelled("dead_letters_total", "Inputs skipped, by kind of reason.", NewLabel("reason", deadLabels()...)),
		evicted:   counter("evicted_states_total", "States evicted from memory for lack of space."),
		rebuilt:   seconds("rebuild_seconds", "Time to rebuild a state from snapshot and tail."),
		fold:      seconds("fold_seconds", "Time to fold one batch, without the rebuilding of states and the storing of dead letters."),
		commit:    seconds("commit_seconds", "Time of one atomic commit."),
		age:       seconds("input_age_seconds", "Time from the broker's record of a batch's first input to its commit."),
	}
}

// Committed counts a commit.
func (m *StageMetrics) Committed(s engine.CommitStats, err error) {
	m.Partitions.Committed(s.Partition, err)
	if err != nil {
		m.commits.inc("failed")
		return
	}
	m.last.Store(time.Now().UnixNano())
	m.commits.inc("done")
	m.inputs.Add(float64(s.Inputs))
	m.messages.Add(float64(s.Messages))
	m.snapshots.Add(float64(s.Snapshots))
	m.batch.Observe(float64(s.Inputs))
	m.fold.Observe(s.Fold.Seconds())
	m.commit.Observe(s.Commit.Seconds())
	if !s.Oldest.IsZero() {
		m.age.Observe(time.Since(s.Oldest).Seconds())
	}
}

// DeadLettered counts a skipped input by the kind of its reason, which may quote the input.
func (m *StageMetrics) DeadLettered(partition int, reason string) {
	m.dead.inc(deadKind(reason))
	m.log.Warn("input skipped, see `scaffoldwatch dead list`", "partition", partition, "reason", reason)
}

// Evicted counts a state that was evicted from memory.
func (m *StageMetrics) Evicted(int, int) { m.evicted.Inc() }

// Rebuilt records how long rebuilding a state took.
func (m *StageMetrics) Rebuilt(_, _ int, took time.Duration) { m.rebuilt.Observe(took.Seconds()) }

// Started logs where a partition starts.
func (m *StageMetrics) Started(partition int, from engine.Position) {
	m.Partitions.Started(partition)
	m.log.Debug("partition started", "partition", partition, "after", from.Sequence)
}

// Restarting reports a failed attempt.
func (m *StageMetrics) Restarting(partition int, err error) {
	m.Partitions.Restarting(partition, err)
	m.log.Warn("partition starts over", "partition", partition, "error", err)
}

// Backlog records the stage's pending input, in all partitions.
func (m *StageMetrics) Backlog(messages uint64, oldest time.Duration) {
	m.waiting.Set(float64(messages))
	m.waited.Set(oldest.Seconds())
}
