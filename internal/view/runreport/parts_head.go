package runreport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// identity says which run it is.
func identity(m Model) string {
	text := "Run " + naming.Brief(m.Run.ID)
	if m.Run.Lone {
		text = "Session " + naming.Brief(m.Run.ID) + " (no run)"
	}
	switch project := naming.Project(m.Run.Workspace); {
	case m.Run.Project != "":
		text += " in " + quote.Name(m.Run.Project)
	case project != "":
		text += " in " + quote.Name(project)
	}
	for _, kind := range []string{m.Run.Kind, m.Run.Workflow} {
		if kind != "" {
			text += ", " + quote.Name(kind)
		}
	}
	return text
}

// standingText says whether a run that is not over goes on, and what it waits for.
func standingText(state runevents.ControlState) string {
	switch state {
	case runevents.ControlRunning:
		return "Running"
	case runevents.ControlPaused:
		return "Paused; waiting for a person"
	case runevents.ControlDraining:
		return "Finishing the current task, then halting"
	case runevents.ControlHalted:
		return "Halted; waiting for a person"
	}
	return "Running; its control state is " + string(state)
}

// ending says how it ended, or how it goes on.
func ending(m Model) string {
	held := m.Standing.State == runevents.ControlHalted
	var text string
	switch {
	case m.Run.Completed && held:
		text = "Halted, and nobody resumed it; it was said to be completed all the same: " + quote.Name(m.Run.Outcome)
	case m.Run.Completed:
		text = "Completed: " + quote.Name(m.Run.Outcome)
	default:
		text = standingText(m.Standing.State)
		if n := m.waiting(); n > 0 && m.Standing.State == runevents.ControlRunning {
			text += "; " + page.Plural(n, "thing waits", "things wait") + " for a person"
		}
	}
	if m.Run.PRURL != "" {
		text += ", " + quote.Path(m.Run.PRURL)
	}
	if !m.Run.Completed && m.Standing.State != runevents.ControlRunning && m.Standing.Why != "" &&
		m.openBreak() == nil {
		text += ". " + joined(m.Standing.Who, m.Standing.Why)
	}
	return strings.TrimSuffix(text, ".") + "."
}

// waiting counts the questions and escalations that wait for a person.
func (m Model) waiting() int {
	n := len(m.Questions)
	for i := range m.Escalations {
		if e := &m.Escalations[i]; e.Open && e.To == runevents.RecipientUser {
			n++
		}
	}
	return n
}

// period is when its events happened.
func period(m Model) string {
	if m.Run.First.IsZero() {
		return ""
	}
	first, last := m.local(m.Run.First), m.local(m.Run.Last)
	until := "2 Jan 2006 15:04 MST"
	if first.YearDay() == last.YearDay() && first.Year() == last.Year() {
		until = "15:04 MST"
	}
	return first.Format("2 Jan 2006 15:04") + " to " + last.Format(until)
}

