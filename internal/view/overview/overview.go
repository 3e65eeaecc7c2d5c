// Package overview summarises many sessions in about ten lines: how many there were, which are worth a look
// and why, and what to do next (CO-2, CO-9b).
package overview

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Shown is how many sessions are listed.
const Shown = 5

// What is escalated regardless of the budget ranks above everything else.
const (
	escalated  = "ESCALATE"
	escalation = 100
)

// Style colours parts of the text; see [sessionreport.TextStyle].
type Style interface {
	Heading(text string) string
	Urgent(text string) string
	Muted(text string) string
}

// Options configure the words of an overview.
type Options struct {
	Width int
	Style Style
	// Zone is the reader's time zone.
	Zone *time.Location
	// Found is how many sessions there are, 0 if all were read.
	Found int
	// Place returns the name that people use for a session, its file or "".
	Place func(session string) string
}

// entry is a session with its subagents.
type entry struct {
	sessionreport.Model
	agents   []sessionreport.Model
	findings []finding
}

// finding is one thing that was said, or would have been.
type finding struct {
	detector, text string
	urgency        sessionevents.Urgency
	turn           int
	agent          string // the subagent's session, "" for the session's own findings
}

// Render writes the overview.
func Render(out io.Writer, models []sessionreport.Model, o Options) error {
	entries := group(models)
	var b strings.Builder
	b.WriteString(o.Style.Heading(heading(entries, o)) + "\n")
	worst := slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool { return len(e.findings) == 0 })
	slices.SortStableFunc(worst, worse)
	b.WriteString(verdict(len(worst), len(entries)) + "\n")
	short, each := naming.Short(ids(models)), 1 // one finding of each of many sessions
	if len(worst) <= 2 {
		each = 3
	}
	for _, e := range worst[:min(Shown, len(worst))] {
		b.WriteString("\n" + e.text(short, each, o))
	}
	if more := len(worst) - Shown; more > 0 {
		fmt.Fprintf(&b, "\n… and %s with less urgent findings.\n", page.Plural(more, "session"))
	}
	if text := claims(entries); text != "" {
		b.WriteString("\n" + text + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// verdict says how many of the sessions are worth a look.
func verdict(worst, all int) string {
	switch {
	case all == 1 && worst == 0:
		return "Nothing to say about it."
	case worst == 0:
		return "Nothing to say about any of them."
	case all == 1:
		return "It is worth a look."
	case worst == all:
		return "All are worth a look."
	}
	return page.Plural(worst, "is", "are") + " worth a look; nothing to say about the others."
}

// group puts subagents under their parents, in the order of the models.
func group(models []sessionreport.Model) []*entry {
	byID := map[string]*entry{}
	var entries []*entry
	for _, m := range models {
		if parentOf(m) == "" {
			byID[m.Session.ID] = &entry{Model: m}
			entries = append(entries, byID[m.Session.ID])
		}
	}
	for _, m := range models {
		parent := parentOf(m)
		switch above := byID[parent]; {
		case parent == "":
			byID[m.Session.ID].add(m, "")
		case above == nil:
			alone := &entry{Model: m}
			alone.add(m, "")
			entries = append(entries, alone)
		default:
			above.agents = append(above.agents, m)
			above.add(m, m.Session.ID)
		}
	}
	return entries
}

// parentOf returns the parent session of a subagent, "" for any other session.
func parentOf(m sessionreport.Model) string {
	if a := m.Session.Agent; a != nil && a.ParentSession != "" && a.ParentSession != m.Session.ID {
		return a.ParentSession
	}
	parent, _ := naming.Split(m.Session.ID)
	return parent
}

// add adds what was said to a session, or would have been.
func (e *entry) add(m sessionreport.Model, agent string) {
	for _, i := range m.Interrupts {
		f := finding{i.Detector, i.Message, i.Urgency, i.Turn, agent}
		if strings.HasSuffix(i.Label, escalated) {
			f.urgency += escalation
		}
		e.findings = append(e.findings, f)
	}
	slices.SortStableFunc(e.findings, func(a, b finding) int { return cmp.Compare(b.urgency, a.urgency) })
}

// worse orders by the most urgent finding, then by number, then latest first.
func worse(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.findings[0].urgency, a.findings[0].urgency), cmp.Compare(len(b.findings), len(a.findings)),
		b.Session.Last.Compare(a.Session.Last))
}

