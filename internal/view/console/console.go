// Package console is the page at /: who needs a person, what agents were told and kept from, and what
// they do (CO-10 to CO-11a). Each thing that waits names the command that answers it; with a key the
// page has the answers as buttons (ADR 38).
package console

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	prevention "github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Model is what the page shows.
type Model struct {
	Now       time.Time
	Zone      *time.Location
	Waiting   []runlist.Run         // that need a person, or have a gate that refused
	Words     []readmodel.Interrupt // that no person has answered
	Prevented []readmodel.Prevented
	Sessions  []readmodel.Session
	Total     int // sessions in all
	Runs      int // runs in all
	// Key lets a person answer on the page; without it the page shows commands only.
	Key string
}

// Script is what keeps the page up to date in a browser.
//
//go:embed console.js
var Script string

const (
	// scriptPath is where a server answers with [Script].
	scriptPath = "/console.js"
	// refreshEvery is how many seconds a browser without scripts shows the page.
	refreshEvery = 10
)

// Acts are what a person can do on the page.
const (
	ActAck        = "ack"        // a word to an agent, Target its id
	ActDismiss    = "dismiss"    // the same, with a reason
	ActEscalation = "escalation" // acknowledge the escalation Target of run Of
	ActAnswer     = "answer"     // the question Target of run Of, with Option
	ActResume     = "resume"     // Of, a run or session, with a reason
)

// button is one answer.
type button struct {
	Key, Act, Of, Target, Option, Label string
	Asks                                bool // it takes a reason, which a page of its own asks for
}

// need is one thing that waits for a person.
type need struct {
	Name, Link, What, Text, Age, Command string
	Answers                              []button
	since                                time.Time
}

// prevented is one answer of the guard.
type prevented struct{ Name, Link, What, Text, Age, Command, Back string }

// row is one session.
type row struct {
	Name, Title, Link, Agent, State, Last string
	Child                                 bool
	Turns, Said                           int
}

//go:embed console.gohtml
var source string

var body = sync.OnceValue(func() *template.Template { return template.Must(template.New("console").Parse(source)) })

//go:embed answer.gohtml
var answerSource string

var answer = sync.OnceValue(func() *template.Template { return template.Must(template.New("answer").Parse(answerSource)) })

// Render writes the page.
func Render(w io.Writer, m Model) error {
	called := namesOf(m)
	view := struct {
		Needs, Words []need
		Prevented    []prevented
		Sessions     []row
		More         int
		Sum          string
	}{needs(m), words(m, called), stopped(m, called), rows(m), max(m.Total-len(m.Sessions), 0), sum(m)}
	var text bytes.Buffer
	if err := body().Execute(&text, view); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return frame.Render(w, template.HTML(text.String())) //nolint:gosec // the template has escaped it
}

var frame = page.Frame{
	Title: "scaffoldwatch", Heading: "scaffoldwatch", Policy: page.LivePolicy, Script: scriptPath, Every: refreshEvery, Skip: "Skip to the content",
}

// Answer is what a person decides: one of the acts with what it is about.
type Answer struct{ Act, Of, Target, Option, Why string }

// Question is what is asked before an answer that takes a reason.
type Question struct {
	Key string
	Answer
	Problem string // with the last try
}

// asked are the words of a question, by its act.
var asked = map[string]struct{ title, text, ask, label string }{
	ActResume:  {"Let it go on", "It is halted. It goes on when you say why.", "What has changed, for the record?", "Resume"},
	ActDismiss: {"A false alarm", "The agent's budget gets back what the word cost, and the rate of false alarms of its detector goes up.", "Why was it wrong, for the record?", "Dismiss"},
}

// Asks reports whether an act takes a reason.
func Asks(act string) bool { _, asks := asked[act]; return asks }

// RenderQuestion writes the page that asks for a reason.
func RenderQuestion(w io.Writer, q Question) error {
	words := asked[q.Act]
	view := struct {
		Question
		Text, Ask, Label string
	}{q, words.text, words.ask, words.label}
	var text bytes.Buffer
	if err := answer().Execute(&text, view); err != nil {
		return fmt.Errorf("render the question: %w", err)
	}
	own := page.Frame{Title: words.title, Heading: words.title, Policy: page.LivePolicy, Skip: frame.Skip}
	return own.Render(w, template.HTML(text.String())) //nolint:gosec // the template has escaped it
}

func sum(m Model) string {
	open := 0
	for _, s := range m.Sessions {
		if !s.Closed {
			open++
		}
	}
	return fmt.Sprintf("%s, %d open; %s", page.Plural(m.Total, "session", "sessions"), open, page.Plural(m.Runs, "run", "runs"))
}

