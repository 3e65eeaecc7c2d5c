package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Session assembles the turns of one session.
type Session struct {
	a      *Assembler
	key    string
	native string
	id     string // fixed at the first use
	parent *Session

	who
	span
	next
	turnIDs
	*turn // the open one, nil if there is none

	workspace string
	opened    bool
	turns     int // number of turns begun
	emitted   int // number of turns emitted
}

// who is the agent of a session.
type who struct{ agent sessionevents.Agent }

// SetModel records the model; an empty one changes nothing.
func (w *who) SetModel(model string) {
	if model != "" {
		w.agent.Model = model
	}
}

// SetArchetype records the role of a subagent, e.g. "explore".
func (w *who) SetArchetype(archetype string) {
	if archetype != "" {
		w.agent.Archetype = archetype
	}
}

// SetAgent records the agent's own id if the transcript has one.
func (w *who) SetAgent(id string) {
	if id != "" {
		w.agent.ID = sessionid.Valid(id)
	}
}

// span is the time that a session covers.
type span struct {
	first time.Time // earliest timestamp read
	last  time.Time // latest timestamp seen
}

// Saw records a timestamp; the zero time changes nothing.
func (r *span) Saw(at time.Time) {
	if r.first.IsZero() {
		r.first = at
	}
	if at.After(r.last) {
		r.last = at
	}
}

// Last returns the latest timestamp seen, zero if there is none.
func (r *span) Last() time.Time { return r.last }

// ID returns the session's id, valid in subjects (EV-3). The first call fixes it.
func (s *Session) ID() string {
	if s.id == "" {
		switch {
		case s == s.a.main && s.a.options.Session != "":
			s.id = sessionid.Valid(s.a.options.Session)
		case s.native != "":
			s.id = sessionid.Valid(s.native)
		default:
			s.id = s.a.fallback
		}
	}
	return s.id
}

// Name sets the session's native id if none was known; it must precede ID.
func (s *Session) Name(native string) {
	if s.native == "" {
		s.native = native
	}
}

// root returns the topmost session: the parent's parent and so on.
func (s *Session) root() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// run returns the run that the session's events belong to.
func (s *Session) run() string {
	if run := s.a.options.Run; run != "" {
		return run
	}
	if s.parent != nil {
		return s.root().ID()
	}
	return ""
}

// SetParent sets the parent of a session whose parent is in another transcript; this session joins the
// parent's group. It must precede ID.
func (s *Session) SetParent(native string) {
	if native == "" || s.parent != nil {
		return
	}
	s.parent = &Session{a: s.a, native: native, opened: true}
	s.agent.ParentSession = s.parent.ID()
}

// SetWorkspace records the directory that the session works in; only the first one counts.
func (s *Session) SetWorkspace(dir string) {
	if s.workspace == "" {
		s.workspace = dir
	}
}

// User adds what a person said; it belongs to the turn that follows (SW-1).
func (s *Session) User(said string, at time.Time) {
	s.Saw(at)
	if strings.TrimSpace(said) == "" {
		return
	}
	s.pending = append(s.pending, sessionevents.Block{Type: sessionevents.BlockUser, Text: text.Valid(said)})
	s.pendingBytes += len(said)
	for s.pendingBytes > maxPendingBytes && len(s.pending) > 1 {
		s.pendingBytes -= len(s.pending[0].Text)
		s.pending = s.pending[1:]
		s.a.Problem("more than %d bytes of user text without a response; the oldest message is left out", maxPendingBytes)
	}
}

// Begin begins the response with the native id turnID, or continues it if it is the open one. An empty id
// begins a new response, which is numbered.
func (s *Session) Begin(turnID string, at time.Time) {
	s.Saw(at)
	if len(turnID) > maxTurnID {
		turnID = hash(turnID)
	}
	if s.turn != nil && turnID != "" && s.turn.id == turnID {
		return
	}
	s.Flush()
	s.turns++
	if turnID == "" {
		turnID = fmt.Sprintf("turn-%d", s.turns)
	}
	s.turn = s.begin(turnID, at)
}

// Text adds prose of the response.
func (s *Session) Text(text string) { s.say(sessionevents.BlockText, text) }

// Thinking adds reasoning (SW-5).
func (s *Session) Thinking(text string) { s.say(sessionevents.BlockThinking, text) }

func (s *Session) say(kind sessionevents.BlockType, text string) {
	if strings.TrimSpace(text) != "" {
		s.Add(sessionevents.Block{Type: kind, Text: text})
	}
}

// Add appends a block to the open turn, and begins one if none is open.
func (s *Session) Add(b sessionevents.Block) {
	if s.turn == nil {
		s.Begin("", time.Time{})
	}
	b.Text, b.Output, b.Input = text.Valid(b.Text), text.Valid(b.Output), events.ValidUTF8(b.Input)
	s.turn.add(b)
}

// Call appends a tool call to the open turn.
func (s *Session) Call(id, name string, input json.RawMessage) {
	s.Add(sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: name, Input: input})
}

// Flush completes the open turn.
func (s *Session) Flush() {
	t := s.turn
	if s.turn = nil; t == nil {
		return
	}
	if len(t.blocks) == 0 && t.markdown == "" && !t.failed {
		s.next.unsupported = t.unsupported // nothing else of it is known: they go to the next turn
		return
	}
	s.open()
	s.emitted++
	content := t.hash()
	t.id = s.unused(t.id, content)
	data := &sessionevents.Turn{
		Session: s.ID(), TurnID: t.id, Agent: s.agent, Run: s.run(), Format: "blocks", Blocks: t.blocks,
		StopReason: t.stop, Usage: t.usage, Compacted: t.compacted, ForkOf: t.forkOf, Unsupported: t.unsupported,
	}
	if t.markdown != "" {
		data.Format, data.Text = "markdown", t.markdown
	}
	s.a.emit(s.event(sessionevents.TypeTurnRaw, t.id, content, s.time(t.at), data))
}

// Markdown adds a turn that is plain text (SW-4); preceding user messages stay blocks, since text cannot
// name the speaker.
func (s *Session) Markdown(text string) {
	s.Flush()
	s.Begin("", time.Time{})
	s.turn.markdown = text
	s.Flush()
}
