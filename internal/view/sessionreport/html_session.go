package sessionreport

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// htmlSession is one session as the page shows it; ID begins its anchors.
type htmlSession struct {
	Model
	ID      string
	Several bool
	where   map[string]string   // signal → anchor of where it is told
	told    map[string]*Finding // signal → its finding
}

func newHTMLSession(id string, m Model, several bool) htmlSession {
	s := htmlSession{Model: m, ID: id, Several: several, where: map[string]string{}, told: map[string]*Finding{}}
	for _, list := range [][]Finding{m.NotSent, m.Logged, m.Suppressed, m.Corrected, m.Expired, m.Pending} {
		for i := range list {
			s.told[list[i].Signal] = &list[i]
			s.where[list[i].Signal] = s.signalAnchor(list[i].Signal)
		}
	}
	for i := range m.Coalesced {
		s.told[m.Coalesced[i].Signal] = &m.Coalesced[i]
	}
	for i := range m.Said {
		s.told[m.Said[i].Signal] = &m.Said[i]
	}
	for i, fired := range m.Interrupts {
		for _, signal := range fired.Signals {
			s.where[signal] = s.interruptAnchor(i)
		}
	}
	return s
}

func (s htmlSession) signalAnchor(signal string) string { return s.ID + "-signal-" + signal }

func (s htmlSession) interruptAnchor(i int) string { return s.ID + "-interrupt-" + number(i+1) }

func (s htmlSession) turnAnchor(turn int) string { return s.ID + "-turn-" + number(turn) }

// Identity says which session it is.
func (s htmlSession) Identity() string { return identity(s.Model) }

// Task is the beginning of what was asked.
func (s htmlSession) Task() string { return passage(s.Session.Task) }

// FiredOf is how many interrupts of the budget were fired.
func (s htmlSession) FiredOf() string { return firedOf(s.Model) }

// Figures are the template's numbers in one line.
func (s htmlSession) Figures() string { return figures(s.Model) }

// Quiet reports whether there is nothing to say about a session.
func (s htmlSession) Quiet() bool {
	return s.Counts.Detected == 0 && s.Prevented == nil && !s.Has("subagents") && s.Gap() == ""
}

// Gap is what was not watched (DP-33), "" for nothing.
func (s htmlSession) Gap() string {
	if s.Model.Coverage.whole() {
		return ""
	}
	text := notWatched(s.Model.Coverage)
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// Period is when it was seen, in UTC.
func (s htmlSession) Period() string {
	if s.Session.Opened.IsZero() || s.Session.Last.IsZero() {
		return ""
	}
	return s.Session.Opened.Format(time.DateTime) + " to " + s.Session.Last.Format(time.DateTime) + " UTC"
}

// FoundNothing says that nothing was found, or why silence means nothing
// (DP-33); "" where something was found.
func (s htmlSession) FoundNothing() string { return foundNothing(s.Model) }

// htmlPart is a heading of the report.
type htmlPart struct{ key, Anchor, Name string }

// htmlParts are the template's headings, word for word, then what DP-31 adds.
var htmlParts = []htmlPart{
	{key: "prevented", Name: prevented.Title},
	{key: "subagents", Name: subagentsTitle},
	{key: "fired", Name: "Interrupts fired this session"},
	{key: "queued", Name: "Queued signals (not fired)"},
	{key: "observations", Name: "Pattern observations"},
	{key: "recommendations", Name: "Recommendations for next session"},
	{key: "health", Name: "Codebase health delta"},
	{key: "logged", Name: "Signals logged (below threshold)"},
	{key: "settled", Name: "Suppressed and self-corrected"},
	{key: "delivery", Name: "Delivery and heed"},
	{key: "halts", Name: haltsTitle},
	{key: "forrun", Name: forRunTitle},
	{key: "done", Name: doneTitle},
	{key: "timeline", Name: "Timeline"},
	{key: "flags", Name: "Red flags"},
	{key: "detectors", Name: "Signals by detector"},
	{key: "cost", Name: "Cost"},
	{key: "coverage", Name: "Coverage"},
}

// Has says whether a part has content; one without is left out.
func (s htmlSession) Has(key string) bool {
	switch key {
	case "fired":
		return len(s.Interrupts) > 0
	case "queued":
		return len(s.NotSent) > 0
	case "observations":
		return len(s.Observations) > 0
	case "recommendations":
		return len(s.Advice) > 0
	case "logged":
		return len(s.Logged) > 0
	case "settled":
		return len(s.Settled()) > 0
	case "prevented":
		return s.Prevented != nil
	case "subagents":
		return len(s.SubagentLines()) > 0
	case "halts":
		return len(s.Halts) > 0
	case "forrun":
		return len(s.ForRun) > 0
	case "done":
		return s.Done != nil && len(s.Done.Claims)+len(s.Done.Open) > 0
	case "flags":
		return len(s.RedFlags) > 0
	case "detectors":
		return s.Counts.Detected > 0
	}
	return true
}

// Parts are the headings with their anchors.
func (s htmlSession) Parts() []htmlPart {
	parts := make([]htmlPart, 0, len(htmlParts))
	for _, p := range htmlParts {
		if !s.Has(p.key) {
			continue
		}
		p.Anchor = s.ID + "-" + p.key
		parts = append(parts, p)
	}
	return parts
}

// Part is one heading.
func (s htmlSession) Part(key string) (htmlPart, error) {
	for _, p := range s.Parts() {
		if p.key == key {
			return p, nil
		}
	}
	return htmlPart{}, fmt.Errorf("the page has no part %q", key)
}

// SubagentLines are the subagents of which there is something to say (CO-9).
func (s htmlSession) SubagentLines() []string { return subagentLines(s.Model) }

// HealthDelta is what follows the verdict.
func (s htmlSession) HealthDelta() string {
	if s.Health.Verdict != VerdictDegraded {
		return "."
	}
	return " by " + page.Plural(s.Health.DebtAdded+s.Health.OfSubagents, "point", "points") + "."
}

// htmlDebts is a table of debts.
type htmlDebts struct {
	Name string
	List []htmlDebt
}

type htmlDebt struct {
	Debt
	Anchor string
}

// Debts are things with their cost and where they are reported.
func (s htmlSession) Debts(name string, debts []Debt) htmlDebts {
	table := htmlDebts{Name: name}
	for _, d := range debts {
		d.Subject = quote.Path(d.Subject)
		if d.Path != "" {
			d.Path = quote.Path(d.Path)
		}
		table.List = append(table.List, htmlDebt{d, s.where[d.Signal]})
	}
	return table
}

// Cost is what the agent reported.
func (s htmlSession) Cost() string { return costText(s.Model) }

type htmlLine struct {
	Words string
	Loud  bool // it reports something that was not watched
}

// Watched says what was watched and what was not (DP-33).
func (s htmlSession) Watched() []htmlLine {
	var lines []htmlLine
	for _, text := range coverageText(s.Model) {
		loud := strings.HasPrefix(text, "not watched") || strings.Contains(text, "was not evaluated") || strings.Contains(text, "were blind")
		lines = append(lines, htmlLine{text, loud})
	}
	return lines
}

// classLetter is the class as part of a style's name.
func classLetter(c sessionevents.Class) string {
	switch c {
	case sessionevents.ClassA, sessionevents.ClassB, sessionevents.ClassC, sessionevents.ClassD, sessionevents.ClassE:
		return string(c)
	}
	return "other"
}
