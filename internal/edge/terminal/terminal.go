// Package terminal formats output for people: colours only on terminals that show them, progress on stderr,
// one line for each event in the live feed.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Theme holds the styles of one output; unless it is a terminal, or with NO_COLOR set, every style is
// plain.
type Theme struct {
	Title, Strong, Faint, Good, Warn, Bad lipgloss.Style
	// Width is the terminal's width in columns, 80 if there is none.
	Width int
	// Interactive reports whether the output is a terminal.
	Interactive bool
	// Words are what people call detectors and reasons.
	Words Words
	// Zone is the reader's time zone, nil for UTC.
	Zone *time.Location
}

// Words hold what people call things; what has no words is shown as it is.
type Words struct {
	Titles  map[string]string // of detectors by id
	Reasons map[string]string // why something was not said, by code
}

// found names what a detector finds, as reports do: "stuck loop, C4".
func (w Words) found(detector string) string {
	if title := w.Titles[detector]; title != "" {
		return title + ", " + detector
	}
	return detector
}

// why returns a reason in words.
func (w Words) why(reason string) string {
	if words := w.Reasons[reason]; words != "" {
		return words
	}
	return reason
}

// New returns the theme for an output.
func New(out io.Writer, environ func(string) string) Theme {
	width, interactive := 80, false
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		interactive = true
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	theme := Theme{Width: width, Interactive: interactive, Zone: time.Local}
	if interactive && environ("NO_COLOR") == "" && colorprofile.Env(environment(environ)) >= colorprofile.ANSI {
		theme.colour()
	}
	return theme
}

