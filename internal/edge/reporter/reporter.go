// Package reporter is the service that shows people what was decided: lists, reports and the live feed over
// HTTP, and report files, all from DECISIONS.
package reporter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// reporter is the service: the list of sessions, reports on request, a report file when a session closes
// or its primary signals that it is done, the live feed. It keeps nothing that DECISIONS does not hold; its
// read model records how far it has read.
type reporter struct {
	settings config.Reports
	reading  *decisions.Reading
	titles   map[string]string // titles of detectors by id
	log      *slog.Logger
	answers  *Answers
	said     bool   // it may read what was said
	foot     string // footer of every view
	rules    console.Rules
	debt     readmodel.Debt // by the rules in force

	mu      sync.Mutex
	broker  *nats.Broker
	model   *readmodel.Model // nil while it is not open
	changed chan struct{}    // closed when model is set
	feed    map[chan events.Event]bool
}

func newReporter(settings config.Reports, reading *decisions.Reading, titles map[string]string, log *slog.Logger) *reporter {
	return &reporter{
		settings: settings, reading: reading, titles: titles, log: log,
		changed: make(chan struct{}), feed: map[chan events.Event]bool{},
	}
}

// run follows DECISIONS until ctx ends, from the read model's position. After any failure it reopens the
// model and continues from there. It fails if this version must not touch the model.
func (r *reporter) run(ctx context.Context, broker *nats.Broker, healthy func(error)) error {
	r.mu.Lock()
	r.broker = broker
	r.mu.Unlock()
	for ctx.Err() == nil {
		err := r.attempt(ctx, healthy)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, readmodel.ErrNewer), errors.Is(err, readmodel.ErrForeign):
			return err
		}
		healthy(err)
		r.log.Warn("the read model failed, retrying", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (r *reporter) attempt(ctx context.Context, healthy func(error)) error {
	model, err := openModel(ctx, r.settings, r.log)
	if err != nil {
		return err
	}
	r.setModel(model)
	defer func() {
		r.setModel(nil)
		if err := model.Close(); err != nil {
			r.log.Warn("close the read model", "error", err)
		}
	}()
	follower := modelFollower{
		model: model, broker: r.broker, log: r.log, healthy: healthy, maxBytes: r.settings.DatabaseBytes,
		before: r.writeReports, after: r.tell,
	}
	return follower.run(ctx)
}

func (r *reporter) setModel(m *readmodel.Model) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.model = m
	close(r.changed)
	r.changed = make(chan struct{})
}

// openPatience is how long a page waits for the model: it is open a moment after `up` listens.
const openPatience = 5 * time.Second

// awaited returns the model for a page once it is open, nil if that takes too long.
func (r *reporter) awaited(ctx context.Context) *readmodel.Model {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	for {
		r.mu.Lock()
		model, changed := r.model, r.changed
		r.mu.Unlock()
		if model != nil {
			return model
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// opened returns the model for a request, nil while it is not open.
func (r *reporter) opened() *readmodel.Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.model
}

// tell passes events to the listeners.
func (r *reporter) tell(batch []readmodel.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for listener := range r.feed {
		for _, record := range batch {
			if record.Event.Type == "" {
				continue
			}
			select {
			case listener <- record.Event:
			default: // a page that cannot keep up loses events, without affecting the service
			}
		}
	}
}

// writeReports writes the files of the sessions and runs that end in a batch, before the batch counts as
// read: after a crash in between they are written again. A report is read as of now, so that of several events
// of a batch that complete it the last one is enough.
func (r *reporter) writeReports(ctx context.Context, batch []readmodel.Record) {
	if r.settings.Directory == "" {
		return
	}
	last := map[string]int{}
	for i, record := range batch {
		if file, write := r.reportable(record.Event); write != nil {
			last[file] = i
		}
	}
	for i, record := range batch {
		if record.Event.Type == runevents.TypeContentPurged {
			r.removeReports(ctx, record)
			continue
		}
		file, write := r.reportable(record.Event)
		if write == nil || last[file] != i {
			continue
		}
		if err := r.writeInto(ctx, record.Event.Subject, write); err != nil {
			r.log.Warn("report not written", "of", record.Event.Subject, "error", err)
		}
	}
}

// writeInto writes a report into the directory, which it creates if necessary.
func (r *reporter) writeInto(ctx context.Context, id string, write func(context.Context, string) error) error {
	if err := os.MkdirAll(r.settings.Directory, 0o750); err != nil {
		return fmt.Errorf("create the reports directory: %w", err)
	}
	return write(ctx, id)
}

// write writes a session's report into the directory, in each configured format.
func (r *reporter) write(ctx context.Context, session string) error {
	m, err := decisions.ReadReport(ctx, r.broker, session, r.reading.Alone())
	if err != nil {
		return err
	}
	return r.store(m)
}

// writeDone writes the report of an open session whose primary signals that it is done. The session stays open:
// what waits in its queue is said if the work goes on, and its end replaces the report.
func (r *reporter) writeDone(ctx context.Context, session string) error {
	m, err := decisions.ReadReport(ctx, r.broker, session, r.reading.Alone())
	if err != nil || !m.Session.Closed && m.Session.DoneTurn == 0 {
		return err
	}
	return r.store(m)
}

func (r *reporter) store(m sessionreport.Model) error {
	session := m.Session.ID
	for _, form := range r.settings.Formats {
		if err := writeFile(filepath.Join(r.settings.Directory, session+"."+form), form, sessionreport.Report(m)); err != nil {
			return err
		}
	}
	return nil
}
