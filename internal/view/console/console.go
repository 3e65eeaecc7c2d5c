// Package console holds the views of the page: who needs a person, what the agents do, a session turn by
// turn, a run with its agents in parallel, the fleet, and what was prevented (CO-10 to CO-15). Each pending
// item shows the command that answers it; with a key the page has the answers as buttons (ADR 38). The
// views are folds of decisions (ADR 44).
package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	prevention "github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Model is what the first view shows.
type Model struct {
	Place
	Waiting   []runlist.Run         // runs that need a person, or have a denied gate
	Words     []readmodel.Interrupt // interrupts that nobody has answered
	Prevented []readmodel.Prevented
	Sessions  []readmodel.Session
	Total     int // total number of sessions
	Runs      int // total number of runs
}

// need is one thing that waits for a person.
type need struct {
	Name, Link, What, Text, Age, Command string
	Answers                              []button
	since                                time.Time
}

// prevented is one answer of the guard.
type prevented struct {
	Name, Link, What, Tone, Text, Age, Command, Back, Allowed string
	Answers                                                   []button
}

// Render writes the view of what needs a person.
func Render(w io.Writer, m Model) error {
	called := namesOf(m.Sessions, m.Words, m.Prevented)
	waits := m.needs(m.Waiting, "/")
	heading := "Nobody waits for you."
	if len(waits) > 0 {
		heading = page.Plural(len(waits), "thing waits", "things wait") + " for you."
	}
	view := struct {
		Heading, Sum string
		Needs, Words []need
		Prevented    []prevented
		AllPrevented string
		Sessions     []row
		More         int
		Live         string
	}{
		heading, sum(m), waits, m.words(m.Words, called, "/"),
		m.stopped(unsaid(m.Prevented, m.Words), called, "/"), m.link("/prevented"),
		m.rows(m.Sessions), max(m.Total-len(m.Sessions), 0), m.link("/live"),
	}
	return m.render(w, shell{view: viewNeeds, news: newsOf(""), every: refreshEvery}, "needs.gohtml", view)
}

// newsOf returns the address of the updates about a session or run; "" means about all.
func newsOf(id string) string {
	if id == "" {
		return "/console/events"
	}
	return (&Place{}).link("/console/events", "of", id)
}

// PreventedModel is what the view of prevented calls shows.
type PreventedModel struct {
	Place
	Prevented []readmodel.Prevented
	Sessions  []readmodel.Session // those of the calls, as far as they are known
}

// RenderPrevented writes the view of what was prevented (CO-11a).
func RenderPrevented(w io.Writer, m PreventedModel) error {
	heading := "Nothing had to be prevented."
	if n := len(m.Prevented); n > 0 {
		heading = page.Plural(n, "call was", "calls were") + " prevented or secured."
	}
	view := struct {
		Heading   string
		Prevented []prevented
	}{heading, m.stopped(m.Prevented, namesOf(m.Sessions, nil, m.Prevented), "/prevented")}
	return m.render(
		w,
		shell{view: viewPrevented, title: viewPrevented, news: newsOf(""), every: refreshEvery},
		"prevented.gohtml",
		view,
	)
}

func sum(m Model) string {
	open := 0
	for i := range m.Sessions {
		if !m.Sessions[i].Closed {
			open++
		}
	}
	if m.Total+m.Runs == 0 {
		return ""
	}
	parts := []string{page.Plural(m.Total, "session")}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%d of the latest open", open))
	}
	if m.Runs > 0 {
		parts = append(parts, page.Plural(m.Runs, "run"))
	}
	return strings.Join(parts, ", ")
}

// needLimit is how many characters of a pending item a card shows; the view of the run has more.
const needLimit = 600

// needs lists what waits for a person in runs, longest wait first.
func (p *Place) needs(waiting []runlist.Run, back string) []need {
	var all []need
	for i := range waiting {
		all = append(all, p.needsOf(&waiting[i], back)...)
	}
	slices.SortStableFunc(all, func(a, b need) int { return a.since.Compare(b.since) })
	return all
}

// needsOf lists what waits in one run.
func (p *Place) needsOf(one *runlist.Run, back string) (all []need) {
	add := func(what, text, command string, since time.Time, answers ...button) {
		all = append(all, need{
			Name: page.Plain(named(one)), Link: p.run(one.ID),
			What: what, Text: cutLine(text, needLimit), Age: age(p.Now.Sub(since)), Command: page.Plain(command), since: since,
			Answers: p.buttons(back, answers...),
		})
	}
	recovered := "" // the gate that the break's answers also open
	if one.Break != nil {
		answers := []button{{Act: ActResume, Of: one.ID, Label: "Resume…", Asks: true}}
		if one.Break.Trigger == runevents.TriggerIsolationFailure { // it is recovered from, not resumed
			answers, recovered = recoveries(one)
		}
		add("halted", one.Break.Reason, runlist.WayOut(one.ID, one.Break.Trigger), one.Break.At, answers...)
	}
	for _, q := range one.Questions {
		var answers []button
		for _, o := range q.Options {
			answers = append(
				answers,
				button{
					Act:    ActAnswer,
					Of:     one.ID,
					Target: q.RequestID,
					Option: o.ID,
					Label:  page.Plain(o.ID + ": " + o.Text),
				},
			)
		}
		add(
			"asks",
			q.Question,
			fmt.Sprintf("scaffoldwatch answer %s %s OPTION", one.ID, q.RequestID),
			q.At,
			answers...)
	}
	for i := range one.Refused {
		g := &one.Refused[i]
		if g.ID == recovered || back == "/" && g.WhoDecides == runevents.DecidedByScaffoldwatch {
			continue // the first opens with the break, the second by itself
		}
		command, answers := "scaffoldwatch runs "+one.ID, []button(nil)
		if opens := runlist.Opens(one.ID, &g.GateDecided); opens != "" {
			command, answers = opens, opening(one, g)
		}
		add(page.Plain(runlist.GateName(&g.GateDecided))+" "+decided(g.Decision), g.Why, command, g.At, answers...)
	}
	for _, e := range one.Escalations {
		if one.Break == nil || e.Break != one.Break.ID { // otherwise it reports that break
			way := runlist.Answers(one.ID, naming.Brief(e.ID), &e.EscalationRaised)
			answers := []button{{Act: ActEscalation, Of: one.ID, Target: e.ID, Label: "Seen"}}
			if strings.HasPrefix(way, "scaffoldwatch approve ") { // a handover is missing (PL-2)
				answers = append(answers, button{Act: ActApprove, Of: one.ID, Label: "Go on without it…", Asks: true})
			}
			add("needs a look", e.Text, way, e.At, answers...)
		}
	}
	return all
}

