package transcript

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Stats counts what a transcript contained.
type Stats struct {
	Records   int // records read, including broken ones
	Sessions  int // session.opened events
	Turns     int // turn.raw events
	Unclaimed int // user messages at the end without a turn after them (SW-1)
	Runs      int // run.started events
	RunEvents int // events of runs, including run.started
	// Noted counts, by kind, what was understood and yields no event.
	Noted map[string]int
	// Unsupported counts, by name, what was recognised but could not be interpreted (IN-1).
	Unsupported map[string]int
}

// Assembler collects the events of one transcript in order. It is not safe for concurrent use.
type Assembler struct {
	Problems *Problems
	Stats    Stats

	name     string // name of the format
	options  Options
	fallback string // session id for a transcript that has none
	line     int    // line of the record being decoded, for problems
	offset   int64

	sessions map[string]*Session // by key
	order    []*Session          // oldest first
	main     *Session
	queue    []events.Event
	ordinal  int // number of events without a timestamp
}

// New returns an assembler for a transcript of the format name. Fallback is the session id, derived from
// the content, for a transcript that has none.
func New(name, fallback string, options Options) *Assembler {
	return &Assembler{
		Problems: &Problems{}, name: name, options: options, fallback: fallback,
		sessions: map[string]*Session{},
	}
}

// SourceOf returns the CloudEvents source of events from a format.
func SourceOf(format string) string { return "/scaffoldwatch/adapter/" + format }

// At sets where the record being decoded begins.
func (a *Assembler) At(line int, offset int64) {
	a.line, a.offset = line, offset
	a.Stats.Records++
}

// Problem reports something wrong with the record being decoded.
func (a *Assembler) Problem(format string, args ...any) {
	a.Problems.Add(a.line, a.offset, fmt.Sprintf(format, args...))
}

// Note counts, by kind, something that was read and yields no event.
func (a *Assembler) Note(kind string) {
	if a.Stats.Noted == nil {
		a.Stats.Noted = map[string]int{}
	}
	a.Stats.Noted[kind]++
}

// Main returns the transcript's own session.
func (a *Assembler) Main() *Session {
	if a.main == nil {
		a.main = a.add("", &Session{})
	}
	return a.main
}

// Session returns the session with the transcript's native id, "" for its own. The first id that occurs is
// the transcript's own; others are additional sessions.
func (a *Assembler) Session(native string) *Session {
	main := a.Main()
	if native == "" || main.native == native {
		return main
	}
	if main.native == "" && main.id == "" {
		main.native = native
		return main
	}
	key := "session " + native
	if s := a.sessions[key]; s != nil {
		return s
	}
	return a.add(key, &Session{native: native})
}

// Sub returns the session of parent's subagent with a native id. Its events share the root session's
// partition (SW-1, EV-4).
func (a *Assembler) Sub(parent *Session, native string) *Session {
	key := "sub " + parent.ID() + " " + native
	if s := a.sessions[key]; s != nil {
		return s
	}
	return a.add(key, &Session{native: native, id: sessionid.Subagent(parent.ID(), native), parent: parent, who: who{agent: sessionevents.Agent{
		ID: sessionid.Valid(native), ParentSession: parent.ID(),
	}}})
}

// Known returns the subagent's session if it is being assembled, otherwise nil.
func (a *Assembler) Known(parent *Session, native string) *Session {
	return a.sessions["sub "+parent.ID()+" "+native]
}

func (a *Assembler) add(key string, s *Session) *Session {
	if len(a.order) >= maxSessions {
		a.retire()
	}
	s.a, s.key = a, key
	s.agent.Kind = a.name
	a.sessions[key] = s
	a.order = append(a.order, s)
	return s
}

// retire closes the oldest session other than the transcript's own, so that memory stays bounded whatever
// the number of subagents.
func (a *Assembler) retire() {
	for i, s := range a.order {
		if s != a.main {
			s.close("evicted")
			a.order = append(a.order[:i:i], a.order[i+1:]...)
			delete(a.sessions, s.key)
			return
		}
	}
}

// Take removes and returns the next event, if there is one.
func (a *Assembler) Take() (events.Event, bool) {
	if len(a.queue) == 0 {
		return events.Event{}, false
	}
	e := a.queue[0]
	a.queue[0] = events.Event{}
	if a.queue = a.queue[1:]; len(a.queue) == 0 {
		a.queue = nil
	}
	return e, true
}

// End completes the open turns and closes the sessions, subagents first. With metadata, sessions are not
// closed, since nothing ran, and not opened if they have no id.
func (a *Assembler) End(metadata bool) {
	main := a.Main()
	for i := len(a.order) - 1; i >= 0; i-- {
		s := a.order[i]
		if s == main {
			continue
		}
		s.finish(!a.options.Follow)
	}
	if metadata && main.native == "" && main.turns == 0 || main.absent() && len(a.order) > 1 {
		return
	}
	main.open()
	main.finish(!a.options.Follow && !metadata)
}

// Unclaimed returns the user messages of the transcript's own session that no turn follows yet.
func (a *Assembler) Unclaimed() []sessionevents.Block { return a.Main().pending }

// Options returns the options with which the transcript is read.
func (a *Assembler) Options() Options { return a.options }

// Pass emits an event unchanged.
func (a *Assembler) Pass(e events.Event) { a.emit(e) }

func (a *Assembler) emit(e events.Event) {
	switch e.Type {
	case sessionevents.TypeTurnRaw:
		a.Stats.Turns++
	case sessionevents.TypeSessionOpened:
		a.Stats.Sessions++
	case runevents.TypeRunStarted:
		a.Stats.Runs++
	}
	if d, ok := events.Lookup(e.Type); ok && d.RunEvent {
		a.Stats.RunEvents++
	}
	a.queue = append(a.queue, e)
}

