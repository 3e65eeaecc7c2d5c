package readmodel

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// session is a row of sessions being folded.
type session struct {
	id, group, run, agent, day string
	first, last, sequence      int64
	closed                     bool
	reason                     string
	lastTurn                   int
	turns, failed, skipped     int
	signals, interrupts        int
	heeded, ignored, dismissed int
	inputTokens, outputTokens  int64
	costMicros, bytes          int64
	workspace, task            string
	model, act                 string
}

const sessionColumns = `id, grp, run, agent, day, first_event, last_event, last_sequence, closed, reason, last_turn,
 turns, failed, skipped, signals, interrupts, heeded, ignored, dismissed, input_tokens, output_tokens, cost_micros, bytes, workspace, task, model, act`

func (s *session) fields() []any {
	return []any{
		&s.id, &s.group, &s.run, &s.agent, &s.day, &s.first, &s.last, &s.sequence, &s.closed, &s.reason, &s.lastTurn,
		&s.turns, &s.failed, &s.skipped, &s.signals, &s.interrupts, &s.heeded, &s.ignored, &s.dismissed,
		&s.inputTokens, &s.outputTokens, &s.costMicros, &s.bytes, &s.workspace, &s.task,
		&s.model, &s.act,
	}
}

// sessionSize is what a row of sessions counts for, in bytes.
const sessionSize = 400

// session is the session an event is about, begun if it is not known, with its
// span grown by the event.
func (b *batch) session(ev events.Event, id string) (*session, error) {
	if id == "" {
		id = ev.Subject
	}
	s, err := b.known(id)
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = &session{id: id, group: ev.Group(), first: b.now, last: b.now, day: b.dayNow()}
		b.sessions[id] = s
		b.grow(s, sessionSize)
		b.count(s.day, kindAgent, s.agent, "sessions", 1)
	}
	s.first, s.last = min(s.first, b.now), max(s.last, b.now)
	s.sequence = int64(b.position.Sequence)
	return s, nil
}

// known is a session that has a row, else nil.
func (b *batch) known(id string) (*session, error) {
	if s := b.sessions[id]; s != nil {
		return s, nil
	}
	s := &session{}
	err := b.scan("SELECT "+sessionColumns+" FROM sessions WHERE id = ?", []any{id}, s.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", id, err)
	}
	b.sessions[id] = s
	return s, nil
}

// grow accounts for a row that the session gains.
func (b *batch) grow(s *session, size int64) {
	s.bytes += size
	b.position.Bytes += size
}

func (b *batch) opened(ev events.Event, d *sessionevents.SessionOpened) error {
	s, err := b.session(ev, d.Session)
	if err != nil {
		return err
	}
	s.closed, s.reason = false, ""
	if d.Run != "" {
		s.run = d.Run
	}
	b.called(s, d.Workspace, d.Task)
	return b.runsAs(s, d.Agent)
}

// called keeps what names a session. A task that is known stays.
func (b *batch) called(s *session, workspace, task string) {
	before := len(s.workspace) + len(s.task)
	if workspace != "" {
		s.workspace = short(workspace)
	}
	if s.task == "" {
		s.task = short(task)
	}
	b.grow(s, int64(len(s.workspace)+len(s.task)-before))
}

func (b *batch) closed(ev events.Event, d *sessionevents.SessionClosed) error {
	s, err := b.session(ev, d.Session)
	if err != nil {
		return err
	}
	s.closed, s.reason = true, short(d.Reason)
	return nil
}

// runsAs moves a session to its agent's kind once that is known.
func (b *batch) runsAs(s *session, agent *sessionevents.Agent) error {
	if agent != nil && agent.Model != "" {
		b.grow(s, -int64(len(s.model)))
		s.model = short(agent.Model)
		b.grow(s, int64(len(s.model)))
	}
	if agent == nil || agent.Kind == "" {
		return nil
	}
	kind, err := b.name(kindAgent, agent.Kind)
	if err != nil || kind == s.agent {
		return err
	}
	b.count(s.day, kindAgent, s.agent, "sessions", -1)
	s.agent = kind
	b.count(s.day, kindAgent, s.agent, "sessions", 1)
	return nil
}

func (b *batch) writeSessions() error {
	for _, id := range sorted(b.sessions) {
		s := b.sessions[id]
		err := b.run("INSERT OR REPLACE INTO sessions ("+sessionColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", values(s.fields())...)
		if err != nil {
			return fmt.Errorf("write session %s: %w", id, err)
		}
	}
	return nil
}
