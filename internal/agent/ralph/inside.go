package ralph

import (
	"bytes"
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
