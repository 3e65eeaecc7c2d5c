package console

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Session is what the view of one session shows (CO-12).
type Session struct {
	Place
	Report sessionreport.Model
	// Said are its turns, segmented and redacted, by number; Unheard explains why there are none, "" if
	// they are known.
	Said    map[int]*sessionevents.TurnSegmented
	Unheard string
	// Children are the sessions of its subagents.
	Children []readmodel.Session
	Waiting  []runlist.Run // the session itself, if it is halted
	Answered map[string]bool
	// From is the first turn to show.
	From int
}

const (
	// timelineBytes is how much of a timeline one page holds, so that it appears at once on any connection
	// (at most 150 KB to the first paint).
	timelineBytes = 90 << 10
	// timelineTurns is how many turns one page holds.
	timelineTurns = 60
	// maxShownClaims and maxShownFindings limit what precedes the timeline.
	maxShownClaims   = 12
	maxShownFindings = 40
)

// RenderSession writes the view of one session, with its timeline from a turn on.
func RenderSession(w io.Writer, m Session) error {
	s := &m.Report.Session
	next := m.todo()
	claims, more := m.claims(next)
	view := struct {
		Heading         string
		Facts, Happened []string
		Run, Report     string
		Needs           []need
		Todo            []sessionreport.Next
		Claims          []claim
		MoreClaims      string
		UndoneTitle     string
		Undone          []string
		MoreUndone      string
		Children        []row
		Findings        []link
		Unheard         string
		Turns           []template.HTML
		Earlier, Later  string
		Latest          string
		LaterFrom       int
		Steering        []button
	}{
		Heading: m.title(), Facts: m.facts(), Happened: m.happened(), Needs: m.needs(m.Waiting, "/sessions/"+s.ID), Todo: next,
		Report: m.link("/v1/sessions/"+s.ID+"/report", "format", "html"), Claims: claims, MoreClaims: more,
		UndoneTitle: sessionreport.UndoneTitle, Children: m.rows(m.Children), Unheard: m.Unheard,
		Steering: m.steering(
			s.ID,
			"/sessions/"+s.ID,
			s.Closed || len(m.Waiting) > 0 && m.Waiting[0].State == runevents.ControlHalted,
		),
	}
	if s.Run != "" {
		view.Run = m.run(s.Run)
	}
	left := 0
	if view.Undone, left = m.Report.Undone(); left > 0 {
		view.MoreUndone = page.Plural(left, "earlier thing") + ": scaffoldwatch done " + naming.Brief(s.ID)
	}
	turns, after, err := m.turns()
	if err != nil {
		return err
	}
	view.Turns, view.Findings = turns, m.findings(after)
	if m.From > 1 {
		view.Earlier = m.session(s.ID)
	}
	if after > 0 {
		view.Later, view.LaterFrom = m.part(after), after
		last := m.Report.TurnByTurn[len(m.Report.TurnByTurn)-1].Number
		view.Latest = m.part(max(last-9, 1))
	}
	return m.render(w, shell{view: viewLive, title: m.title(), news: newsOf(s.ID)}, "session.gohtml", view)
}

// part returns the address of the timeline from a turn on.
func (m *Session) part(from int) string {
	return m.link("/sessions/"+m.Report.Session.ID, "from", strconv.Itoa(from)) + turnAnchor(from)
}

// turnAnchor returns the anchor of a turn in its session's view, "" if the turn is not known.
func turnAnchor(turn int) string {
	if turn == 0 {
		return ""
	}
	return "#turn-" + strconv.Itoa(turn)
}

func (m *Session) title() string {
	s := &m.Report.Session
	if title := page.Plain(naming.Title(s.Workspace, s.Task)); title != "" {
		return title
	}
	return "Session " + m.shortID()
}

func (m *Session) shortID() string {
	return page.Plain(naming.Brief(m.Report.Session.ID))
}

// facts identify the session.
func (m *Session) facts() []string {
	s := &m.Report.Session
	list := []string{m.shortID()}
	if s.Agent != nil {
		for _, text := range []string{s.Agent.Kind, s.Agent.Model} {
			if text != "" {
				list = append(list, page.Plain(text))
			}
		}
	}
	if !s.Opened.IsZero() {
		list = append(list, m.at(s.Opened)+" to "+m.at(s.Last))
	}
	list = append(list, page.Plural(m.Report.Turns, "turn"))
	if u := m.Report.Usage; u != nil && u.CostUSD > 0 {
		list = append(list, money(u.CostUSD))
	}
	state := "open"
	if s.Closed {
		state = "closed"
	}
	return append(list, state)
}

