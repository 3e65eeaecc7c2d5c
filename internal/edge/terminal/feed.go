package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
