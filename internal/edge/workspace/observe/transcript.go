package observe

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript inspects the workspaces of sessions that are read from files: each at its end, for the claims
// of its last response, as far as nothing changed since. What was observed while the session ran is already
// in the record.
type Transcript struct {
	Context context.Context
	Config  *ledger.Config
	// Writes returns the files that a call writes.
	Writes func(call *sessionevents.Block, workspace string) []string

	sessions map[string]*written
	held     *events.Event // the last event, if it is a turn of a session with a workspace here
}

// unhurried limits an inspection that no agent waits for.
const unhurried = 5 * time.Second

// written is what is known of a session that may be inspected.
type written struct {
	workspace string
	files     []string
}

// Pass returns the events to feed in place of e, in order: the last turn of a session is held until the
// next event, and preceded by the observation of its workspace.
func (t *Transcript) Pass(e events.Event) []events.Event {
	if closed, is := e.Data.(*sessionevents.SessionClosed); is && t.held != nil && t.held.Subject == closed.Session {
		return append(t.End(), e)
	}
	out := t.release()
	switch data := e.Data.(type) {
	case *sessionevents.SessionOpened:
		if look := (Look{Workspace: data.Workspace}); look.open() {
			if t.sessions == nil {
				t.sessions = map[string]*written{}
			}
			t.sessions[data.Session] = &written{workspace: data.Workspace}
		}
	case *sessionevents.Turn:
		if s := t.sessions[data.Session]; s != nil {
			t.wrote(s, data)
			t.held = &e
			return out
		}
	}
	return append(out, e)
}

// End returns the events that are held, at the end of a transcript.
func (t *Transcript) End() []events.Event {
	if t.held == nil {
		return nil
	}
	e := *t.held
	t.held = nil
	turn := e.Data.(*sessionevents.Turn)
	s := t.sessions[turn.Session]
	if e.Time.IsZero() {
		return []events.Event{e}
	}
	look := Look{Workspace: s.workspace, Wrote: s.files, AsOf: e.Time, Sets: t.Config.Sets, Limit: unhurried}
	o := look.At(t.Context, t.Config.Questions(said(turn)))
	if o == nil || len(o.Paths)+len(o.Keys) == 0 && o.Commit == "" {
		return []events.Event{e}
	}
	o.Session, o.Run = turn.Session, turn.Run
	seen := wire.ObservedEvent(o, e.ID)
	seen.Time, seen.PartitionKey, seen.Correlation = e.Time, e.PartitionKey, e.Correlation
	return []events.Event{seen, e}
}

func (t *Transcript) release() []events.Event {
	if t.held == nil {
		return nil
	}
	e := *t.held
	t.held = nil
	return []events.Event{e}
}

func (t *Transcript) wrote(s *written, turn *sessionevents.Turn) {
	for i := range turn.Blocks {
		b := &turn.Blocks[i]
		if b.Type != sessionevents.BlockToolCall {
			continue
		}
		for _, file := range t.Writes(b, s.workspace) {
			if at := slices.Index(s.files, file); at >= 0 {
				s.files = slices.Delete(s.files, at, at+1)
			}
			s.files = append(s.files, file)
		}
	}
}

// said returns what the agent says after the last call of a turn.
func said(turn *sessionevents.Turn) string {
	var text []string
	for i := range turn.Blocks {
		switch b := &turn.Blocks[i]; b.Type {
		case sessionevents.BlockToolCall, sessionevents.BlockToolResult:
			text = nil
		case sessionevents.BlockText:
			text = append(text, b.Text)
		}
	}
	if len(turn.Blocks) == 0 {
		return turn.Text
	}
	return strings.Join(text, "\n\n")
}