// environment has what decides whether a terminal shows colours, as [os.Environ] has it.
func environment(environ func(string) string) (list []string) {
	for _, name := range []string{"TERM", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE", "TERM_PROGRAM", "WT_SESSION", "TMUX"} {
		if value := environ(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// colour sets the styles for a terminal that shows colours: those of its own palette, which its owner chose to be
// read on its background. Asking it for the background would take seconds where nothing answers, and
// would take what was typed meanwhile.
func (t *Theme) colour() {
	style := lipgloss.NewStyle()
	t.Title, t.Strong = style.Bold(true), style.Bold(true)
	t.Faint = style.Faint(true)
	t.Good = style.Foreground(lipgloss.Green)
	t.Warn = style.Foreground(lipgloss.Yellow)
	t.Bad = style.Foreground(lipgloss.Red).Bold(true)
}

// Feed renders one event of DECISIONS for the live feed, "" for events that a person need not see one by
// one.
func (t Theme) Feed(e events.Event) string { return t.FeedAs((&Names{}).Of(e), e) }

// FeedAs is [Theme.Feed] with the name of the session or run in the feed; see [Names].
func (t Theme) FeedAs(name string, e events.Event) string {
	session := t.Strong.Render(name)
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		return t.line(session, t.Faint, "·", "session opened", t.agent(d.Agent))
	case *sessionevents.TurnEvaluated:
		return t.turn(session, d)
	case *sessionevents.InputRefused:
		return t.line(session, t.Bad, "✗", "refused, not watched: "+mentioned(d.EventType, d.Event), Clean(quote.Line(d.Reason)))
	case *sessionevents.GuardDecided:
		if prevented.Test(d) {
			break
		}
		return t.guarded(session, prevented.Of(e, d))
	case *sessionevents.InterruptFired:
		if ofLayer(d) {
			break
		}
		head := fmt.Sprintf("INTERRUPT, turn %d: %s", d.Turn, t.Words.found(d.Detector)) // no urgency (CO-9b)
		return t.line(session, t.Bad, "⚡", head, "") + "\n" + t.indent(Clean(d.Message)+Clean(d.Handle()))
	case *sessionevents.InterruptQueued:
		return t.line(session, t.Warn, "…", "waits for a pause: "+t.Words.found(d.Detector), waits[d.Reason])
	case *sessionevents.BudgetExhausted:
		waiting := "enough was said in this session; " + text.Count(d.Queued, "finding waits", "findings wait")
		return t.line(session, t.Warn, "!", waiting, "")
	case *sessionevents.Disposition:
		return t.disposition(session, e.Type, d)
	case *sessionevents.SessionClosed:
		return t.line(session, t.Faint, "·", "session closed", ended(d.Reason))
	case *runevents.RunStarted:
		return t.line(session, t.Faint, "·", "run started", passage(d.Goal))
	case *runevents.RunCompleted:
		return t.line(session, t.Faint, "·", "run completed: "+quote.Name(d.Outcome), passage(d.Summary))
	}
	return t.run(session, e)
}

// guarded renders a call that was denied, warned about or secured first (GD-21), with what the agent was told
// or else its effect, and how to undo it.
func (t Theme) guarded(session string, c prevented.Call) string {
	style := t.Warn
	switch c.Outcome {
	case sessionevents.GuardDenied:
		style = t.Bad
	case sessionevents.GuardKept, sessionevents.GuardAllowed:
		style = t.Good
	}
	mark, text, _ := strings.Cut(c.Heading(), " ")
	said := c.Said()
	line := t.line(session, style, mark, text, "") + "\n" + t.indent(Clean(said))
	if next := c.Next(); next != "" && !strings.Contains(said, next) {
		line += "\n" + t.indent(Clean("the way back: "+next))
	}
	return line
}

func (t Theme) turn(session string, d *sessionevents.TurnEvaluated) string {
	if d.Failed != "" {
		return t.line(session, t.Bad, "✗", fmt.Sprintf("turn %d not evaluated", d.Turn), Clean(d.Failed))
	}
	note := ""
	if n := len(d.Signals); n > 0 {
		note = text.Count(n, "finding")
	}
	return t.line(session, t.Faint, "·", fmt.Sprintf("turn %d", d.Turn), note)
}

// waits are the reasons for waiting, in words.
var waits = map[sessionevents.QueueReason]string{
	sessionevents.ReasonBelowFire:       "it is not urgent",
	sessionevents.ReasonOutranked:       "something more urgent was said",
	sessionevents.ReasonCooldown:        "something was said just before",
	sessionevents.ReasonBudgetExhausted: "enough was said in this session",
}

// became are the ends of what is not said, in words.
var became = map[events.Type]string{
	sessionevents.TypeSignalLogged: "noted, not said", sessionevents.TypeSignalSuppressed: "not said",
	sessionevents.TypeSignalSelfCorrected: "put right by the agent", sessionevents.TypeSignalExpired: "too old to be said",
	sessionevents.TypeSignalCoalesced: "said with another", sessionevents.TypeSignalUnsent: "not said before the end",
}

func (t Theme) disposition(session string, typ events.Type, d *sessionevents.Disposition) string {
	what, known := became[typ]
	if !known {
		what = strings.ReplaceAll(strings.TrimPrefix(string(typ), "signal."), "_", " ")
	}
	style, mark, why := t.Faint, "–", Clean(d.Reason)
	switch typ {
	case sessionevents.TypeSignalSelfCorrected:
		style, mark = t.Good, "✓"
	case sessionevents.TypeSignalLogged:
		why = "" // arithmetic of urgency, which report --explain shows (CO-9b)
	}
	return t.line(session, style, mark, what+": "+t.Words.found(d.Detector), t.Words.why(why))
}

// ended returns why a session was closed, "" where the agent gave no reason.
func ended(reason string) string {
	if reason == "other" {
		return ""
	}
	return Clean(strings.ReplaceAll(reason, "_", " "))
}

func (t Theme) agent(a *sessionevents.Agent) string {
	if a == nil {
		return ""
	}
	var out []string
	for _, name := range []string{a.Kind, a.Model} {
		if name != "" {
			out = append(out, quote.Name(name))
		}
	}
	return strings.Join(out, ", ")
}

// line lays out one entry within the terminal's width.
func (t Theme) line(session string, style interface{ Render(...string) string }, mark, text, note string) string {
	room := t.Width - 18 - 5
	text, note = Shorten(Clean(text), room), Clean(note)
	out := session + "  " + style.Render(mark+" "+text)
	if left := room - lipgloss.Width(text) - 2; note != "" && left > 8 {
		out += t.Faint.Render("  " + Shorten(note, left))
	}
	return out
}

// indent wraps a message below its heading.
func (t Theme) indent(text string) string {
	return strings.Repeat(" ", feedMargin) + Wrap(text, t.Width, feedMargin)
}

// feedMargin is the column at which text below a line of the feed begins.
const feedMargin = 22

// Wrap breaks text at spaces so that it fits into width columns when it begins at column margin, like all
// further lines. A longer word gets a line of its own.
func Wrap(text string, width, margin int) string {
	var b strings.Builder
	column := margin
	for _, word := range strings.Fields(text) {
		switch n := lipgloss.Width(word); {
		case column == margin:
			column += n
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", margin))
			column = margin + n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}

// Fit shortens or pads text to exactly width columns.
func Fit(text string, width int) string {
	text = Shorten(text, width)
	return text + strings.Repeat(" ", max(width-lipgloss.Width(text), 0))
}

// Shorten shortens text to at most width columns, with an ellipsis.
func Shorten(text string, width int) string {
	if width < 1 || lipgloss.Width(text) <= width {
		return text
	}
	end, used := 0, 0
	for i, r := range text {
		if used += lipgloss.Width(string(r)); used >= width {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return text[:end] + "…"
}

// Clean removes control characters, so that what an agent wrote cannot control the terminal of the person
// who watches it. White space stays, since it is part of the layout.
func Clean(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		words[i] = quote.Visible(word)
	}
	return strings.Join(words, " ")
}

// mentioned returns names that a publisher chose, quoted if necessary.
func mentioned(names ...string) string {
	var out []string
	for _, name := range names {
		if name != "" {
			out = append(out, quote.Name(name))
		}
	}
	return Clean(strings.Join(out, " "))
}

const (
	// nameWidth is the width of the names of sessions and runs in a feed, in columns.
	nameWidth = 18
	// maxNames is how many names a feed remembers before it starts over.
	maxNames = 10_000
)

// Names distinguishes the sessions of a feed (CO-5a) by project and a prefix of the id that is long enough
// to tell them apart. A short id stays the same for the whole feed.
type Names struct {
	projects map[string]string // of sessions
	short    map[string]string // short forms of the parts of ids
	taken    map[string]bool   // short forms in use
}

// Of returns how to show the subject of an event, in the width of the feed's first column.
func (n *Names) Of(e events.Event) string {
	if n.short == nil || len(n.short) > maxNames {
		n.projects, n.short, n.taken = map[string]string{}, map[string]string{}, map[string]bool{}
	}
	if project := naming.Project(workspace(e)); project != "" {
		n.projects[e.Subject] = Clean(project)
	}
	id := Clean(e.Subject)
	if lipgloss.Width(id) <= nameWidth {
		return Fit(id, nameWidth)
	}
	parent, own := naming.Split(id)
	label, project := n.part(own), n.projects[e.Subject]
	if parent != "" {
		label = n.part(parent) + naming.Below + label
		if project == "" {
			project = n.projects[parent]
		}
	}
	if room := nameWidth - lipgloss.Width(label) - 1; project != "" && room > 1 {
		label = Shorten(project, room) + " " + label
	}
	return Fit(label, max(nameWidth, lipgloss.Width(label)))
}

// workspace returns the folder that an event names for its session, "" if it names none.
func workspace(e events.Event) string {
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		return d.Workspace
	case *sessionevents.GuardDecided:
		return d.Workspace
	}
	return ""
}

// part returns the short form of one part of an id: as much as fits of a readable one, six characters of an
// opaque one; more, or its end, if another part begins alike.
func (n *Names) part(id string) string {
	if short, ok := n.short[id]; ok {
		return short
	}
	short := id
	for _, form := range forms(id) {
		if !n.taken[form] {
			short = form
			break
		}
	}
	n.short[id], n.taken[short] = short, true
	return short
}

// forms returns the short forms of an id, best first.
func forms(id string) (list []string) {
	if !naming.Generated(id) && strings.ContainsAny(id, "-_") {
		const begin, end = nameWidth / 2, nameWidth/2 - 1
		list = append(list, Shorten(id, nameWidth))
		if len(id) > nameWidth {
			list = append(list, id[:begin]+"…"+id[len(id)-end:])
		}
		return list
	}
	for length := naming.Least(id); length < len(id); length++ {
		list = append(list, strings.TrimRight(id[:length], "-_"))
	}
	return append(list, id)
}
