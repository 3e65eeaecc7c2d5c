package obs

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
)

// VitalsMetrics reports the last known condition of the streams.
type VitalsMetrics struct {
	mu         sync.Mutex
	found      *vitals.Found
	free, size uint64
	stages     []*StageMetrics
	written    time.Time // last write by a probe

	leader, replicas, current, bytes, maxBytes, last, faults, clock, diskFree, diskSize description
}

var _ prometheus.Collector = (*VitalsMetrics)(nil)

// NewVitalsMetrics registers the metrics; the streams of the topology are the possible values of their
// label.
func NewVitalsMetrics(r prometheus.Registerer, t topology.Topology) *VitalsMetrics {
	stream := NewLabel("stream", topology.Names(t)...)
	kind := NewLabel("kind", vitals.Kinds()...)
	gauge := func(name, help string, of ...Label) description {
		return describe("scaffoldwatch_"+name, help, prometheus.GaugeValue, of...)
	}
	m := &VitalsMetrics{
		leader:   gauge("stream_leader", "1 while the stream has a leader.", stream),
		replicas: gauge("stream_replicas", "Replicas of the stream.", stream),
		current:  gauge("stream_replicas_current", "Replicas of the stream that are current.", stream),
		bytes:    gauge("stream_bytes", "Bytes in the stream.", stream),
		maxBytes: gauge("stream_max_bytes", "Limit of the stream in bytes; -1 if unlimited.", stream),
		last:     gauge("stream_last_write_timestamp_seconds", "When the stream last accepted a message.", stream),
		faults:   gauge("faults", "1 for each fault that /readyz reports.", stream, kind),
		clock:    gauge("clock_ahead_seconds", "How far this machine's clock is ahead of the broker's."),
		diskFree: gauge("disk_free_bytes", "Free space on the disk of the embedded server."),
		diskSize: gauge("disk_size_bytes", "Size of the disk of the embedded server."),
	}
	r.MustRegister(m)
	return m
}

// Found records the result of a check.
func (m *VitalsMetrics) Found(found vitals.Found) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found = &found
}

// Disk records the space on the disk of the embedded server.
func (m *VitalsMetrics) Disk(free, size uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free, m.size = free, size
}

// Stage adds a stage, whose commits show that writes are accepted.
func (m *VitalsMetrics) Stage(s *StageMetrics) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stages = append(m.stages, s)
}

// Wrote records that a probe was stored.
func (m *VitalsMetrics) Wrote() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.written = time.Now()
}

// LastWrite returns when a write of this process was last accepted, a commit or a probe.
func (m *VitalsMetrics) LastWrite() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.written
	for _, s := range m.stages {
		if at := s.LastCommit(); at.After(last) {
			last = at
		}
	}
	return last
}

// Describe implements prometheus.Collector.
func (m *VitalsMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []description{m.leader, m.replicas, m.current, m.bytes, m.maxBytes, m.last, m.faults, m.clock, m.diskFree, m.diskSize} {
		to <- d.desc
	}
}

// Collect implements prometheus.Collector.
func (m *VitalsMetrics) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size > 0 {
		to <- m.diskFree.metric(float64(m.free))
		to <- m.diskSize.metric(float64(m.size))
	}
	if m.found == nil {
		return
	}
	for _, s := range m.found.Streams {
		leader := 0.0
		if s.Leader {
			leader = 1
		}
		to <- m.leader.metric(leader, s.Name)
		to <- m.replicas.metric(float64(s.Replicas), s.Name)
		to <- m.current.metric(float64(s.Current), s.Name)
		to <- m.bytes.metric(float64(s.Bytes), s.Name)
		to <- m.maxBytes.metric(float64(s.MaxBytes), s.Name)
		if !s.LastWrite.IsZero() {
			to <- m.last.metric(float64(s.LastWrite.UnixMilli())/1000, s.Name)
		}
	}
	if m.found.Clock {
		to <- m.clock.metric(m.found.ClockAhead.Seconds())
	}
	seen := map[[2]string]bool{} // by labels: two series of the same would fail the whole scrape
	for _, f := range m.found.All() {
		if key := [2]string(m.faults.labels.valuesOf([]string{f.Stream, string(f.Kind)})); !seen[key] {
			seen[key] = true
			to <- m.faults.metric(1, key[:]...)
		}
	}
}
