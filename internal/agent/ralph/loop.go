package ralph

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxName is how much of the beginning of a log identifies its run, in bytes.
const maxName = 4 << 10

// loop is one run of the loop.
type loop struct {
	d       *decoder
	id      string // "" until the first iteration ends
	naming  strings.Builder
	begun   time.Time
	last    time.Time // latest time seen
	ticks   int       // number of events without a time
	spent   float64
	session *events.Event // the end of the last session, held back
	ended   bool
}

// newLoop begins a loop. Its id is derived from what was written until its first iteration ended, so that a
// log keeps its run's id while it grows.
func newLoop(d *decoder, named string, at time.Time) *loop {
	l := &loop{d: d, begun: at}
	l.name(named)
	return l
}

func (l *loop) name(text string) {
	if l.id == "" && l.naming.Len() < maxName {
		l.naming.WriteString(text)
	}
}

func (l *loop) saw(at time.Time) {
	if l.begun.IsZero() {
		l.begun = at
	}
	if at.After(l.last) {
		l.last = at
	}
}

// start emits the start of the run, once.
func (l *loop) start() {
	if l.id != "" {
		return
	}
	l.id = sessionid.OfContent(Name, []byte(l.naming.String()))
	if run := l.d.a.Options().Run; run != "" {
		l.id = run
		if l.d.loops > 1 {
			l.id = sessionid.Valid(run + "-" + strconv.Itoa(l.d.loops))
		}
	}
	l.tellAt(l.begun, runevents.TypeRunStarted, "", &runevents.RunStarted{Actor: actor(), Kind: "build", Project: l.d.a.Options().Project})
}

// tell emits an iteration, once.
func (l *loop) tell(i *iteration) {
	if i.told {
		return
	}
	i.told = true
	l.start()
	if i.interrupted() {
		return // a person stopped the loop; the agent did not fail
	}
	session, rest := l.transcript(i)
	said := i.said()
	if said == "" {
		said = rest
	}
	at := i.ended
	if at.IsZero() {
		at = l.last
	}
	number := strconv.Itoa(i.number)
	l.tellAt(at, runevents.TypeAgentCompleted, number+said, &runevents.AgentCompleted{
		Actor: actor(), AgentID: "iteration-" + number, Session: session, Outcome: i.outcome,
		Output: said, DurationMS: i.duration(), Commits: i.commits(),
	})
	if i.result != nil && i.result.CostUSD > 0 {
		l.spent += float64(i.result.CostUSD)
		l.tellAt(at, runevents.TypeSpendReported, number, &runevents.SpendReported{Actor: actor(), Spent: l.spent, Unit: "usd"})
	}
}

// close ends what a log leaves open: the last session and, if its last iteration says so, the run.
func (l *loop) close() {
	if l.session != nil && !l.d.a.Options().Follow {
		l.d.a.Pass(*l.session)
		l.session = nil
	}
	i := l.d.now
	switch {
	case i.interrupted():
		l.complete("cancelled", "interrupted")
	case i.closing != nil:
		l.over(*i.closing)
	case i.promise != "" && i.told && i.outcome == runevents.RunOutcomeSuccess:
		l.complete("success", "completion promise: "+i.promise)
	}
}

// over emits the end of the loop.
func (l *loop) over(r read) {
	if r.kind == done {
		l.complete("success", r.bare)
	} else {
		l.complete("failure", r.bare)
	}
}

func (l *loop) complete(outcome, summary string) {
	if l.ended || l.id == "" {
		return
	}
	l.ended = true
	if items := l.checked(); outcome == runevents.RunOutcomeSuccess && items != nil {
		l.tellAt(l.last, runevents.TypeScopeChecked, outcome+summary, items)
	}
	l.tellAt(l.last, runevents.TypeRunCompleted, outcome+summary, &runevents.RunCompleted{Actor: actor(), Outcome: outcome, Summary: summary})
}

// tellAt emits an event of the run; its id is derived from run and content (EV-2).
func (l *loop) tellAt(at time.Time, typ events.Type, content string, data any) {
	if at.IsZero() {
		at = transcript.Epoch.Add(time.Duration(l.ticks) * time.Second)
		l.ticks++
	}
	sum := sha256.Sum256([]byte(content))
	source := transcript.SourceOf(Name)
	l.d.a.Pass(events.Event{
		ID:     events.DerivedID("adapter", source, l.id+"\x00"+string(typ)+"\x00"+hex.EncodeToString(sum[:]), 0),
		Source: source, Type: typ, Subject: l.id, Time: at.UTC(), Data: data, Correlation: l.id, PartitionKey: l.id,
	})
}

// actor returns the actor of all these events.
func actor() runevents.Actor { return runevents.Actor{Kind: runevents.ActorOrchestrator, ID: Name} }

// headSize is how much of a transcript is examined to recognise it.
const headSize = 64 << 10

// transcript emits an iteration's output as a session of the run and returns its id. JSON that is not a
// transcript is returned as text.
func (l *loop) transcript(i *iteration) (session, rest string) {
	if len(i.native) == 0 {
		return "", ""
	}
	f, ok := l.d.inner(i.native[:min(len(i.native), headSize)])
	if !ok {
		var c clipped
		c.add(string(i.native))
		return "", c.String()
	}
	a := transcript.New(f.Name, sessionid.Valid(l.id+"-iteration-"+strconv.Itoa(i.number)), transcript.Options{Run: l.id})
	a.Main().Saw(l.dated(i))
	decoder := f.Decode(a)
	for n, line := range bytes.Split(bytes.TrimSpace(i.native), []byte("\n")) {
		a.At(n+1, 0)
		if err := decoder.Record(record.Record{Key: f.Native, Data: line, Line: n + 1}); err != nil {
			l.d.a.Problem("iteration %d, line %d of its transcript: %v", i.number, n+1, err)
		}
	}
	decoder.End()
	a.End(false)
	return l.pass(a), ""
}

// pass emits the session and returns its id. Its end is held back, because a loop can continue the same
// session in its next iteration.
func (l *loop) pass(a *transcript.Assembler) (session string) {
	main := a.Main().ID()
	for e, ok := a.Take(); ok; e, ok = a.Take() {
		same := l.session != nil && l.session.Subject == e.Subject
		switch {
		case e.Type == sessionevents.TypeSessionOpened && same:
			continue // it continues
		case e.Type == sessionevents.TypeSessionClosed && e.Subject == main:
			l.session = &e
			continue
		case e.Subject == main && l.session != nil && !same:
			l.d.a.Pass(*l.session)
			l.session = nil
		}
		if e.Type == sessionevents.TypeTurnRaw && e.Subject == main {
			session = main
		}
		l.d.a.Pass(e)
	}
	return session
}

// dated returns when an iteration began, as well as the log shows.
func (l *loop) dated(i *iteration) time.Time {
	for _, at := range []time.Time{i.begun, l.last} {
		if !at.IsZero() {
			return at
		}
	}
	return transcript.Epoch.Add(time.Duration(l.ticks) * time.Second)
}
