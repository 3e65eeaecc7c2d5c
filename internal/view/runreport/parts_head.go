package runreport

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// identity says which run it is.
func identity(m Model) string {
	parts := []string{"Run " + m.Run.ID}
	if m.Run.Lone {
		parts[0] = "Session " + m.Run.ID + " (no run)"
	}
	for _, p := range []struct {
		name, value string
		quoted      func(string) string
	}{{"kind", m.Run.Kind, quote.Name}, {"workflow", m.Run.Workflow, quote.Name}, {"project", m.Run.Project, quote.Name}, {"workspace", m.Run.Workspace, quote.Path}} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.quoted(p.value))
		}
	}
	return strings.Join(parts, ", ")
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
	var text string
	switch {
	case m.Run.Completed:
		text = "Completed: " + quote.Name(m.Run.Outcome)
	default:
		text = standingText(m.Standing.State)
	}
	if m.Run.PRURL != "" {
		text += ", " + quote.Path(m.Run.PRURL)
	}
	if !m.Run.Completed && m.Standing.State != runevents.ControlRunning && m.Standing.Why != "" {
		text += ". " + joined(m.Standing.Who, m.Standing.Why)
	}
	return text
}

// period is when its events happened.
func period(m Model) string {
	if m.Run.First.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s to %s UTC", day(m.Run.First), day(m.Run.Last))
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
	for _, g := range m.Gates {
		if g.Decision != runevents.DecisionAllow && !g.Ahead {
			return true
		}
	}
	return false
}

// stateText is how the run stands: one that is over and not halted is completed.
func stateText(m Model) string {
	if m.Run.Completed && m.Standing.State != runevents.ControlHalted {
		return "completed"
	}
	return string(m.Standing.State)
}