// Happened says in a few sentences what happened; what did not is left out (CO-9b). Its parts are not escaped.
func Happened(m Model) []string {
	list := []string{ending(m), haltsText(m), refusedText(m), correctedText(m), brokenText(m)}
	if m.Prevented != nil {
		list = append(list, m.Prevented.Happened()+".")
	}
	if Quiet(m) {
		list = append(list, "Nothing was found that you should know of.")
	}
	list = append(list, spentText(m))
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// happenedPart says first what happened.
func happenedPart(m Model) doc.Part {
	p := doc.Part{Title: "What happened", Key: "happened"}
	for i, text := range Happened(m) {
		p.SayAs(doc.When(i == 0 && m.Standing.State == runevents.ControlHalted, doc.Bad), text)
	}
	if gap := notWatched(m); gap != "" {
		p.SayAs(doc.Bad, strings.ToUpper(gap[:1])+gap[1:])
	}
	return p
}

func haltsText(m Model) string {
	if len(m.Breaks) == 0 {
		return ""
	}
	var why []string
	unwarranted := 0
	for i := range m.Breaks {
		why = append(why, words(string(m.Breaks[i].Trigger)))
		if m.Breaks[i].Warrant.Verdict == runevents.NotWarranted {
			unwarranted++
		}
	}
	text := "It was halted " + times(len(m.Breaks)) + ": " + strings.Join(why, ", ")
	if unwarranted > 0 {
		text += fmt.Sprintf("; by what came after, %d of %d not warranted", unwarranted, len(m.Breaks))
	}
	return text + "."
}

func refusedText(m Model) string {
	n := 0
	for i := range m.Gates {
		if m.Gates[i].refused() {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return page.Plural(n, "request was", "requests were") + " not allowed as asked."
}

func correctedText(m Model) string {
	if len(m.Corrections) == 0 {
		return ""
	}
	again := 0
	for i := range m.Corrections {
		if m.Corrections[i].Outcome == Recurred {
			again++
		}
	}
	text := page.Plural(len(m.Corrections), "correction was", "corrections were") + " sent"
	if again > 0 {
		text += ", and " + page.Plural(again, "thing was", "things were") + " seen again"
	}
	return text + "."
}

func brokenText(m Model) string {
	var parts []string
	if n := len(m.Violations); n > 0 {
		parts = append(parts, page.Plural(n, "rule was broken", "rules were broken"))
	}
	if n := len(m.Warnings); n > 0 {
		parts = append(parts, page.Plural(n, "warning was given", "warnings were given"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// figures returns the numbers shown above the report.
func figures(m Model) doc.Figures {
	open, unwarranted := 0, 0
	for _, e := range m.Escalations {
		if e.Open {
			open++
		}
	}
	for _, b := range m.Breaks {
		if b.Warrant.Verdict == runevents.NotWarranted {
			unwarranted++
		}
	}
	breaks := strconv.Itoa(len(m.Breaks))
	if unwarranted > 0 {
		breaks += fmt.Sprintf(" (%d not warranted)", unwarranted)
	}
	warnings := strconv.Itoa(len(m.Warnings))
	if m.Coverage.NewsNotHeld {
		warnings += " (not all in this bundle)"
	}
	return doc.Figures{
		{Name: "State", Value: stateText(m), Page: true, Tone: doc.When(m.Standing.State == runevents.ControlHalted, doc.Bad)},
		{Name: "Run events", Value: strconv.Itoa(m.Run.Events)},
		{Name: "Breaks", Value: breaks, Tone: doc.When(len(m.Breaks) > 0, doc.Bad)},
		{Name: "Escalations open", Value: strconv.Itoa(open + len(m.Questions)), Tone: doc.When(open+len(m.Questions) > 0, doc.Bad)},
		{Name: "Violations", Value: strconv.Itoa(len(m.Violations)), Tone: doc.When(len(m.Violations) > 0, doc.Bad)},
		{Name: "Warnings", Value: warnings},
		{Name: "Shadows", Value: strconv.Itoa(len(m.Shadows))},
	}
}

// Summary returns one line for lists; its parts are not escaped.
func Summary(m Model) string {
	var words []string
	for _, f := range figures(m)[1:] {
		words = append(words, strings.ToLower(f.Name)+" "+f.Value)
	}
	text := fmt.Sprintf("run %s: %s, %s", m.Run.ID, stateText(m), strings.Join(words, ", "))
	if gap := notWatched(m); gap != "" {
		text += ", " + strings.TrimSuffix(gap, ".")
	}
	return text
}

// Quiet reports whether there is nothing to say about a run.
func Quiet(m Model) bool {
	return len(m.Breaks)+len(m.Escalations)+len(m.Questions)+len(m.Shadows)+len(m.Violations)+len(m.Warnings)+len(m.Steers)+len(m.Policies.Budget) == 0 &&
		!refused(m) && notWatched(m) == ""
}

func refused(m Model) bool {
	return slices.ContainsFunc(m.Gates, func(g Gate) bool { return g.refused() })
}

// stateText is how the run stands: one that is over and not halted is completed.
func stateText(m Model) string {
	if m.Run.Completed && m.Standing.State != runevents.ControlHalted {
		return "completed"
	}
	return string(m.Standing.State)
}
