// Package decisions reads DECISIONS for people: lists, reports and what is pending, folded from the stream
// or queried from the read model.
package decisions

import (
	"context"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// SessionSummary is one line of the list of sessions.
type SessionSummary = readmodel.Session

// ReadReport folds the report of one session from DECISIONS (DP-32). The reading is optional and defaults
// to that of the embedded rule data.
func ReadReport(ctx context.Context, broker *nats.Broker, session string, by ...*Reading) (sessionreport.Model, error) {
	if !events.ValidID(session) {
		return sessionreport.Model{}, fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", session)
	}
	reading, err := chosenReading(by)
	if err != nil {
		return sessionreport.Model{}, err
	}
	about, through, err := read.About(ctx, broker, "dispatcher", subjects.DecidedAboutSession(session))
	if err != nil {
		return sessionreport.Model{}, fmt.Errorf("read the decisions about %s: %w", session, err)
	}
	list := make([]events.Event, 0, len(about))
	for _, a := range about {
		list = append(list, a.Input.Event)
	}
	if len(about) > 0 {
		children, err := readSubagents(ctx, broker, session, about[len(about)-1].Group)
		if err != nil {
			return sessionreport.Model{}, err
		}
		list = append(list, children...)
	}
	m, err := FoldReport(list, session, reading)
	if err != nil {
		return m, err
	}
	m.Heads, err = headsOf(ctx, broker, about[len(about)-1].Group, through)
	return m, err
}

// readSubagents returns the decisions about the subagents of a session, which are in its group (EV-4).
func readSubagents(ctx context.Context, broker *nats.Broker, session, group string) (list []events.Event, err error) {
	existing, err := read.SubjectsOf(ctx, broker, "dispatcher", []string{"*.*.*." + group + ".*"})
	if err != nil {
		return nil, fmt.Errorf("find the subagents of %s: %w", session, err)
	}
	var filters []string
	known := map[string]bool{}
	for _, s := range existing {
		id := s[strings.LastIndexByte(s, '.')+1:]
		if strings.HasPrefix(id, naming.Children(session)) && !known[id] {
			known[id] = true
			filters = append(filters, subjects.DecidedAboutSession(id)...)
		}
	}
	if len(filters) == 0 {
		return nil, nil
	}
	about, _, err := read.About(ctx, broker, "dispatcher", filters)
	if err != nil {
		return nil, fmt.Errorf("read the decisions about the subagents of %s: %w", session, err)
	}
	for _, a := range about {
		list = append(list, a.Input.Event)
	}
	return list, nil
}

// FoldReport folds decisions, which may include those of other sessions, into the report of a session.
func FoldReport(list []events.Event, session string, by *Reading) (sessionreport.Model, error) {
	set := sessionreport.NewSet(by.session)
	for _, ev := range list {
		by.saw(ev)
		set.Apply(ev)
	}
	m, ok := set.Result(session)
	if !ok {
		return m, fmt.Errorf("%w %s; `scaffoldwatch sessions` lists them", ErrNoSession, naming.Brief(session))
	}
	return m, nil
}

// ReadSaid returns what was said and done in a session, by turn, segmented and redacted.
func ReadSaid(ctx context.Context, broker *nats.Broker, session string) (map[int]*sessionevents.TurnSegmented, error) {
	about, _, err := read.About(ctx, broker, "ingest", []string{subjects.SessionFilter(sessionevents.TypeTurnSegmented, session)})
	if err != nil {
		return nil, fmt.Errorf("read the turns of session %s: %w", session, err)
	}
	said := make(map[int]*sessionevents.TurnSegmented, len(about))
	for _, a := range about {
		if t, is := a.Input.Event.Data.(*sessionevents.TurnSegmented); is && a.Fault == "" {
			said[t.Turn] = t
		}
	}
	return said, nil
}

// ErrNoSession is returned if DECISIONS holds nothing about a session.
var ErrNoSession = fmt.Errorf("nothing is known of session")

// ReadGroup folds the reports of all sessions of a run, sorted by id. There may be none.
func ReadGroup(ctx context.Context, broker *nats.Broker, run string, by *Reading) ([]sessionreport.Model, error) {
	if !events.ValidID(run) {
		return nil, fmt.Errorf("%q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", run)
	}
	set := sessionreport.NewSet(by.session)
	about, _, err := read.About(ctx, broker, "dispatcher", []string{"*.*.*." + run + ".*", "decisions.*.*.*." + run + ".*"})
	if err != nil {
		return nil, fmt.Errorf("read the decisions about %s: %w", run, err)
	}
	for _, a := range about {
		by.saw(a.Input.Event)
		set.Apply(a.Input.Event)
	}
	return set.Results(), nil
}
