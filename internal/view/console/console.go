// Package console is the page at /: who needs a person, and what the agents do (CO-10, CO-11).
// It reads only; each thing that waits names the command that answers it.
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
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
)

// Model is what the page shows.
type Model struct {
	Now      time.Time
	Zone     *time.Location
	Waiting  []runlist.Run // that need a person, or have a gate that refused
	Sessions []readmodel.Session
	Total    int // sessions in all
	Runs     int // runs in all
}

// need is one thing that waits for a person.
type need struct {
	Name, Link, What, Text, Age, Command string
	since                                time.Time
}

// row is one session.
type row struct {
	Name, Title, Link, Agent, State, Last string
	Child                                 bool
	Turns, Said                           int
}

//go:embed console.gohtml
var source string

var body = sync.OnceValue(func() *template.Template { return template.Must(template.New("console").Parse(source)) })

// Render writes the page.
func Render(w io.Writer, m Model) error {
	view := struct {
		Needs    []need
		Sessions []row
		More     int
		Sum      string
	}{needs(m), rows(m), max(m.Total-len(m.Sessions), 0), sum(m)}
	var text bytes.Buffer
	if err := body().Execute(&text, view); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return page.Render(w, "scaffoldwatch", "scaffoldwatch", template.HTML(text.String())) //nolint:gosec // the template has escaped it
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
		add := func(what, text, command string, since time.Time) {
			all = append(all, need{
				Name: page.Plain(named(one)), Link: "/v1/runs/" + url.PathEscape(one.ID) + "/report?format=html",
				What: what, Text: page.Plain(text), Age: age(m.Now.Sub(since)), Command: page.Plain(command), since: since,
			})
		}
		if one.Break != nil {
			add("halted", one.Break.Reason, runlist.WayOut(one.ID, one.Break.Trigger), one.Break.At)
		}
		for _, q := range one.Questions {
			add("asks", q.Question, fmt.Sprintf("scaffoldwatch answer %s %s OPTION", one.ID, q.RequestID), q.At)
		}
		for _, g := range one.Refused {
			add("gate "+string(g.Gate)+" "+string(g.Decision), g.Why, "scaffoldwatch runs "+one.ID, g.At)
		}
		for _, e := range one.Escalations {
			if one.Break == nil || e.Break != one.Break.ID { // else it reports that break
				add("needs a look", e.Text, "scaffoldwatch ack "+e.ID, e.At)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b need) int { return a.since.Compare(b.since) })
	return all
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
			Link:  "/v1/sessions/" + url.PathEscape(s.Session) + "/report?format=html",
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
