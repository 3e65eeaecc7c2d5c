package decisions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/nearest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Errors about an id that a person gave.
var (
	ErrUnknown = errors.New("nothing is known of a run or session")
	ErrSeveral = errors.New("several runs and sessions begin with")
)

// Place is the run or session that an id names. A session may have the id of a run; then it is both.
type Place struct {
	ID             string
	Run, IsSession bool   // what it is
	Group          string // the group in which a session is decided: its run, or itself (EV-4)
}

// RunID returns the run that the place is or belongs to, "" for a session without a run.
func (p Place) RunID() string {
	switch {
	case p.Run:
		return p.ID
	case p.Group != p.ID:
		return p.Group
	}
	return ""
}

// Kind names the kind of the place.
func (p Place) Kind() string {
	if p.Run {
		return "run"
	}
	return "session"
}

// FindPlace returns the run or session with an id, or else the only one whose id begins with it (CO-5a).
// Ids that appear only in an unproven message do not count (EV-6). The error wraps ErrUnknown, and suggests
// what may have been meant, or ErrSeveral.
func FindPlace(ctx context.Context, broker *nats.Broker, id string) (Place, error) {
	return findPlace(ctx, broker, id, true)
}

// Named is [FindPlace] for readers: an unknown id is returned unchanged, so that people can ask for what
// was decided before the oldest message kept, or will be.
func Named(ctx context.Context, broker *nats.Broker, id string) (Place, error) {
	p, err := FindPlace(ctx, broker, id)
	if errors.Is(err, ErrUnknown) {
		return Place{ID: id, Group: id}, nil
	}
	return p, err
}

// FindWhole is [FindPlace] for programs, which must give the whole id: a guess might let a run continue
// that nobody asked about.
func FindWhole(ctx context.Context, broker *nats.Broker, id string) (Place, error) {
	return findPlace(ctx, broker, id, false)
}

func findPlace(ctx context.Context, broker *nats.Broker, id string, byPrefix bool) (Place, error) {
	if !events.ValidID(id) && !(byPrefix && naming.Typed(id)) {
		return Place{}, fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", id)
	}
	known, err := knownIDs(ctx, broker)
	if err != nil {
		return Place{}, err
	}
	if slices.Contains(known, id) {
		if p, err := provenPlace(ctx, broker, id); err != nil || p.ID != "" {
			return p, err
		}
	}
	if p, err := remembered(ctx, broker, id); err != nil || p.ID != "" {
		return p, err
	}
	if byPrefix {
		if p, err := beginning(ctx, broker, id, known); err != nil || p.ID != "" {
			return p, err
		}
	}
	hint := ";"
	if best := nearest.Name(id, known); best != "" && best != id {
		hint = fmt.Sprintf("; did you mean %s?", naming.Brief(best))
	}
	return Place{}, fmt.Errorf("%w %s%s `scaffoldwatch runs` and `scaffoldwatch sessions` list them", ErrUnknown, id, hint)
}

// knownIDs returns, sorted, the ids with a decision on their control state. Every run and session has one
// from its first event on (EV-8).
func knownIDs(ctx context.Context, broker *nats.Broker) ([]string, error) {
	list, err := read.SubjectsOf(ctx, broker, "dispatcher", []string{subjects.FleetFilter(runevents.TypeControlChanged)})
	if err != nil {
		return nil, fmt.Errorf("look for runs and sessions: %w", err)
	}
	var ids []string
	for _, subject := range list {
		if id := subject[strings.LastIndexByte(subject, '.')+1:]; events.ValidID(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// provenPlace returns what an id names, the zero value if no decision proves it.
func provenPlace(ctx context.Context, broker *nats.Broker, id string) (p Place, err error) {
	about, _, err := read.About(ctx, broker, "dispatcher", []string{subjects.SessionFilter(runevents.TypeControlChanged, id)})
	if err != nil {
		return p, fmt.Errorf("read what is decided about %s: %w", id, err)
	}
	for _, a := range about {
		changed, is := a.Input.Event.Data.(*runevents.ControlChanged)
		switch {
		case !is || a.Fault != "":
			continue
		case changed.Scope == runevents.ScopeRun:
			p.Run = true
		default:
			p.IsSession, p.Group = true, a.Input.Event.Group()
		}
		p.ID = id
	}
	if p.ID != "" && p.Group == "" {
		p.Group = id
	}
	return p, nil
}

// sessionTypes are the types of events whose subject is a session.
var sessionTypes = []events.Type{sessionevents.TypeSessionOpened, sessionevents.TypeTurnEvaluated, sessionevents.TypeSessionClosed}

// remembered returns a run or session whose control decisions have aged out, from what else is known of the
// complete id.
func remembered(ctx context.Context, broker *nats.Broker, id string) (p Place, err error) {
	about, _, err := read.About(ctx, broker, "dispatcher", subjects.DecidedAboutSession(id))
	if err != nil {
		return p, fmt.Errorf("read what is decided about %s: %w", id, err)
	}
	for _, a := range about {
		if a.Fault != "" || a.Input.Event.Subject != id {
			continue
		}
		e := a.Input.Event
		if described, known := events.Lookup(e.Type); known && described.RunEvent && e.Group() == id {
			p.ID, p.Run = id, true
		} else if slices.Contains(sessionTypes, e.Type) {
			p.ID, p.IsSession, p.Group = id, true, e.Group()
		}
	}
	if p.ID != "" && p.Group == "" {
		p.Group = id
	}
	return p, nil
}

// beginning returns the only run or session whose id starts with some letters (CO-5a).
func beginning(ctx context.Context, broker *nats.Broker, id string, known []string) (found Place, err error) {
	for _, k := range known {
		if !naming.Means(id, k) {
			continue
		}
		p, err := provenPlace(ctx, broker, k)
		switch {
		case err != nil:
			return Place{}, err
		case p.ID == "": // an unproven message
		case found.ID != "":
			return Place{}, fmt.Errorf("%w %s: %s …; give more of the id", ErrSeveral, id, strings.Join(naming.Briefs(found.ID, p.ID), ", "))
		default:
			found = p
		}
	}
	return found, nil
}