// happened describes the session in a few sentences; what did not happen is left out (CO-9b).
func (m *Session) happened() (list []string) {
	for _, text := range m.Report.Happened() {
		list = append(list, page.Plain(text))
	}
	if o := m.Report.Opinions; o != nil {
		text := page.Plain(o.Text())
		list = append(list, strings.ToUpper(text[:1])+text[1:]+".")
	}
	for i := range m.Children {
		if c := &m.Children[i]; c.Interrupts+c.Prevented > 0 {
			name := page.Plain(c.Session[min(len(c.Session), len(m.Report.Session.ID)+1):])
			list = append(list, "Its agent "+name+": "+happened(*c)+".")
		}
	}
	if len(list) == 0 {
		list = append(list, sessionreport.Nothing)
	}
	return list
}

// todo returns what a person should do next, most urgent first.
func (m *Session) todo() (list []sessionreport.Next) {
	for _, n := range m.Report.ToDo() {
		list = append(list, sessionreport.Next{Text: cutLine(n.Text, needLimit), Command: page.Plain(n.Command)})
	}
	return list
}

// claim is a sentence of the agent's, with what the record says about it.
type claim struct {
	Verdict, Tone, Link, Text, Why, Show string
	Turn                                 int
}

var verdicts = map[sessionevents.Verdict]struct{ words, tone string }{
	sessionevents.Contradicted: {"contradicted", toneAlarm}, sessionevents.Unproven: {"without evidence", toneCare},
	sessionevents.NotCheckable: {"cannot be checked", ""}, sessionevents.Proven: {"shown", toneGood},
}

// claims returns the claims that a reader needs, worst first, and what is left out.
func (m *Session) claims(next []sessionreport.Next) (list []claim, more string) {
	if m.Report.Done == nil {
		return nil, ""
	}
	left := 0
	for _, c := range m.Report.Done.Claims {
		if sessionreport.Midway(c) || len(list) == maxShownClaims {
			left++
			continue
		}
		one := m.claim(c)
		if slices.ContainsFunc(next, func(t sessionreport.Next) bool { return t.Command == one.Show }) {
			one.Show = "" // the steps to take include it
		}
		list = append(list, one)
	}
	if left > 0 {
		more = page.Plural(left, "more claim is", "more claims are") + " in the timeline."
	}
	return list, more
}

func (m *Session) claim(c sessionevents.Claim) claim {
	words := verdicts[c.Verdict]
	one := claim{
		Verdict: words.words, Tone: words.tone, Turn: c.Turn, Link: m.linkTo(c.Turn), Text: cutLine(c.Text, needLimit), Why: cutLine(c.Why, needLimit),
	}
	if c.By != nil && c.By.Command != "" && !strings.Contains(c.Why, c.By.Command) &&
		!strings.Contains(c.Why, fmt.Sprintf("turn %d", c.By.Turn)) {
		one.Why += fmt.Sprintf(" (turn %d: %s)", c.By.Turn, cutLine(c.By.Command, objectLimit))
	}
	if c.Verdict != sessionevents.Proven {
		one.Show = page.Plain(c.Show)
	}
	return one
}

// turnsBefore is how many turns a link shows before its target.
const turnsBefore = 2

// linkTo returns the address of a turn, on the part of the timeline that begins shortly before it.
func (m *Session) linkTo(turn int) string {
	from := ""
	if first := turn - turnsBefore; first > 1 {
		from = strconv.Itoa(first)
	}
	return m.link("/sessions/"+m.Report.Session.ID, "from", from) + turnAnchor(turn)
}

// link is a named address.
type link struct{ Name, Link string }

// findings returns links to the notes, in order. Next is the first turn that is not shown, 0 for none.
func (m *Session) findings(next int) (list []link) {
	shown := func(turn int) bool { return turn >= m.From && (next == 0 || turn < next) }
	for _, t := range m.Report.TurnByTurn {
		for _, n := range m.notes(t.Number) {
			if len(list) == maxShownFindings {
				return append(list, link{"…", m.part(t.Number)})
			}
			place := "#" + n.ID
			if !shown(t.Number) {
				place = m.linkTo(t.Number)
			}
			list = append(list, link{fmt.Sprintf("turn %d: %s", t.Number, cmp.Or(n.What, n.Of)), place})
		}
	}
	return list
}

// turns returns the turns of this part, each rendered, and the first that does not fit, 0 for none.
func (m *Session) turns() (list []template.HTML, next int, err error) {
	size := 0
	for _, t := range m.Report.TurnByTurn {
		if t.Number < m.From {
			continue
		}
		var text bytes.Buffer
		if err := parsed().ExecuteTemplate(&text, "turn", m.turn(t)); err != nil {
			return nil, 0, fmt.Errorf("render turn %d: %w", t.Number, err)
		}
		if size += text.Len(); len(list) == timelineTurns || len(list) > 0 && size > timelineBytes {
			return list, t.Number, nil
		}
		list = append(list, template.HTML(text.String())) //nolint:gosec // the template has escaped it
	}
	return list, 0, nil
}
