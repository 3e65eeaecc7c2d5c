package sessionreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Happened returns the session in a few sentences, what did not happen left out (CO-9b); none where
// nothing did.
func (m Model) Happened() (list []string) {
	if m.Done != nil {
		if text := ClaimsInWords(m.Done.Verdicts); text != "" {
			list = append(list, "It claimed that work is done: "+text+".")
		}
		if n := len(m.Done.Open); n > 0 {
			list = append(
				list,
				page.Plural(n, "thing that was asked for or planned is", "things that were asked for or planned are")+
					" not done as far as is known.",
			)
		}
	}
	if text := m.Prevented.Happened(); text != "" {
		list = append(list, text+".")
	}
	if text := m.told(); text != "" {
		list = append(list, text+".")
	}
	list = append(list, m.ofSubagents()...)
	switch n := len(m.Halts); n {
	case 0:
	case 1:
		list = append(list, "It was halted.")
	default:
		list = append(list, fmt.Sprintf("It was halted %d times.", n))
	}
	if n := len(m.Coverage.Failed) + m.Coverage.Skipped + m.Coverage.RefusedTurns; n > 0 {
		them := "them"
		if n == 1 {
			them = "it"
		}
		list = append(list, page.Plural(n, "turn was", "turns were")+" not watched, so silence says nothing about "+them+".")
	}
	return list
}

// UndoneTitle is the heading of what [Model.Undone] lists.
const UndoneTitle = "Asked for or planned, and not done as far as is known"

// Undone lists what was asked for or planned and is not done as far as is known, the latest; left is how many earlier
// things are not listed.
func (m Model) Undone() (list []string, left int) {
	if m.Done == nil {
		return nil, 0
	}
	left = max(0, len(m.Done.Open)-maxShown)
	for _, open := range m.Done.Open[left:] {
		by := "asked for"
		if open.Source == sessionevents.PromiseTodo {
			by = "planned"
		}
		list = append(list, fmt.Sprintf("Turn %d, %s: %s", open.Turn, by, quote.Line(open.Text)))
	}
	return list, left
}

// ofSubagents says what happened to the subagents (CO-9).
func (m Model) ofSubagents() (list []string) {
	told, kept := 0, 0
	for _, s := range m.Subagents {
		told, kept = told+s.Fired, kept+s.Prevented
	}
	if kept > 0 {
		list = append(list, page.Plural(kept, "call of its subagents", "calls of its subagents")+" prevented or secured.")
	}
	if told > 0 {
		list = append(list, "Its subagents were told "+page.Plural(told, "thing")+".")
	}
	return list
}

// told is how much the agent heard, or would have heard where nothing was delivered (JD-43); "" for nothing.
func (m Model) told() string {
	n, heeded := len(m.Interrupts)+len(m.ForRun), 0
	if n == 0 {
		return ""
	}
	for i := range m.Interrupts {
		if m.Interrupts[i].Heed == "heeded" {
			heeded++
		}
	}
	text := "It was told "
	if !m.delivered() {
		text = "It would have been told "
	}
	text += page.Plural(n, "thing")
	switch {
	case heeded == n:
		text += " and reacted"
	case heeded > 0:
		text += fmt.Sprintf(" and reacted to %d", heeded)
	}
	return text
}

// delivered reports whether anything was said to the agent, also by the guard before a tool ran.
func (m Model) delivered() bool {
	return slices.ContainsFunc(m.Interrupts, m.byGuard) ||
		slices.ContainsFunc(m.Interrupts, func(f Fired) bool { return len(f.Deliveries) > 0 }) ||
		slices.ContainsFunc(m.ForRun, func(a Addressed) bool { return len(a.Deliveries) > 0 })
}

// byGuard reports whether the guard told the agent the same when it answered a call (GD-21).
func (m Model) byGuard(f Fired) bool {
	return m.Prevented != nil && slices.ContainsFunc(m.Prevented.Calls, func(c prevented.Call) bool {
		return c.Told == f.Message && c.Told != "" && c.Turn <= f.Turn
	})
}

// Nothing is said of a session about which there is nothing to say.
const Nothing = "Nothing was found that you should know of."

// Next is one thing that a person can do; Command may be "".
type Next struct{ Text, Command string }

// maxNext is how many things to do are listed.
const maxNext = 5

// ToDo returns what a person should do next, the most urgent first.
func (m Model) ToDo() (list []Next) {
	if m.Prevented != nil {
		for i := range m.Prevented.Calls {
			if next := m.Prevented.Calls[i].Next(); next != "" {
				list = append(list, Next{"What a command would have lost was kept. To get it back:", next})
				break
			}
		}
	}
	if m.Done == nil {
		return list
	}
	for i := range m.Done.Claims {
		c := &m.Done.Claims[i]
		if len(list) == maxNext {
			break
		}
		known := func(n Next) bool { return n.Command == c.Show }
		if c.Show == "" || !c.Final || c.Verdict == sessionevents.Proven || slices.ContainsFunc(list, known) {
			continue
		}
		list = append(list, Next{"See for yourself whether it holds: " + quote.Line(c.Text), c.Show})
	}
	return list
}

// Leaves returns what the session changed in the code, in words; what it left open is in Advice.
func (m Model) Leaves() (list []string) {
	h := &m.Health
	var parts []string
	switch {
	case h.LinesAdded > 0 && h.LinesGone > 0:
		parts = append(parts, page.Plural(h.LinesAdded, "line")+" added, "+page.Count(h.LinesGone)+" removed")
	case h.LinesAdded > 0:
		parts = append(parts, page.Plural(h.LinesAdded, "line")+" added")
	case h.LinesGone > 0:
		parts = append(parts, page.Plural(h.LinesGone, "line")+" removed")
	}
	switch {
	case h.TestsAdded > 0:
		parts = append(parts, page.Plural(h.TestsAdded, "test case")+" added")
	case h.TestsAdded < 0:
		parts = append(parts, page.Plural(-h.TestsAdded, "test case")+" fewer")
	}
	if len(parts) > 0 {
		list = append(list, strings.Join(parts, "; ")+".")
	}
	for _, d := range h.Removed {
		message := ""
		if i := slices.IndexFunc(m.Corrected, func(f Finding) bool { return f.Signal == d.Signal }); i >= 0 {
			message = m.Corrected[i].Message
		}
		list = append(list, "Put right: "+strings.TrimSpace(about(d.Subject, d.Path, message)+" ("+m.title(d.Detector)+")"))
	}
	return list
}

// about names what a finding is about: its subject where the message to the agent names it so too, and its file.
// Other subjects are keys that tell findings apart, such as "tests claim", and are for machines.
func about(subject, path, message string) string {
	var text string
	if message == "" || strings.Contains(message, subject) {
		text = quote.Path(subject)
	}
	switch {
	case path == "" || text != "" && strings.Contains(subject, path):
		return text
	case text == "":
		return quote.Path(path)
	}
	return text + " in " + quote.Path(path)
}

// title is what a detector finds, in words, with its id.
func (m Model) title(detector string) string {
	for i := range m.Detectors {
		if t := &m.Detectors[i]; t.Detector == detector && t.Title != "" {
			return t.Title + ", " + detector
		}
	}
	return detector
}
