// Package prevented describes what the guard decided before tools ran (GD-21), for the reports of sessions
// and runs, the feed and notices, so that all use the same words.
package prevented

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Title is the heading of such calls in every report.
const Title = "Prevented"

// Call is one call that was denied, warned about, secured first, or let through by a person; its JSON form
// is part of the reports.
type Call struct {
	Event      string                         `json:"event"`
	Session    string                         `json:"session"`
	Turn       int                            `json:"turn,omitempty"`
	At         time.Time                      `json:"at,omitzero"`
	Call       string                         `json:"call,omitempty"` // the agent's id of it
	Outcome    sessionevents.GuardOutcome     `json:"outcome" jsonschema:"enum=denied,enum=kept,enum=warned,enum=allowed"`
	Command    string                         `json:"command,omitempty"`
	Class      sessionevents.HookClass        `json:"class,omitempty"`
	Rule       string                         `json:"rule,omitempty"`
	Acts       []sessionevents.GuardAct       `json:"acts"`
	Told       string                         `json:"told,omitempty"` // what the agent was told
	Permission *sessionevents.GuardPermission `json:"permission,omitempty"`
	RescueRef  string                         `json:"rescue_ref,omitempty"`
	Alone      bool                           `json:"alone,omitempty"` // no system was running
}

// What `doctor --test` plants: a call in a session of its own, in a repository that it made for it.
const (
	TestSession = "doctor-" // and a number
	TestCall    = "planted"
	TestCommand = "git reset --hard"
)

// Test reports whether a denial is that of a test by `doctor`, about which nobody is notified. It is narrow:
// whoever imitates it hides nothing but the denial of this command.
func Test(d *sessionevents.GuardDecided) bool {
	number, is := strings.CutPrefix(d.Session, TestSession)
	return is && number != "" && strings.Trim(number, "0123456789") == "" && d.Command == TestCommand &&
		(d.Call == "" || d.Call == TestCall) && d.Happened() == sessionevents.GuardDenied
}

// Of returns the call in an event of the guard.
func Of(ev events.Event, d *sessionevents.GuardDecided) Call {
	return Call{
		Event: ev.ID, Session: d.Session, Turn: d.Turn, At: ev.Time, Call: d.Call,
		Outcome: d.Happened(), Command: d.Command, Class: d.Class, Rule: d.Rule,
		Acts: append([]sessionevents.GuardAct{}, d.Acts...), Told: d.Text, Permission: d.Permission, RescueRef: d.RescueRef, Alone: d.Alone,
	}
}

// Mark returns the symbol of an outcome.
func Mark(o sessionevents.GuardOutcome) string {
	switch o {
	case sessionevents.GuardDenied:
		return "✗"
	case sessionevents.GuardKept:
		return "⤓"
	case sessionevents.GuardAllowed:
		return "✓"
	}
	return "!"
}

// Heading describes what happened to which command.
func (c *Call) Heading() string {
	text := Mark(c.Outcome) + " " + string(c.Outcome)
	if c.Command != "" {
		text += ": " + quote.Line(c.Command)
	}
	return text
}

// InTurn returns the heading with the turn, if that is known.
func (c *Call) InTurn() string {
	if c.Turn == 0 {
		return c.Heading()
	}
	return fmt.Sprintf("[Turn %d] %s", c.Turn, c.Heading())
}

// maxShown limits how many targets are named.
const maxShown = 3

// What describes what the call would have done, and to whose work.
func (c *Call) What() string {
	if len(c.Acts) == 0 {
		return c.Told
	}
	verb := "would "
	if c.Outcome == sessionevents.GuardKept || c.Outcome == sessionevents.GuardAllowed {
		verb = "was to "
	}
	var named []string
	for _, a := range c.Acts {
		if a.Act != c.Acts[0].Act {
			continue
		}
		if len(named) == maxShown {
			named = append(named, "…")
			break
		}
		named = append(named, target(a))
	}
	text := verb + c.Acts[0].Act + " " + strings.Join(named, ", ")
	if c.Permission != nil {
		text += "; " + permitted(c.Permission)
	}
	return text + c.alone()
}

