package app

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
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// SessionSummary is one line of the list of sessions.
type SessionSummary = readmodel.Session

// SessionFilters select everything DECISIONS holds of one session.
func SessionFilters(session string) []string {
	var filters []string
	for _, class := range subjects.Classes(events.StreamDecisions) {
		filters = append(filters, class+".*.*."+session)
	}
	return append(filters, "decisions.*.*.*.*."+session)
}

// ReadReport folds the report of one session from DECISIONS (DP-32). A reading may
// be left out for that of the embedded rule data.
func ReadReport(ctx context.Context, broker *nats.Broker, session string, by ...*Reading) (sessionreport.Model, error) {
	if !events.ValidID(session) {
		return sessionreport.Model{}, fmt.Errorf("%q is no session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", session)
	}
	reading, err := chosenReading(by)
	if err != nil {
		return sessionreport.Model{}, err
	}
	set := sessionreport.NewSet(reading.session)
	err = broker.ReadAll(ctx, nats.ReaderOptions{
		Stage: "dispatcher", Partition: nats.AllPartitions, Filters: SessionFilters(session),
	}, func(a nats.Accepted) error {
		reading.saw(a.Input.Event)
		set.Apply(a.Input.Event)
		return nil
	})
	if err != nil {
		return sessionreport.Model{}, fmt.Errorf("read the decisions about %s: %w", session, err)
	}
	m, ok := set.Result(session)
	if !ok {
		return m, fmt.Errorf("%w %s; `scaffoldwatch sessions` lists them", ErrNoSession, session)
	}
	return m, nil
}

// ErrNoSession says that DECISIONS holds nothing of a session.
var ErrNoSession = fmt.Errorf("nothing is known of session")

// reporter is the service that tells people: the list of sessions, reports on
// request, a report file when a session closes, the live feed. It keeps nothing
// that DECISIONS does not hold; its read model says how far it got.
type reporter struct {
	settings config.Reports
	reading  *Reading
	titles   map[string]string // of detectors by id
	log      *slog.Logger

	mu     sync.Mutex
	broker *nats.Broker
	model  *readmodel.Model // nil while it is not open
	feed   map[chan events.Event]bool
}

func newReporter(settings config.Reports, reading *Reading, titles map[string]string, log *slog.Logger) *reporter {
	return &reporter{settings: settings, reading: reading, titles: titles, log: log, feed: map[chan events.Event]bool{}}
}

// run follows DECISIONS until ctx ends, from where the read model stands. After
// any failure it opens the model again and goes on from there. A model that this
// version must not touch ends the service.
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
		r.log.Warn("the read model does not go on, trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (r *reporter) attempt(ctx context.Context, healthy func(error)) error {
	model, err := openModel(ctx, r.settings, r.reading, r.log)
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
	follower := modelFollower{model: model, broker: r.broker, log: r.log, healthy: healthy, before: r.writeReports, after: r.tell}
	return follower.run(ctx)
}

func (r *reporter) setModel(m *readmodel.Model) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.model = m
}

// opened is the model, for a request; nil while it is not open.
func (r *reporter) opened() *readmodel.Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.model
}

// tell gives events to those who listen.
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
			default: // a page that does not keep up loses events, not the service
			}
		}
	}
}

// writeReports writes the files of what ends in a batch, sessions and runs, before
// the batch counts as read: a crash in between writes them again.
func (r *reporter) writeReports(ctx context.Context, batch []readmodel.Record) {
	if r.settings.Directory == "" {
		return
	}
	for _, record := range batch {
		write := r.reportable(record.Event)
		if write == nil {
			continue
		}
		if err := r.writeInto(ctx, record.Event.Subject, write); err != nil {
			r.log.Warn("report not written", "of", record.Event.Subject, "error", err)
		}
	}
}

// writeInto writes a report into the directory, which is made where it is missing.
func (r *reporter) writeInto(ctx context.Context, id string, write func(context.Context, string) error) error {
	if err := os.MkdirAll(r.settings.Directory, 0o750); err != nil {
		return fmt.Errorf("make the reports directory: %w", err)
	}
	return write(ctx, id)
}

// write puts a session's report into the directory, in each form that is wanted.
func (r *reporter) write(ctx context.Context, session string) error {
	m, err := ReadReport(ctx, r.broker, session, r.reading.alone())
	if err != nil {
		return err
	}
	for _, form := range r.settings.Formats {
		if err := writeFile(filepath.Join(r.settings.Directory, session+"."+form), sessionForms[form], m); err != nil {
			return err
		}
	}
	return nil
}
