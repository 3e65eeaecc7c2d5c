package reporter

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// maxChildren limits how many subagents the view of a session lists.
const maxChildren = 100

// unread replaces what was said if the service may not read it.
const unread = "What was said is not shown: this service reads only DECISIONS. The page of scaffoldwatch up shows it."

// sendSession writes the view of one session (CO-12).
func (v *views) sendSession(text *bytes.Buffer, ask asking) error {
	ctx, id := ask.Context(), ask.PathValue("id")
	broker, err := v.decided()
	if err != nil {
		return err
	}
	m := console.Session{Place: ask.place, From: 1}
	if from := ask.URL.Query().Get("from"); from != "" {
		if m.From, err = strconv.Atoi(from); err != nil || m.From < 1 {
			return badRequest{errors.New("from must be the number of a turn")}
		}
	}
	if m.Report, err = decisions.ReadReport(ctx, broker, id, v.reading.Alone()); err != nil {
		return missing(id, err)
	}
	if v.said {
		if m.Said, err = decisions.ReadSaid(ctx, broker, id); err != nil {
			return err
		}
	} else {
		m.Unheard = unread
	}
	if m.Children, err = ask.model.Subagents(ctx, id, maxChildren); err != nil {
		return err
	}
	told, err := ask.model.UnansweredInterrupts(ctx, id, m.Now, len(m.Report.Interrupts)+1)
	if err != nil {
		return err
	}
	m.Answered = map[string]bool{}
	for _, i := range m.Report.Interrupts {
		m.Answered[i.ID] = !slices.ContainsFunc(told, func(o readmodel.Interrupt) bool { return o.ID == i.ID })
	}
	if m.Report.Session.Run == "" {
		m.Waiting = needing(decisions.RunOf(ctx, broker, id))
	}
	return console.RenderSession(text, m)
}

// sendRun writes the view of one run (CO-13).
func (v *views) sendRun(text *bytes.Buffer, ask asking) error {
	ctx, id := ask.Context(), ask.PathValue("id")
	broker, err := v.decided()
	if err != nil {
		return err
	}
	m := console.Run{Place: ask.place}
	if m.Report, m.Events, err = decisions.ReadRun(ctx, broker, id, v.reading.Alone()); err != nil {
		return missing(id, err)
	}
	if m.Sessions, err = ask.model.GroupSessions(ctx, id); err != nil {
		return err
	}
	m.Waiting = needing(decisions.RunOf(ctx, broker, id))
	return console.RenderRun(text, m)
}

// needing returns the run that was read if it needs a person.
func needing(one runlist.Run, err error) []runlist.Run {
	if err != nil || one.Waits() == 0 && one.Break == nil && len(one.Refused) == 0 && one.State != runevents.ControlPaused {
		return nil
	}
	return []runlist.Run{one}
}

// missing turns an error for an unknown id into one that says so, and returns others unchanged.
func missing(id string, err error) error {
	if errors.Is(err, decisions.ErrNoSession) || errors.Is(err, decisions.ErrNoRun) || !events.ValidID(id) {
		return notFound{err}
	}
	return err
}