// decided returns a gate's answer in words.
func decided(d runevents.GateDecision) string {
	switch d {
	case runevents.DecisionAllow:
		return "allowed"
	case runevents.DecisionAllowWithWarning:
		return "allowed with a warning"
	case runevents.DecisionDeny:
		return "denied"
	case runevents.DecisionHold:
		return "held"
	}
	return page.Plain(string(d))
}

// words lists the interrupts that nobody has answered.
func (p *Place) words(told []readmodel.Interrupt, called map[string]string, back string) (list []need) {
	for _, w := range told {
		what := p.found(w.Detector)
		if w.Heed != "" {
			what += ", " + w.Heed
		}
		one := need{
			Name: called[w.Session], Link: p.session(w.Session) + turnAnchor(w.Turn), What: what, Text: cutLine(w.Message, needLimit), Age: age(p.Now.Sub(w.At)),
			Answers: p.verdicts(w.ID, back),
		}
		if p.Key == "" {
			one.Command = "scaffoldwatch dismiss " + page.Plain(w.ID[:min(len(w.ID), shownID)]) + " --why '…'"
		}
		list = append(list, one)
	}
	return list
}

// shownID is how much of an id a command needs.
const shownID = 6

// stopped lists what the guard answered.
func (p *Place) stopped(answers []readmodel.Prevented, called map[string]string, back string) (list []prevented) {
	for i := range answers {
		a := &answers[i]
		one := prevented{
			Name: called[a.Session], Link: p.session(a.Session) + turnAnchor(a.Turn), What: page.Plain(outcome(a.Outcome)), Tone: outcomeTone(a.Outcome),
			Text: page.Plain(
				a.What,
			), Age: age(p.Now.Sub(a.At)), Command: page.Plain(a.Command), Allowed: p.allowedBy(a),
			Answers: p.afterwards(a, back),
		}
		if a.RescueRef != "" {
			one.Back = page.Plain((&prevention.Call{RescueRef: a.RescueRef}).Next())
		}
		list = append(list, one)
	}
	return list
}

// unsaid leaves out warnings whose words are listed already: one thing is one entry.
func unsaid(answers []readmodel.Prevented, words []readmodel.Interrupt) []readmodel.Prevented {
	return slices.DeleteFunc(slices.Clone(answers), func(a readmodel.Prevented) bool {
		return a.Outcome == sessionevents.GuardWarned && slices.ContainsFunc(words, func(w readmodel.Interrupt) bool {
			return w.Session == a.Session && w.Message == a.What
		})
	})
}

// outcome returns what the guard did, in words.
func outcome(o sessionevents.GuardOutcome) string {
	switch o {
	case sessionevents.GuardKept:
		return "kept first"
	case sessionevents.GuardWarned:
		return "warned of"
	case sessionevents.GuardAllowed:
		return "allowed once"
	}
	return string(o)
}

func outcomeTone(o sessionevents.GuardOutcome) string {
	if o == sessionevents.GuardDenied {
		return toneAlarm
	}
	return ""
}

// Tones are the colours for states.
const (
	toneAlarm = "alarm"
	toneCare  = "care"
	toneGood  = "good"
)

// namesOf returns names for sessions: project and task if they are known, otherwise the short id.
func namesOf(
	sessions []readmodel.Session, words []readmodel.Interrupt, stopped []readmodel.Prevented,
) map[string]string {
	ids := make([]string, 0, len(sessions)+len(words)+len(stopped))
	titles := map[string]string{}
	for i := range sessions {
		s := &sessions[i]
		ids = append(ids, s.Session)
		titles[s.Session] = naming.Title(s.Workspace, s.Task)
	}
	for _, w := range words {
		ids = append(ids, w.Session)
	}
	for i := range stopped {
		ids = append(ids, stopped[i].Session)
	}
	called := naming.Short(ids)
	for id, short := range called {
		if titles[id] != "" {
			short = titles[id] + " · " + short
		}
		called[id] = page.Plain(short)
	}
	return called
}

func named(r *runlist.Run) string {
	if title := naming.Title(r.Of(), r.Goal); title != "" {
		return title
	}
	return naming.Brief(r.ID)
}
