package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// SessionSummary is one line of the list of sessions.
type SessionSummary struct {
	Session    string    `json:"session"`
	Agent      string    `json:"agent,omitempty"`
	Turns      int       `json:"turns"`
	Signals    int       `json:"signals"`
	Interrupts int       `json:"interrupts"`
	Closed     bool      `json:"closed"`
	Last       time.Time `json:"last_event"`
}

// Sessions folds DECISIONS into summaries; it is not safe for concurrent use.
type Sessions struct{ byID map[string]*SessionSummary }

// NewSessions starts empty.
func NewSessions() *Sessions { return &Sessions{byID: map[string]*SessionSummary{}} }

// Apply takes one event.
func (s *Sessions) Apply(e events.Event) {
	d, ok := events.Lookup(e.Type)
	if !ok || e.Subject == "" || d.SubjectClass == "run.raw" {
		return
	}
	summary := s.byID[e.Subject]
	if summary == nil {
		summary = &SessionSummary{Session: e.Subject}
		s.byID[e.Subject] = summary
	}
	if e.Time.After(summary.Last) {
		summary.Last = e.Time
	}
	switch d := e.Data.(type) {
	case *events.SessionOpened:
		if d.Agent != nil {
			summary.Agent = d.Agent.Kind
		}
	case *events.TurnEvaluated:
		summary.Turns, summary.Closed = summary.Turns+1, false
		if d.Observed != nil && d.Observed.Agent != nil && summary.Agent == "" {
			summary.Agent = d.Observed.Agent.Kind
		}
	case *events.Signal:
		summary.Signals++
	case *events.InterruptFired:
		summary.Interrupts++
	case *events.SessionClosed:
		summary.Closed = true
	}
}

// List is every session, the latest first.
func (s *Sessions) List() []SessionSummary {
	list := make([]SessionSummary, 0, len(s.byID))
	for _, summary := range s.byID {
		list = append(list, *summary)
	}
	slices.SortFunc(list, func(a, b SessionSummary) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Session, b.Session))
	})
	return list
}

// SessionFilters select everything DECISIONS holds of one session.
func SessionFilters(session string) []string {
	var filters []string
	for _, class := range events.Classes(events.StreamDecisions) {
		filters = append(filters, class+".*.*."+session)
	}
	return append(filters, "decisions.*.*.*.*."+session)
}

// ReadReport folds the report of one session from DECISIONS (DP-32).
func ReadReport(ctx context.Context, broker *natsio.Broker, session string) (report.Model, error) {
	if !events.ValidID(session) {
		return report.Model{}, fmt.Errorf("%q is no session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", session)
	}
	set := report.NewSet()
	err := broker.ReadAll(ctx, natsio.ReaderOptions{
		Stage: "dispatcher", Partition: natsio.AllPartitions, Filters: SessionFilters(session),
	}, func(a natsio.Accepted) error { set.Apply(a.Input.Event); return nil })
	if err != nil {
		return report.Model{}, fmt.Errorf("read the decisions about %s: %w", session, err)
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
// that DECISIONS does not hold and starts anew from it.
type reporter struct {
	directory string
	log       *slog.Logger
	broker    *natsio.Broker

	mu       sync.Mutex
	sessions *Sessions
	feed     map[chan events.Event]bool
}

func newReporter(directory string, log *slog.Logger) *reporter {
	return &reporter{directory: directory, log: log, sessions: NewSessions(), feed: map[chan events.Event]bool{}}
}

// run reads DECISIONS from its beginning until ctx ends.
func (r *reporter) run(ctx context.Context, broker *natsio.Broker, healthy func(error)) error {
	r.mu.Lock()
	r.broker = broker
	r.mu.Unlock()
	for ctx.Err() == nil {
		err := r.read(ctx, healthy)
		if ctx.Err() != nil {
			return nil
		}
		healthy(err)
		r.log.Warn("decisions cannot be read, trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (r *reporter) read(ctx context.Context, healthy func(error)) error {
	reader, err := r.broker.Reader(ctx, natsio.ReaderOptions{Stage: "dispatcher", Partition: natsio.AllPartitions})
	if err != nil {
		return err
	}
	defer reader.Close()
	r.mu.Lock()
	r.sessions = NewSessions()
	r.mu.Unlock()
	healthy(nil)
	for {
		a, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		if !a.Idle && a.Fault == "" {
			r.take(ctx, a.Input.Event)
		}
	}
}

func (r *reporter) take(ctx context.Context, e events.Event) {
	r.mu.Lock()
	r.sessions.Apply(e)
	for listener := range r.feed {
		select {
		case listener <- e:
		default: // a page that does not keep up loses events, not the service
		}
	}
	r.mu.Unlock()
	if e.Type == events.TypeSessionClosed && r.directory != "" {
		if err := r.write(ctx, e.Subject); err != nil {
			r.log.Warn("report not written", "session", e.Subject, "error", err)
		}
	}
}

// write puts a session's report into the directory, as Markdown and JSON.
func (r *reporter) write(ctx context.Context, session string) error {
	m, err := ReadReport(ctx, r.broker, session)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.directory, 0o750); err != nil {
		return fmt.Errorf("make the reports directory: %w", err)
	}
	for ending, render := range map[string]Renderer{".md": report.RenderMarkdown, ".json": report.RenderJSON} {
		if err := writeFile(filepath.Join(r.directory, session+ending), render, m); err != nil {
			return err
		}
	}
	return nil
}
