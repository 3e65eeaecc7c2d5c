package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	prevention "github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// lanes show the agents of a run in parallel, and what happened in order. The axis is the order of events,
// not time: a night's pause would leave no room for the work.
type lanes struct {
	Lanes       []lane
	MoreLanes   string
	Width       int
	First, Last string
	Moments     []moment
	MoreMoments string
	first, last time.Time
}

// lane is one session, or the run itself.
type lane struct {
	Name, Link, Sum string
	Marks           []mark
	session         string
	counts          map[string]int // by class
}

// mark is a rectangle of a lane.
type mark struct {
	Class               string
	X, Y, Width, Height int
}

// moment is one event, in words.
type moment struct {
	At, What, Tone, Lane, Text string
	at                         time.Time
}

const (
	maxLanes   = 40
	maxMoments = 150
	// maxColumns limits the columns of the axis; more events share columns.
	maxColumns  = 240
	columnWidth = 6
	laneHeight  = 28
)

// Classes of marks.
const (
	markWork = "work"
	markTold = "told"
	markStop = "stop"
	markGate = "gate"
	markHalt = "halt"
)

// seen is an event as the lanes show it.
type seen struct {
	at               time.Time
	session, class   string
	what, tone, text string
	halts, releases  bool
}

// lanesOf draws the events of a run; names are those of its sessions.
func (p *Place) lanesOf(list []events.Event, r *runreport.Model, names map[string]string) lanes {
	var all []seen
	for _, e := range list {
		if s, shown := p.see(e); shown {
			all = append(all, s)
		}
	}
	out := lanes{}
	if len(all) == 0 {
		return out
	}
	out.first, out.last = all[0].at, all[len(all)-1].at
	columns := min(len(all), maxColumns)
	out.Width = max(columns, 24) * columnWidth
	index := map[string]int{"": 0}
	out.Lanes = []lane{{Name: "the run", counts: map[string]int{}}}
	for i := range r.Sessions {
		id := r.Sessions[i].ID
		if len(out.Lanes) > maxLanes {
			out.MoreLanes = page.Plural(len(r.Sessions)-i, "more session is", "more sessions are") + " not drawn."
			break
		}
		index[id] = len(out.Lanes)
		out.Lanes = append(out.Lanes, lane{Name: names[id], session: id, counts: map[string]int{}})
	}
	out.mark(all, columns, index)
	for i := range out.Lanes {
		out.Lanes[i].Sum = out.Lanes[i].sum()
	}
	if len(out.Lanes[0].Marks) == 0 && len(out.Lanes) > 1 {
		out.Lanes = out.Lanes[1:]
	}
	for _, s := range all {
		if s.what == "" {
			continue
		}
		if len(out.Moments) == maxMoments {
			out.MoreMoments = "Later events are in the full report."
			break
		}
		out.Moments = append(
			out.Moments, moment{What: s.what, Tone: s.tone, Lane: names[s.session], Text: page.Plain(s.text), at: s.at},
		)
	}
	return out
}

// mark draws the events; a halt shades all lanes until the run continues.
func (l *lanes) mark(all []seen, columns int, index map[string]int) {
	halted := -1
	column := func(i int) int { return i * columns / len(all) * columnWidth }
	shade := func(till int) {
		for i := range l.Lanes {
			l.Lanes[i].Marks = append(l.Lanes[i].Marks, mark{markHalt, halted, 0, max(till-halted, columnWidth), laneHeight})
		}
	}
	for i, s := range all {
		x := column(i)
		if s.releases && halted >= 0 {
			shade(x)
			halted = -1
		}
		if s.halts && halted < 0 {
			halted = x
		}
		at, known := index[s.session]
		if !known || s.class == "" {
			continue
		}
		one := &l.Lanes[at]
		height := laneHeight - 8
		if s.class == markWork {
			height = laneHeight / 3
		}
		one.counts[s.class]++
		one.Marks = append(one.Marks, mark{s.class, x, laneHeight - 4 - height, columnWidth - 1, height})
	}
	if halted >= 0 {
		shade(l.Width)
	}
}

// sum describes a lane in words, for screen readers.
func (l *lane) sum() string {
	parts := []string{l.Name}
	for _, c := range []struct{ class, one, many string }{
		{markWork, "turn", "turns"}, {markTold, "word to it", "words to it"}, {markGate, "gate passed", "gates passed"}, {markStop, "denial or failure", "denials or failures"},
	} {
		if n := l.counts[c.class]; n > 0 {
			parts = append(parts, page.Plural(n, c.one, c.many))
		}
	}
	return strings.Join(parts, ", ")
}

// see returns what to show of an event; most are not shown.
func (p *Place) see(e events.Event) (s seen, shown bool) {
	s.at, s.session = e.Time, e.Subject
	switch d := e.Data.(type) {
	case *sessionevents.TurnEvaluated:
		s.class = markWork
		if d.Failed != "" {
			s.class, s.what, s.tone, s.text = markStop, "not watched", toneAlarm, fmt.Sprintf("turn %d: %s", d.Turn, d.Failed)
		}
	case *sessionevents.InterruptFired:
		s.class, s.what, s.tone, s.text = markTold, "told: "+p.found(d.Detector), toneCare, d.Message
	case *runevents.CorrectionIssued:
		s.session, s.class, s.what, s.tone, s.text = d.Target.Session, markTold, "told", toneCare, d.Text
	case *sessionevents.GuardDecided:
		c := prevention.Of(e, d)
		s.session, s.class, s.text = d.Session, markStop, c.Effect()
		s.what, s.tone = outcome(c.Outcome), outcomeTone(c.Outcome)
		if c.Outcome != sessionevents.GuardDenied {
			s.class = markTold
		}
	case *runevents.GateDecided:
		s.session, s.class, s.what, s.text = "", markGate, page.Plain(runlist.GateName(d))+": "+decided(d.Decision), d.Why
		if d.Decision == runevents.DecisionDeny || d.Decision == runevents.DecisionHold {
			s.class, s.tone = markStop, toneAlarm
		}
	case *runevents.WiggumBreak:
		s.session, s.class, s.what, s.tone, s.text, s.halts = d.Session, markStop, "halted", toneAlarm, d.Reason, true
	case *runevents.ControlChanged:
		if d.State != runevents.ControlRunning || d.Who == "" {
			return s, false
		}
		s.session, s.class, s.what, s.tone, s.text, s.releases = "", markGate, "goes on", toneGood, d.Who+": "+d.Why, true
	case *runevents.EscalationRaised:
		s.session, s.class, s.what, s.tone, s.text = d.Session, markStop, "needs a look", toneAlarm, d.Text
	case *runevents.ClarificationRequested:
		s.session, s.class, s.what, s.tone, s.text = "", markStop, "asks", toneAlarm, d.Question
	case *runevents.RunStarted:
		s.session, s.class, s.what, s.text = "", markGate, "began", d.Goal
	case *runevents.RunCompleted:
		s.session, s.class, s.what, s.text = "", markGate, "ended", d.Outcome
	default:
		return s, false
	}
	return s, true
}
