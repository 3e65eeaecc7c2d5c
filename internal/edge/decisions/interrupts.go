package decisions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// interruptFilters returns the filters of all events about interrupts.
func interruptFilters() []string {
	return []string{
		subjects.FleetFilter(sessionevents.TypeInterruptFired),
		"decisions." + string(sessionevents.TypeInterruptDelivery) + ".>",
		"decisions." + string(runevents.TypeOperatorAct) + ".>",
	}
}

// Errors about an interrupt that a person named.
var (
	ErrNoInterrupt = errors.New("no such interrupt")
	ErrAmbiguous   = errors.New("several interrupts begin with")
)

// UnansweredInterrupts returns the interrupts that nobody answered, in sessions that are open or were
// interrupted after since, latest first, at most limit.
func UnansweredInterrupts(ctx context.Context, broker *nats.Broker, since time.Time, limit int) ([]readmodel.Interrupt, error) {
	model, err := ReadModel(ctx, ReadAfresh, broker, append(interruptFilters(), "decisions."+string(sessionevents.TypeSessionClosed)+".>")...)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	return model.UnansweredInterrupts(ctx, "", since, limit)
}

// UnansweredInterruptsOf returns the interrupts of a session, or of all sessions of a run, that nobody
// answered, at most limit.
func UnansweredInterruptsOf(ctx context.Context, broker *nats.Broker, p Place, limit int) ([]readmodel.Interrupt, error) {
	filters := subjects.DecidedAboutSession(p.ID)
	if p.Run {
		filters = append(filters, subjects.DecidedAboutRun(p.ID)...)
	}
	model, err := ReadModel(ctx, ReadAfresh, broker, filters...)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	sessions := []readmodel.Session{{Session: p.ID}}
	if p.Run {
		if sessions, err = model.GroupSessions(ctx, p.ID); err != nil {
			return nil, err
		}
	}
	var list []readmodel.Interrupt
	for _, s := range sessions {
		open, err := model.UnansweredInterrupts(ctx, s.Session, time.Time{}, limit-len(list))
		if err != nil {
			return nil, err
		}
		if list = append(list, open...); len(list) >= limit {
			break
		}
	}
	return list, nil
}

// SubjectOf returns what an interrupt is about, "" if that is no longer known.
func SubjectOf(ctx context.Context, broker *nats.Broker, i readmodel.Interrupt) (string, error) {
	model, err := ReadModel(ctx, ReadAfresh, broker, subjects.DecidedAboutSession(i.Session)...)
	if err != nil {
		return "", err
	}
	defer model.Close()
	return model.SubjectOf(ctx, i)
}

// FindInterrupt returns the interrupt in DECISIONS with an id, or with a unique prefix of it.
func FindInterrupt(ctx context.Context, broker *nats.Broker, id string) (readmodel.Interrupt, error) {
	if !events.ValidID(id) {
		return readmodel.Interrupt{}, fmt.Errorf("%q is not the id of an interrupt; `scaffoldwatch ack` without an id lists them", id)
	}
	model, err := ReadModel(ctx, ReadAfresh, broker, interruptFilters()...)
	if err != nil {
		return readmodel.Interrupt{}, err
	}
	defer model.Close()
	found, err := model.FindInterrupts(ctx, id, 2)
	switch {
	case err != nil:
		return readmodel.Interrupt{}, err
	case len(found) == 0:
		return readmodel.Interrupt{}, fmt.Errorf("%w %s; `scaffoldwatch ack` without an id lists the pending ones for an answer", ErrNoInterrupt, id)
	case len(found) > 1 && found[0].ID != id:
		return readmodel.Interrupt{}, fmt.Errorf("%w %s: %s, %s …; give more of the id", ErrAmbiguous, id, found[0].ID, found[1].ID)
	}
	return found[0], nil
}