func ids(models []sessionreport.Model) []string {
	var list []string
	for _, m := range models {
		list = append(list, m.Session.ID)
	}
	return list
}

// heading describes what was read.
func heading(entries []*entry, o Options) string {
	turns, agents := 0, 0
	var from, to time.Time
	projects := map[string]bool{}
	for _, e := range entries {
		turns, agents = turns+e.Turns, agents+len(e.agents)
		for _, m := range e.agents {
			turns += m.Turns
		}
		if p := naming.Project(e.Session.Workspace); p != "" {
			projects[p] = true
		}
		if at := e.Session.Opened; !at.IsZero() && (from.IsZero() || at.Before(from)) {
			from = at
		}
		if at := e.Session.Last; at.After(to) {
			to = at
		}
	}
	text := page.Plural(len(entries), "session")
	if o.Found > len(entries) {
		text = fmt.Sprintf("The latest %d of %d sessions", len(entries), o.Found)
	}
	if agents > 0 {
		text += " with " + page.Plural(agents, "subagent")
	}
	text += ", " + page.Plural(turns, "turn")
	if len(projects) > 1 {
		text += fmt.Sprintf(", %d projects", len(projects))
	}
	if !from.IsZero() && !to.IsZero() {
		text += ", " + day(from, o.Zone)
		if last := day(to, o.Zone); last != day(from, o.Zone) {
			text += " to " + last
		}
	}
	return text + "."
}

func day(t time.Time, zone *time.Location) string { return t.In(zone).Format("2 Jan 2006") }

// text describes a session in a few lines: its name, so many of its worst findings, how many more.
func (e *entry) text(short map[string]string, most int, o Options) string {
	name := naming.Title(e.Session.Workspace, e.Session.Task)
	if name == "" {
		name = short[e.Session.ID]
	}
	about := page.Plural(e.Turns, "turn")
	if a := e.Session.Agent; a != nil && a.Kind != "" {
		about = quote.Name(a.Kind) + ", " + about
	}
	if at := e.Session.Last; !at.IsZero() {
		about += ", " + at.In(o.Zone).Format("2 Jan 15:04")
	}
	lines := []string{o.Style.Heading(name) + "  " + o.Style.Muted(about)}
	shown := min(len(e.findings), most)
	if shown == len(e.findings)-1 {
		shown++ // a line that says there is one more is not shorter than that one
	}
	for _, f := range e.findings[:shown] {
		text := fmt.Sprintf("turn %d: %s", f.turn, page.Plain(f.text))
		if f.agent != "" {
			text = "subagent " + short[f.agent] + ", " + text
		}
		wrapped := page.Wrap(text, max(o.Width-6, 30))
		if len(wrapped) > 3 {
			wrapped = append(wrapped[:2:2], strings.TrimRight(wrapped[2], " .,;")+" …")
		}
		for i, line := range wrapped {
			mark := "    "
			if i == 0 {
				mark = o.Style.Urgent(fmt.Sprintf("%-4s", f.detector))
			}
			lines = append(lines, "  "+mark+line)
		}
	}
	if more := len(e.findings) - shown; more > 0 {
		of := map[string]bool{}
		for _, f := range e.findings[shown:] {
			of[f.detector] = true
		}
		kinds := strings.Join(slices.Sorted(maps.Keys(of)), ", ")
		lines = append(lines, "      "+o.Style.Muted(fmt.Sprintf("and %d more (%s)", more, kinds)))
	}
	if o.Place != nil {
		if place := o.Place(e.Session.ID); place != "" {
			lines = append(lines, "      "+o.Style.Muted(place))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// claims summarises what the sessions claimed when they ended, "" if they claimed nothing that can be
// checked.
func claims(entries []*entry) string {
	verdicts := map[sessionevents.Verdict]int{}
	for _, e := range entries {
		if e.Done == nil {
			continue
		}
		for v, n := range e.Done.Verdicts {
			verdicts[v] += n
		}
	}
	if text := sessionreport.ClaimsInWords(verdicts); text != "" {
		return "Claims of done: " + text + "."
	}
	return ""
}