// needs lists what waits for a person, what has waited longest first.
func needs(m Model) []need {
	var all []need
	for i := range m.Waiting {
		one := &m.Waiting[i]
		add := func(what, text, command string, since time.Time, answers ...button) {
			all = append(all, need{
				Name: page.Plain(named(one)), Link: "/v1/runs/" + url.PathEscape(one.ID) + "/report?format=html",
				What: what, Text: page.Plain(text), Age: age(m.Now.Sub(since)), Command: page.Plain(command), since: since,
				Answers: m.buttons(answers...),
			})
		}
		if one.Break != nil {
			var answers []button
			if one.Break.Trigger != runevents.TriggerIsolationFailure { // which is recovered from, not resumed
				answers = []button{{Act: ActResume, Of: one.ID, Label: "Resume…", Asks: true}}
			}
			add("halted", one.Break.Reason, runlist.WayOut(one.ID, one.Break.Trigger), one.Break.At, answers...)
		}
		for _, q := range one.Questions {
			var answers []button
			for _, o := range q.Options {
				answers = append(answers, button{Act: ActAnswer, Of: one.ID, Target: q.RequestID, Option: o.ID, Label: page.Plain(o.ID + ": " + o.Text)})
			}
			add("asks", q.Question, fmt.Sprintf("scaffoldwatch answer %s %s OPTION", one.ID, q.RequestID), q.At, answers...)
		}
		for _, g := range one.Refused {
			add("gate "+string(g.Gate)+" "+string(g.Decision), g.Why, "scaffoldwatch runs "+one.ID, g.At)
		}
		for _, e := range one.Escalations {
			if one.Break == nil || e.Break != one.Break.ID { // else it reports that break
				add("needs a look", e.Text, "scaffoldwatch ack "+e.ID, e.At, button{Act: ActEscalation, Of: one.ID, Target: e.ID, Label: "Seen"})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b need) int { return a.since.Compare(b.since) })
	return all
}

// buttons are answers with the key; none without it.
func (m *Model) buttons(list ...button) []button {
	if m.Key == "" {
		return nil
	}
	for i := range list {
		list[i].Key = m.Key
	}
	return list
}

// words lists what agents were told and no person has answered.
func words(m Model, called map[string]string) (list []need) {
	for _, w := range m.Words {
		what := w.Detector
		if w.Heed != "" {
			what += ", " + w.Heed
		}
		one := need{
			Name: called[w.Session], Link: reportOf(w.Session), What: page.Plain(what), Text: page.Plain(w.Message), Age: age(m.Now.Sub(w.At)),
			Answers: m.buttons(button{Act: ActAck, Target: w.ID, Label: "Right"}, button{Act: ActDismiss, Target: w.ID, Label: "False alarm…", Asks: true}),
		}
		if m.Key == "" {
			one.Command = "scaffoldwatch dismiss " + page.Plain(w.ID[:min(len(w.ID), shownID)]) + " --why '…'"
		}
		list = append(list, one)
	}
	return list
}

// shownID is how much of an id a command needs.
const shownID = 6

// stopped lists what the guard answered.
func stopped(m Model, called map[string]string) (list []prevented) {
	for _, p := range m.Prevented {
		one := prevented{
			Name: called[p.Session], Link: reportOf(p.Session), What: page.Plain(string(p.Outcome)), Text: page.Plain(p.What),
			Age: age(m.Now.Sub(p.At)), Command: page.Plain(p.Command),
		}
		if p.RescueRef != "" {
			one.Back = page.Plain((&prevention.Call{RescueRef: p.RescueRef}).Next())
		}
		list = append(list, one)
	}
	return list
}

func reportOf(session string) string {
	return "/v1/sessions/" + url.PathEscape(session) + "/report?format=html"
}

// namesOf names the sessions of words and denials: by project and task where the list has them, else
// by their short id.
func namesOf(m Model) map[string]string {
	ids := make([]string, 0, len(m.Sessions)+len(m.Words)+len(m.Prevented))
	titles := map[string]string{}
	for _, s := range m.Sessions {
		ids = append(ids, s.Session)
		titles[s.Session] = naming.Title(s.Workspace, s.Task)
	}
	for _, w := range m.Words {
		ids = append(ids, w.Session)
	}
	for _, p := range m.Prevented {
		ids = append(ids, p.Session)
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
	return r.ID
}

// rows lists the sessions, subagents below the session that started them where both are shown.
func rows(m Model) []row {
	ids, children := make([]string, len(m.Sessions)), map[string][]readmodel.Session{}
	shown := map[string]bool{}
	for i, s := range m.Sessions {
		ids[i], shown[s.Session] = s.Session, true
	}
	var order []readmodel.Session
	for _, s := range m.Sessions {
		if parent, _ := naming.Split(s.Session); parent != "" && shown[parent] {
			children[parent] = append(children[parent], s)
		} else {
			order = append(order, s)
		}
	}
	short := naming.Short(ids)
	var list []row
	add := func(s readmodel.Session, child bool) {
		state := "open"
		if s.Closed {
			state = "closed"
		}
		list = append(list, row{
			Name: page.Plain(short[s.Session]), Title: page.Plain(naming.Title(s.Workspace, s.Task)), Child: child,
			Link:  reportOf(s.Session),
			Agent: page.Plain(s.Agent), State: state, Last: s.Last.In(m.Zone).Format("2 Jan 15:04"), Turns: s.Turns, Said: s.Interrupts,
		})
	}
	for _, s := range order {
		add(s, false)
		for _, c := range children[s.Session] {
			add(c, true)
		}
	}
	return list
}

// age is how long something has waited, in the largest unit that fits.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
