package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Live is what the view of sessions and runs shows (CO-11).
type Live struct {
	Place
	Filter   readmodel.SessionFilter
	Board    bool // cards by state instead of rows
	Sessions []readmodel.Session
	Standing map[string]readmodel.Standing // of those, by id
	Total    int                           // that the filter selects
	// After is where this part of the list begins, Next where the next one does; "" for the
	// beginning and the end.
	After, Next string
	Waiting     []runlist.Run // that need a person
	Runs        []runlist.Run
}

// choice is one entry of a selection.
type choice struct {
	Value, Name string
	Current     bool
}

// column is one state of the board.
type column struct {
	Name  string
	Cards []card
	More  int
}

// card is one session or run.
type card struct {
	Title, Link, Text string
	Facts             []string
	Alarm             bool
}

// maxCards limits the cards in a column.
const maxCards = 50

// RenderLive writes the view.
func RenderLive(w io.Writer, m Live) error {
	state := ""
	switch {
	case m.Filter.Open:
		state = stateOpen
	case m.Filter.Closed:
		state = stateClosed
	}
	same := func(pairs ...string) string {
		return m.link("/live", append([]string{"q", m.Filter.Text, "state", state, "as", m.shape()}, pairs...)...)
	}
	view := struct {
		Key, Heading, Text, Day, AllDays, Nothing, Next, First string
		Nobody                                                 bool // has reported, and nothing is looked for
		States, Shapes                                         []choice
		Sessions                                               []row
		Board                                                  []column
		Runs                                                   []runRow
	}{
		Key: m.Key, Heading: headed(m.Total), Text: page.Plain(m.Filter.Text), Day: m.Filter.Day, AllDays: same(),
		States: choices(
			state, "", "all", stateOpen, "open", stateClosed, "closed",
		), Shapes: choices(m.shape(), "", "rows", shapeBoard, "board"),
	}
	if m.Filter.Text != "" || state != "" || m.Filter.Day != "" {
		view.Nothing = "No session matches."
	}
	view.Nobody = view.Nothing == "" && m.Total == 0 && len(m.Waiting) == 0
	if m.Board {
		view.Board = m.columns()
	} else {
		view.Sessions = m.standing(m.rows(m.Sessions))
		view.Runs = m.runRows()
	}
	if m.Next != "" && !m.Board {
		view.Next = same("day", m.Filter.Day, "after", m.Next)
	}
	if m.After != "" {
		view.First = same("day", m.Filter.Day)
	}
	return m.render(w, shell{view: viewLive, title: viewLive, news: newsOf(""), every: refreshEvery}, "live.gohtml", view)
}

// headed is the heading of a view with so many sessions.
func headed(n int) string {
	if n == 0 {
		return "No sessions."
	}
	return page.Plural(n, "session") + "."
}

// Values in the address of the view.
const (
	stateOpen   = "open"
	stateClosed = "closed"
	shapeBoard  = "board"
)

// ReadLive returns from a view's address what the view shows.
func ReadLive(get func(string) string) (f readmodel.SessionFilter, board bool) {
	f = readmodel.SessionFilter{
		Text: strings.TrimSpace(get("q")), Day: get("day"), Open: get("state") == stateOpen,
		Closed: get("state") == stateClosed,
	}
	return f, get("as") == shapeBoard
}

func (m *Live) shape() string {
	if m.Board {
		return shapeBoard
	}
	return ""
}

func choices(current string, pairs ...string) (list []choice) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, choice{pairs[i], pairs[i+1], pairs[i] == current})
	}
	return list
}

// columns returns the board: what waits for a person, what is working, what has ended.
func (m *Live) columns() []column {
	waits, works, ended := column{Name: "Waits for you"}, column{Name: "Works"}, column{Name: "Ended"}
	for _, n := range m.needs(m.Waiting, "/") {
		waits.add(card{Title: n.Name, Link: n.Link, Text: n.Text, Facts: []string{n.What, n.Age}, Alarm: true})
	}
	for _, r := range m.standing(m.rows(m.Sessions)) {
		one := card{Title: r.Title, Link: r.Link, Facts: []string{r.Name}}
		if one.Title == "" {
			one.Title, one.Facts = r.Name, nil
		}
		for _, fact := range []string{r.Agent, r.Model, r.Act, page.Plural(r.Turns, "turn"), r.Happened, r.Debt, strings.Join(r.Circles, ", "), r.Cost, r.Last} {
			if fact != "" {
				one.Facts = append(one.Facts, fact)
			}
		}
		if r.State == "open" {
			works.add(one)
		} else {
			ended.add(one)
		}
	}
	return []column{waits, works, ended}
}

func (c *column) add(one card) {
	if len(c.Cards) == maxCards {
		c.More++
		return
	}
	c.Cards = append(c.Cards, one)
}

// standing adds to the rows how the work of their sessions stands.
func (m *Live) standing(rows []row) []row {
	for i := range rows {
		s := m.Standing[rows[i].id]
		if s.Debt > 0 {
			rows[i].Debt = page.Plural(s.Debt, "point of debt", "points of debt")
		}
		for _, c := range s.Circles {
			rows[i].Circles = append(rows[i].Circles, fmt.Sprintf("%s, %d times", page.Plain(cmp.Or(m.Titles[c.Detector], c.Detector)), c.Times))
		}
	}
	return rows
}

// runRow is one run in a list.
type runRow struct {
	Title, Link, State, Tone, Last string
	Waits                          int
}

func (m *Live) runRows() (list []runRow) {
	for i := range m.Runs {
		r := &m.Runs[i]
		title := page.Plain(named(r))
		if title != naming.Brief(r.ID) && !naming.Opaque(r.ID) {
			title += " · " + page.Plain(naming.Brief(r.ID))
		}
		list = append(list, runRow{title, m.run(r.ID), page.Plain(r.Standing()), standingTone(r), m.at(r.Last), r.Waits()})
	}
	return list
}

func standingTone(r *runlist.Run) string {
	switch r.State {
	case runevents.ControlHalted:
		return toneAlarm
	case runevents.ControlPaused, runevents.ControlDraining:
		return toneCare
	}
	return ""
}