// tick returns a time for an event without a timestamp.
func (a *Assembler) tick() time.Time {
	t := Epoch.Add(time.Duration(a.ordinal) * time.Second)
	a.ordinal++
	return t
}

// open emits session.opened, once, the parent's first.
func (s *Session) open() {
	if s.opened {
		return
	}
	s.opened = true
	if s.parent != nil && !s.parent.absent() {
		s.parent.open()
	}
	agent := s.agent
	data := &sessionevents.SessionOpened{Session: s.ID(), Agent: &agent, Run: s.run(), Workspace: s.workspace}
	s.a.emit(s.event(sessionevents.TypeSessionOpened, "", hash(agent.Kind, agent.Model, data.Task, data.Workspace), s.time(s.first), data))
}

// absent reports whether the transcript contains nothing of the session itself: it is only named, as the
// parent in a subagent's file.
func (s *Session) absent() bool {
	return s.turns == 0 && len(s.pending) == 0 && s.last.IsZero() && s.workspace == ""
}

// finish completes the open turn and, if closing is set, closes the session. Sessions without a turn that
// were never opened leave no trace.
func (s *Session) finish(closing bool) {
	s.Flush()
	if len(s.next.unsupported) > 0 && s.emitted > 0 {
		s.Begin("", time.Time{})
		s.turn.failed = true // it counts even without a block
		s.Flush()
	}
	s.a.Stats.Unclaimed += len(s.pending)
	if s.opened && closing {
		s.close("end_of_transcript")
	}
}

func (s *Session) close(reason string) {
	s.Flush()
	if !s.opened {
		return
	}
	data := &sessionevents.SessionClosed{Session: s.ID(), Reason: reason}
	s.a.emit(s.event(sessionevents.TypeSessionClosed, "", hash(reason, fmt.Sprint(s.turns)), s.time(s.last), data))
}

func (s *Session) event(typ events.Type, turnID, content string, at time.Time, data any) events.Event {
	source := SourceOf(s.a.name)
	e := events.Event{
		ID:     events.DerivedID("adapter", source, string(typ)+"\x00"+s.ID()+"\x00"+turnID+"\x00"+content, 0),
		Source: source, Type: typ, Subject: s.ID(), Time: at.UTC(), Data: data,
	}
	if run := s.run(); run != "" {
		e.Correlation, e.PartitionKey = run, run
	}
	return e
}

// time returns the time of an event: its own, else the latest one seen, else a tick.
func (s *Session) time(at time.Time) time.Time {
	switch {
	case !at.IsZero():
		return at
	case !s.last.IsZero():
		return s.last
	default:
		return s.a.tick()
	}
}

// Stop reasons of turns that failed, which publishers may also give (RW-35); rules/govern.yaml lists which
// count.
const (
	StopAPIError = "api_error" // the model's API rejected the request or did not answer
	StopError    = "error"     // the agent reports that it failed, without the cause
	StopCrashed  = "crashed"   // the agent's process exited in the middle of its task
)

// Fail records that the current response failed. If there is none, the response that should have followed
// becomes a turn with only the user's messages: a failure is reported even if the model said nothing.
func (s *Session) Fail(reason string, at time.Time) {
	if t := s.turn; t == nil || s.HasPending() || t.complete() {
		s.Begin("", at)
	}
	s.turn.stop, s.turn.failed = reason, true
}

// complete reports whether the turn's response has already ended.
func (t *turn) complete() bool {
	if t.failed {
		return false
	}
	return ends[t.stop] || t.answered()
}

// Fail records that the current response of the main session failed.
func (a *Assembler) Fail(reason string, at time.Time) { a.Main().Fail(reason, at) }

// Settle completes the open turns whose calls all have results; the caller knows that the response is
// complete. A turn without a call stays open: it ends the agent's task, and its outcome is not known yet.
func (a *Assembler) Settle() {
	for _, s := range a.order {
		if s.turn != nil && s.turn.answered() {
			s.Flush()
		}
	}
}

// Flush completes all open turns.
func (a *Assembler) Flush() {
	for _, s := range a.order {
		s.Flush()
	}
}

// ends are the stop reasons of a response that ended its task.
var ends = map[string]bool{"end_turn": true, "stop": true, "stop_sequence": true, "interrupted": true}

// Rest completes the open turns whose response has ended and that nothing follows: whoever follows a
// transcript has not seen it grow for a while. Those have no call without a result and a stop reason that
// ends the task. After a long while a turn without any call and reason counts, too; before that the model
// may still be writing its first call, which belongs to the same turn (IN-2).
func (a *Assembler) Rest(long bool) {
	for _, s := range a.order {
		if t := s.turn; t != nil && (ends[t.stop] && t.unanswered() == 0 || long && t.stop == "" && t.calls() == 0) {
			s.Flush()
		}
	}
}

// answered reports whether the turn has calls and each has its result.
func (t *turn) answered() bool { return t.calls() > 0 && t.unanswered() == 0 }

func (t *turn) calls() (n int) {
	for i := range t.blocks {
		if t.blocks[i].Type == sessionevents.BlockToolCall {
			n++
		}
	}
	return n
}

// unanswered returns the number of calls without a result. Results name their call; those without an id are
// counted against the calls without one.
func (t *turn) unanswered() (n int) {
	open := map[string]int{}
	for i := range t.blocks {
		switch b := &t.blocks[i]; b.Type {
		case sessionevents.BlockToolCall:
			open[b.ID]++
		case sessionevents.BlockToolResult:
			open[b.ID]--
		}
	}
	for _, count := range open {
		n += max(0, count)
	}
	return n
}
