package ingest

import (
	"cmp"
	"errors"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Maximum lengths, in bytes, of the texts of a refused event, which its publisher chose.
const (
	maxRefusedName   = 160
	maxRefusedReason = 400
)

// refused reports an event that was refused, at the door or by the fold, so that every report and
// list shows it: what is not watched must be visible (DP-33). An event whose subject is not an id
// cannot be attributed to anything, so only its dead letter shows it.
func (m *Machine) refused(in step.Input, reason string, safe func(string) string, out *step.Emitter) {
	ev := in.Event
	if !events.ValidID(ev.Subject) || !events.ValidID(ev.Group()) {
		return
	}
	out.Cite(envelope(safe, out.Cause()))
	session, run := ev.Subject, ""
	if group := ev.Group(); group != ev.Subject {
		run = group
	}
	if d, known := events.Lookup(ev.Type); known && d.RunEvent {
		session, run = "", ev.Subject
	}
	out.Emit(sessionevents.TypeInputRefused, ev.Subject, &sessionevents.InputRefused{
		Session: session, Run: run,
		Event: text.Cut(safe(ev.ID), maxRefusedName), EventType: text.Cut(safe(string(ev.Type)), maxRefusedName), EventSource: text.Cut(safe(ev.Source), maxRefusedName),
		Code: string(m.code(ev)), Reason: text.Cut(safe(quoted(strings.TrimPrefix(reason, "step fails: "))), maxRefusedReason),
	})
}

// quoted replaces quotation marks inside the quotes of a reason, so that a publisher's
// text cannot end its quotation.
func quoted(reason string) string { return strings.ReplaceAll(reason, `\"`, "'") }

// code returns the code of an event's fault; a fault that only a later step finds is bad
// data.
func (m *Machine) code(ev events.Event) invalid.Code {
	var fault *invalid.Error
	if errors.As(events.Validate(ev, events.Limits{}), &fault) {
		return cmp.Or(fault.Code, invalid.BadData)
	}
	return invalid.BadData
}
