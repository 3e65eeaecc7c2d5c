// Package ingest is the first stage: it numbers a session's turns, detects duplicates,
// forks and disorder (SW-1, SW-1a), redacts everything it forwards (SW-7) and cuts turns
// into segments (SW-2).
package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Redactor replaces secrets (SW-7); *redact.Redactor is one.
type Redactor interface {
	redact.Cleaner
	// With returns a cleaner that also replaces secrets remembered for a group, and
	// remembers those it finds.
	With(*redact.Memory) redact.Cleaner
}

// Cutter cuts a redacted turn into segments (SW-2) and locates the marks of secrets in
// them.
type Cutter interface {
	Cut(turn *sessionevents.Turn, number int, workspace string, secrets []sessionevents.SecretFinding) *sessionevents.TurnSegmented
}

// Options are the parts of a Machine.
type Options struct {
	Identity step.Identity
	Redactor Redactor
	Cutter   Cutter
	// NativeBlocks reads the native form of one turn of a format (turn.raw
	// with format "claude-code", "codex", …).
	NativeBlocks func(format string, native json.RawMessage) (blocks []sessionevents.Block,
		unsupported []string, err error)
	// ReadHook parses one call of an agent's hook (hook.received).
	ReadHook func(*sessionevents.HookReceived) (hookturn.Call, error)
	// IdleTimeout closes a session that has been silent for this long (DP-30).
	IdleTimeout time.Duration
}

// Machine is the ingest stage.
type Machine struct{ options Options }

var _ step.Machine[*State] = (*Machine)(nil)

// New returns the stage.
func New(o Options) *Machine { return &Machine{options: o} }

// Stage returns the name of the stage.
func (*Machine) Stage() string { return "ingest" }

// Step folds one event of INPUT.
func (m *Machine) Step(state *State, in step.Input, out *step.Emitter) (*State, error) {
	if in.Event.Credential == "" {
		in.Event.Credential = events.ClaimedRole(in.Event) // offline, no subject proves a role
	}
	shown := envelope(plainly(state.cleaner(m)), in.Event)
	out.Cite(shown)
	state, err := m.fold(state, in, shown, out)
	return state, m.presentable(state, err)
}

// fold is Step, except that its errors may quote secrets.
func (m *Machine) fold(state *State, in step.Input, shown events.Event, out *step.Emitter) (*State, error) {
	ev := in.Event
	if !in.Valid {
		if err := events.Validate(ev, events.Limits{}); err != nil {
			return state, err
		}
	}
	switch data := ev.Data.(type) {
	case *sessionevents.Turn:
		return state, m.turn(state, in, data, out)
	case *sessionevents.HookReceived:
		return state, m.hook(state, in, data, out)
	case *events.TimerExpired:
		if data.Name == idleTimer && data.Session != "" {
			m.idle(state, state.session(data.Session), in, data, out)
			return state, nil
		}
	}
	if state.repeated(in) {
		return state, nil
	}
	if state.contested(in) {
		shown.Source = apart(shown.Source, in)
	}
	if err := state.remember(in); err != nil {
		return state, err
	}
	redacted, err := m.redactEvent(state.cleaner(m), shown)
	if err != nil {
		return state, err
	}
	if closed, ok := ev.Data.(*sessionevents.SessionClosed); ok {
		m.flush(state, state.session(closed.Session), closed.Session, in, out)
	}
	state.note(redacted)
	out.Forward(redacted) // SW-7, EV-5
	return state, nil
}

func (m *Machine) redactEvent(cleaner redact.Cleaner, ev events.Event) (events.Event, error) {
	raw, err := events.EncodeData(ev)
	if err != nil {
		return ev, err
	}
	ev.Raw, _ = cleaner.JSON(raw)
	if ev.Data, err = events.DecodeData(ev.Type, ev.Raw); err != nil {
		return ev, fmt.Errorf("decode redacted %s: %w", ev.Type, err)
	}
	return ev, nil
}

// envelope returns the event with secrets in its attributes redacted (SW-7). Subject and
// group are ids that subjects are built from (EV-3), and the type is ours.
func envelope(text func(string) string, ev events.Event) events.Event {
	ev.ID, ev.TraceParent = text(ev.ID), text(ev.TraceParent)
	for _, attribute := range []*string{&ev.Source, &ev.DataSchema} { // must remain URI-references
		if clean := text(*attribute); clean != *attribute {
			*attribute = url.QueryEscape(clean)
		}
	}
	if len(ev.Extensions) == 0 {
		return ev
	}
	extensions := make(map[string]string, len(ev.Extensions))
	for name, value := range ev.Extensions {
		extensions[name] = text(value)
	}
	ev.Extensions = extensions
	return ev
}

// plainly returns a function that cleans text outside any file.
func plainly(by redact.Cleaner) func(string) string {
	return func(text string) string {
		clean, _ := by.Text(text, "")
		return clean
	}
}

// presentable returns an error that quotes no secret (SW-7), since its text appears in
// dead letters, logs and metrics.
func (m *Machine) presentable(state *State, err error) error {
	if err == nil {
		return nil
	}
	text, _ := state.cleaner(m).Text(err.Error(), "")
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// redacted returns what a dead letter may show of an input that was skipped (SW-7).
func (m *Machine) redacted(in step.Input) []byte { return cleaned(m.options.Redactor, in) }

func cleaned(by redact.Cleaner, in step.Input) []byte {
	raw, err := events.EncodeData(in.Event)
	if err != nil {
		return nil
	}
	clean, _ := by.JSON(raw)
	return clean
}

// recalled returns the redaction that also knows the group's secrets. The state is not changed,
// since input that failed must leave no trace in it.
func (m *Machine) recalled(s *State) step.Redaction {
	known := s.Secrets.Copy()
	by := func() redact.Cleaner {
		own := known.Copy()
		return m.options.Redactor.With(&own)
	}
	return step.Redaction{
		Data: func(in step.Input) []byte { return cleaned(by(), in) },
		Text: func(text string) string { return plainly(by())(text) },
	}
}

// redactedText returns a text of an input's envelope, or of an error about it, without its
// secrets (SW-7).
func (m *Machine) redactedText(text string) string {
	return plainly(m.options.Redactor)(text)
}