// Said is what the agent was told, which names the effect and the next step; what the call would have done where it
// was told nothing.
func (c *Call) Said() string {
	if c.Told == "" {
		return c.What()
	}
	return c.Told + c.alone()
}

func (c *Call) alone() string {
	if !c.Alone {
		return ""
	}
	return "; `scaffoldwatch up` was not running"
}

func target(a sessionevents.GuardAct) string {
	name := a.Target
	if path.IsAbs(name) && len(name) > 60 {
		name = "…/" + path.Base(name)
	}
	name = quote.Line(name)
	switch owner, of := strings.CutPrefix(a.Owner, "session:"); {
	case of:
		return name + " of session " + quote.Name(owner)
	case a.Owner == "person":
		return name + " of the person"
	case a.Owner == "unknown":
		return name + " of an unknown author"
	}
	return name
}

func permitted(p *sessionevents.GuardPermission) string {
	by := p.By
	if by == "" {
		by = "the person"
	}
	switch p.How {
	case sessionevents.GuardAsked:
		return "the person had asked for it"
	case sessionevents.GuardPrompt:
		return "allowed once by " + quote.Name(by) + " in the chat"
	}
	return "allowed once by " + quote.Name(by) + " with scaffoldwatch allow"
}

// Next returns the command that restores what was saved, "" if there is none.
func (c *Call) Next() string {
	if c.RescueRef == "" {
		return ""
	}
	return "scaffoldwatch rescue restore " + path.Base(c.RescueRef)
}

// Line returns everything on one line.
func (c *Call) Line() string {
	parts := []string{c.InTurn()}
	for _, more := range []string{c.What(), c.Next()} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return strings.Join(parts, " — ")
}

// Effect returns the command and what it would have done, for a place that names the outcome itself.
func (c *Call) Effect() string {
	parts := []string{quote.Line(c.Command), c.What(), c.Next()}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " — ")
}

// Counts holds the number of calls by outcome.
type Counts struct {
	Denied  int `json:"denied"`
	Kept    int `json:"kept"`
	Warned  int `json:"warned"`
	Allowed int `json:"allowed"`
}

// Add counts one call.
func (n *Counts) Add(o sessionevents.GuardOutcome) {
	switch o {
	case sessionevents.GuardDenied:
		n.Denied++
	case sessionevents.GuardKept:
		n.Kept++
	case sessionevents.GuardAllowed:
		n.Allowed++
	default:
		n.Warned++
	}
}

// All returns the total.
func (n Counts) All() int { return n.Denied + n.Kept + n.Warned + n.Allowed }

// Text returns the counts in words, "" for none.
func (n Counts) Text() string {
	var parts []string
	for _, one := range []struct {
		n    int
		what string
	}{{n.Denied, "denied"}, {n.Kept, "kept first"}, {n.Warned, "warned of"}, {n.Allowed, "allowed once"}} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		_, what, _ := strings.Cut(parts[0], " ")
		return page.Plural(n.All(), "call") + " " + what
	}
	return page.Plural(n.All(), "call") + " prevented or secured: " + strings.Join(parts, ", ")
}

// List collects calls up to a limit; the rest is only counted.
type List struct {
	Max   int
	calls []Call
	n     Counts
}

// Add adds a call.
func (l *List) Add(c Call) {
	l.n.Add(c.Outcome)
	if len(l.calls) < l.Max {
		l.calls = append(l.calls, c)
	}
}

// Section is a report's section on prevented calls; nil if there are none.
type Section struct {
	Counts
	Calls   []Call `json:"calls"`
	LeftOut int    `json:"left_out,omitempty"`
}

// Section returns the list so far.
func (l *List) Section() *Section {
	if l.n.All() == 0 {
		return nil
	}
	return &Section{Counts: l.n, Calls: append([]Call{}, l.calls...), LeftOut: l.n.All() - len(l.calls)}
}

// Happened returns the counts in words, "" for none; it may be called on nil.
func (s *Section) Happened() string {
	if s == nil {
		return ""
	}
	return s.Text()
}

// Rest returns a note on how many are not listed, "" if all are.
func (s *Section) Rest() string {
	if s == nil || s.LeftOut == 0 {
		return ""
	}
	return page.Plural(s.LeftOut, "more call is", "more calls are") + " not listed."
}
