package advisor

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// said returns the subjects of SEGMENTS with what a session said.
func said(session string) []string {
	return []string{
		subjects.SessionFilter(sessionevents.TypeTurnSegmented, session),
		"segments." + subjects.SessionFilter(sessionevents.TypeSessionOpened, session),
	}
}

// decided returns the subjects of DECISIONS with what a question needs about a session.
func decided(session string) []string {
	var out []string
	for _, t := range []events.Type{sessionevents.TypeSignalDetected, sessionevents.TypeTurnEvaluated} {
		out = append(out, "decisions."+subjects.SessionFilter(t, session))
	}
	return out
}

// Record reads what a question about a session is built from, as it was when a turn closed. The same record
// gives the same question, live or years later.
func Record(ctx context.Context, broker *nats.Broker, session string, turn int) (*opinion.Record, error) {
	r := opinion.NewRecord(session)
	turns, _, err := read.About(ctx, broker, "ingest", said(session))
	if err != nil {
		return nil, fmt.Errorf("read the turns of session %s: %w", session, err)
	}
	for _, a := range turns {
		if t, is := a.Input.Event.Data.(*sessionevents.TurnSegmented); !is || t.Turn <= turn {
			r.Take(a.Input.Event)
		}
	}
	all, _, err := read.About(ctx, broker, "dispatcher", decided(session))
	if err != nil {
		return nil, fmt.Errorf("read the decisions about session %s: %w", session, err)
	}
	for _, a := range all {
		if closed, is := a.Input.Event.Data.(*sessionevents.TurnEvaluated); is && closed.Turn > turn {
			break
		}
		r.Take(a.Input.Event)
		if closed, is := a.Input.Event.Data.(*sessionevents.TurnEvaluated); is && closed.Turn == turn {
			break
		}
	}
	return r, nil
}

// Asked is an opinion with the question that it answers.
type Asked struct {
	Opinion  *sessionevents.OpinionRecorded
	Question *opinion.Question
	// Same reports that the question, when rebuilt, equals the one that was asked.
	Same bool
}

// Questions rebuilds every question that was asked about a session.
func Questions(ctx context.Context, broker *nats.Broker, rules *opinion.Config, session string) ([]Asked, error) {
	if !events.ValidID(session) {
		return nil, fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", session)
	}
	found, _, err := read.About(ctx, broker, "dispatcher", []string{"decisions." + subjects.SessionFilter(sessionevents.TypeOpinionRecorded, session)})
	if err != nil {
		return nil, fmt.Errorf("read the opinions about session %s: %w", session, err)
	}
	var out []Asked
	for _, a := range found {
		o, is := a.Input.Event.Data.(*sessionevents.OpinionRecorded)
		if !is {
			continue
		}
		record, err := Record(ctx, broker, session, o.Turn)
		if err != nil {
			return nil, err
		}
		q := rules.Build(record, opinion.Wish{Session: session, Signal: o.Signal, From: o.From, Turn: o.Turn})
		out = append(out, Asked{Opinion: o, Question: q, Same: q != nil && q.ID() == o.Question})
	}
	return out, nil
}
