package service

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	// vitalsEvery is how often the streams are checked, and how long a service may go without a commit
	// before a write is tried.
	vitalsEvery = 5 * time.Second
	// vitalsAgain is the interval after a fault.
	vitalsAgain = 2 * time.Second
	// behindFor is how long a replica may lag: a server restart or a burst is over sooner.
	behindFor = 15 * time.Second
)

// Names of the checks in /readyz. Those of stages are the stages' names.
const (
	checkNATS     = "nats"
	checkStreams  = "streams"
	checkWrites   = "writes"
	checkReplicas = "replicas"
	checkSettings = "settings"
	checkClock    = "clock"
	checkServer   = "server"
	checkDisk     = "disk"
)

// checkOf returns the name under which a kind of fault is reported.
func checkOf(kind vitals.Kind) string {
	switch kind {
	case vitals.ReplicaBehind:
		return checkReplicas
	case vitals.WrongReplicas, vitals.WrongCompression:
		return checkSettings
	case vitals.ClockOff:
		return checkClock
	case vitals.ServerSilent:
		return checkNATS
	case vitals.OldServer:
		return checkServer
	case vitals.DiskLow, vitals.DiskFull, vitals.StoreFull:
		return checkDisk
	case vitals.PermissionDenied, vitals.WriteRefused:
		return checkWrites
	}
	return checkStreams
}

// watcher checks the streams of a process.
type watcher struct {
	*Process
	broker  *nats.Broker
	metrics *obs.VitalsMetrics
	reads   []string
	writes  []vitals.Write
	stage   string // stage that stores probes; "" if no stage runs
	denied  bool   // the user may not store any
	silent  bool   // the server was silent at the last check
	behind  map[string]time.Time
}

// watchVitals reports, until ctx ends, whether the streams that the services of the process use can be read
// and written.
func (p *Process) watchVitals(ctx context.Context, broker *nats.Broker) {
	w := &watcher{Process: p, broker: broker, metrics: p.vitals, writes: slices.Clone(p.writes), behind: map[string]time.Time{}}
	for _, s := range p.Services {
		w.reads = append(w.reads, s.Reads...)
		w.writes = append(w.writes, s.Writes...)
		if len(s.Writes) > 0 && w.stage == "" {
			w.stage = s.Name
		}
	}
	for _, write := range w.writes {
		w.reads = append(w.reads, write.Stream)
	}
	if slices.Contains(w.reads, string(events.StreamInput)) {
		for _, i := range broker.Topology().Intakes {
			w.reads = append(w.reads, i.Stream())
		}
	}
	for {
		wait := vitalsEvery
		if !w.look(ctx) {
			wait = vitalsAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// look checks once, and reports whether everything is healthy.
func (w *watcher) look(ctx context.Context) bool {
	conn := w.broker.Conn()
	if !conn.IsConnected() {
		return false // which its own check says; requests would fail for that alone
	}
	connections := conn.Stats().Reconnects
	if silent := vitals.Silent(ctx, w.broker.Conn()); silent != nil {
		w.heard(silent) // nothing can be learnt about the streams
		w.metrics.Found(vitals.Found{Faults: []vitals.Fault{*silent}})
		return false
	}
	var tried []vitals.Fault
	var group sync.WaitGroup
	group.Go(func() { tried = w.tryWrites(ctx) })
	found := vitals.Look(ctx, w.broker.JetStream(), w.broker.Topology(), w.reads...)
	group.Wait()
	if ctx.Err() != nil {
		return true // failures while the process ends mean nothing
	}
	if !conn.IsConnected() || conn.Stats().Reconnects != connections {
		return false // nor do those of a connection that was lost meanwhile
	}
	found.Faults = append(append(found.Faults, tried...), w.disk(append(found.All(), tried...))...)
	w.heard(found.Hear(ctx, w.broker.Conn()))
	w.metrics.Found(found)
	faults := found.All()
	byCheck := map[string][]error{}
	well := true
	for _, f := range faults {
		well = well && f.Degraded()
		byCheck[checkOf(f.Kind)] = append(byCheck[checkOf(f.Kind)], w.patient(f))
	}
	w.forget(faults)
	for _, check := range []string{checkStreams, checkWrites, checkReplicas, checkSettings, checkClock, checkServer, checkDisk} {
		w.Report(check, joined(byCheck[check]))
	}
	return well
}

// heard records whether the connection's server is silent, which then explains other faults.
func (w *watcher) heard(silent *vitals.Fault) {
	switch {
	case silent != nil:
		w.Report(checkNATS, *silent)
		if !w.silent {
			w.Log.Warn("the server of the connection is silent", "error", silent.Text)
		}
	case w.silent && w.broker.Conn().IsConnected():
		w.Report(checkNATS, nil)
	}
	w.silent = silent != nil
}

// tryWrites tries what the process writes; if no stage has committed for a while, it also stores a probe.
func (w *watcher) tryWrites(ctx context.Context) []vitals.Fault {
	faults := vitals.TryWrites(ctx, w.broker.Conn(), w.writes...)
	if w.stage == "" || w.denied || time.Since(w.metrics.LastWrite()) < vitalsEvery {
		return faults
	}
	switch f := vitals.Store(ctx, w.broker.Conn(), w.stage); {
	case f == nil:
		w.metrics.Wrote()
	case f.Kind == vitals.PermissionDenied:
		w.denied = true
		w.Log.Warn("this user may not store probes, so a full disk shows only with the next commit; see deploy/nats/nats.conf", "error", f.Text)
	default:
		faults = append(faults, *f)
	}
	return faults
}

// disk checks the disk of an embedded server, and the errors that the server reported; other servers have
// their own monitoring.
func (w *watcher) disk(others []vitals.Fault) []vitals.Fault {
	if w.Server == nil {
		return nil
	}
	if said := w.Server.Broken(); said != "" {
		return []vitals.Fault{vitals.Broken(said)}
	}
	free, size, err := w.Server.Room()
	if err != nil {
		return nil // the platform does not report it
	}
	w.metrics.Disk(free, size)
	refused := slices.ContainsFunc(others, func(f vitals.Fault) bool { return f.Kind == vitals.NoAnswer || f.Kind == vitals.WriteRefused })
	if f := vitals.Room(free, size, refused); f != nil {
		return []vitals.Fault{*f}
	}
	return nil
}

// patient reduces the fault of a replica that has not lagged for long to a warning.
func (w *watcher) patient(f vitals.Fault) error {
	if f.Kind != vitals.ReplicaBehind {
		return f
	}
	if w.behind[f.Stream].IsZero() {
		w.behind[f.Stream] = time.Now()
	}
	if time.Since(w.behind[f.Stream]) < behindFor {
		return degraded{f}
	}
	return f
}

// forget removes the replicas that are current again.
func (w *watcher) forget(faults []vitals.Fault) {
	for stream := range w.behind {
		if !slices.ContainsFunc(faults, func(f vitals.Fault) bool { return f.Kind == vitals.ReplicaBehind && f.Stream == stream }) {
			delete(w.behind, stream)
		}
	}
}

// degraded is an error despite which a service still works.
type degraded struct{ error }

// Degraded marks it for /readyz.
func (degraded) Degraded() bool { return true }

// joined returns the errors as one, which is a warning only if all of them are.
func joined(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	for _, err := range errs {
		if d, is := err.(interface{ Degraded() bool }); !is || !d.Degraded() {
			return errors.Join(errs...)
		}
	}
	return degraded{errors.Join(errs...)}
}
