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
