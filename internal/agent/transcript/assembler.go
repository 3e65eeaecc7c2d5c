package transcript

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Stats counts what a transcript held.
type Stats struct {
	Records   int // records read, broken ones included
	Sessions  int // session.opened events
	Turns     int // turn.raw events
	Unclaimed int // user messages at the end that no turn follows (SW-1)
	Runs      int // run.started events
	RunEvents int // events of runs, run.started among them
	// Noted counts, by kind, what was understood and leads to no event.
	Noted map[string]int
	// Unsupported counts, by name, what was recognised and could not be interpreted (IN-1).
	Unsupported map[string]int
}

// Assembler collects the events of one transcript in order. It is not safe for
// concurrent use.
type Assembler struct {
	Problems *Problems
	Stats    Stats

	name     string // of the format
	options  Options
	fallback string // session id where the transcript has none
	line     int    // of the record being decoded, for problems
	offset   int64

	sessions map[string]*Session // by key
	order    []*Session          // oldest first
	main     *Session
	queue    []events.Event
	ordinal  int // events made without a timestamp
}

// New makes an assembler for a transcript of the format name. Fallback is the
// session id to use where the transcript has none, from its content.
func New(name, fallback string, options Options) *Assembler {
	return &Assembler{
		Problems: &Problems{}, name: name, options: options, fallback: fallback,
		sessions: map[string]*Session{},
	}
}

// SourceOf returns the CloudEvents source of what is read of a format.
func SourceOf(format string) string { return "/scaffoldwatch/adapter/" + format }

// At says where the record being decoded begins.
func (a *Assembler) At(line int, offset int64) {
	a.line, a.offset = line, offset
	a.Stats.Records++
}

// Problem reports something wrong with the record being decoded.
func (a *Assembler) Problem(format string, args ...any) {
	a.Problems.Add(a.line, a.offset, fmt.Sprintf(format, args...))
}

// Note counts something that was read and leads to no event, by its kind.
func (a *Assembler) Note(kind string) {
	if a.Stats.Noted == nil {
		a.Stats.Noted = map[string]int{}
	}
	a.Stats.Noted[kind]++
}

// Main is the transcript's own session.
func (a *Assembler) Main() *Session {
	if a.main == nil {
		a.main = a.add("", &Session{})
	}
	return a.main
}

// Session is the session that the transcript calls native, "" for its own. The
// first name seen is the transcript's own; others are sessions beside it.
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

// Sub is the session of the subagent that parent calls native. Its events share
// the root session's partition (SW-1, EV-4).
func (a *Assembler) Sub(parent *Session, native string) *Session {
	key := "sub " + parent.ID() + " " + native
	if s := a.sessions[key]; s != nil {
		return s
	}
	return a.add(key, &Session{native: native, id: sessionid.Subagent(parent.ID(), native), parent: parent, agent: sessionevents.Agent{
		ID: sessionid.Valid(native), ParentSession: parent.ID(),
	}})
}

// Known is the subagent's session where it is being assembled, else nil.
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

// retire closes the oldest session but the transcript's own, so that memory
// stays bounded whatever the number of subagents.
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

// End completes the open turns and closes the sessions, subagents first. A
// file of metadata is not closed, nothing ran, and not opened if it names no session.
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

// Unclaimed are the user messages of the transcript's own session that no turn
// follows yet.
func (a *Assembler) Unclaimed() []sessionevents.Block { return a.Main().pending }

// Options are those that the transcript is read with.
func (a *Assembler) Options() Options { return a.options }

// Pass lets an event through as it is.
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

// tick is the time of an event that nothing dates.
func (a *Assembler) tick() time.Time {
	t := Epoch.Add(time.Duration(a.ordinal) * time.Second)
	a.ordinal++
	return t
}
