package fleetreport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// any reports whether there is anything to say about runs.
func (r *Runs) any() bool { return len(r.Projects) > 0 }

// runsHeadline is what happened in runs, in one line; "" where there were none.
func runsHeadline(r *Runs) string {
	if !r.any() {
		return ""
	}
	b := r.Breaks
	text := ""
	if r.RunFigures.Runs > 0 { // else it began before the period
		text = page.Plural(r.RunFigures.Runs, "run")
	}
	if b.All() > 0 {
		text += ", halted " + often(b.All())
	}
	text += counted(" (", ")", []number{{b.Resumed, "resumed"}, {b.NotWarranted, "not warranted"}})
	text += counted(", ", "", []number{
		{r.Escalations.Open + r.Questions.Open, "waiting for a person"},
		{r.Violations, "broken rules"},
		{r.GateAnswers.Denied + r.GateAnswers.Held, "requests refused"},
	})
	return strings.TrimPrefix(text, ", ")
}

// often is how many times something happened.
func often(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return page.Count(n) + " times"
}

// runTables are the tables about how runs were decided; those with nothing in them are left out.
func runTables(r *Runs) []doc.Part {
	if !r.any() {
		return nil
	}
	var list []doc.Part
	for _, t := range []doc.Part{
		standingTable(r), triggerTable(r), waitTable(r), correctionTable(r), gateTable(r), ruleTable(r),
	} {
		if t.Explain = true; !t.Nothing() {
			list = append(list, t)
		}
	}
	return list
}

func projectTable(r *Runs) doc.Part {
	t := doc.FiguresPart("Runs by project", "project", "runs", "halted", "halts", "not warranted", "waiting", "median answer", "corrections", "helped", "refused", "rules broken", "warnings")
	row := func(name string, f RunFigures) {
		cells := append([]string{name}, figures(f.Runs, f.Halted, f.Breaks.All(), f.Breaks.NotWarranted, f.Escalations.Open+f.Questions.Open)...)
		cells = append(cells, lasting(f.Escalations.MedianSeconds), strconv.Itoa(f.Corrected.Issued), percent(f.Corrected.HelpedRate))
		cells = append(cells, figures(f.GateAnswers.Denied+f.GateAnswers.Held, f.Violations, f.Warnings)...)
		if slices.ContainsFunc(cells[1:], func(c string) bool { return c != "0" && c != "–" }) {
			t.Row(cells...)
		}
	}
	for _, p := range r.Projects {
		name := "no project"
		if p.Project != "" {
			name = quote.Name(cmp.Or(naming.Project(p.Project), p.Project))
		}
		row(name, p.RunFigures)
	}
	if len(r.Projects) > 1 {
		row("all", r.RunFigures)
	}
	return t
}

func standingTable(r *Runs) doc.Part {
	t := doc.FiguresPart("Runs by state and outcome", "state or outcome", "runs")
	for _, s := range r.States {
		if s.State != "done" { // its outcome says more
			t.Row(append([]string{page.Plain(s.State)}, figures(s.Runs)...)...)
		}
	}
	for _, o := range r.Outcomes {
		t.Row(append([]string{"ended: " + quote.Name(o.Outcome)}, figures(o.Runs)...)...)
	}
	return t
}

func triggerTable(r *Runs) doc.Part {
	t := doc.FiguresPart("What halted runs", "trigger", "at once", "after a task", "resumed", "warranted", "not warranted", "unclear", "too early")
	for _, b := range r.Triggers {
		t.Row(append([]string{words(b.Trigger)}, figures(b.Hard, b.Soft, b.Resumed, b.Warranted, b.NotWarranted, b.Unclear, b.TooEarly)...)...)
	}
	return t
}

func waitTable(r *Runs) doc.Part {
	t := doc.FiguresPart("For a person", "what", "raised", "open", "answered", "timed out", "superseded", "median answer")
	for _, w := range []struct {
		name string
		f    WaitFigures
	}{{"escalations", r.Escalations}, {"questions", r.Questions}} {
		if w.f.Raised > 0 {
			row := append([]string{w.name}, figures(w.f.Raised, w.f.Open, w.f.Answered, w.f.TimedOut, w.f.Superseded)...)
			t.Row(append(row, lasting(w.f.MedianSeconds))...)
		}
	}
	return t
}

func correctionTable(r *Runs) doc.Part {
	t := doc.FiguresPart("Corrective actions", "action", "issued", "held", "recurred", "untested", "open", "helped")
	for _, c := range r.Corrections {
		row := append([]string{words(c.Action)}, figures(c.Issued, c.Held, c.Recurred, c.Untested, c.Open)...)
		t.Row(append(row, percent(c.HelpedRate))...)
	}
	return t
}

func gateTable(r *Runs) doc.Part {
	t := doc.FiguresPart("Gates", "gate", "allowed", "with warning", "denied", "held", "asked ahead")
	for _, g := range r.Gates {
		t.Row(append([]string{words(g.Gate)}, figures(g.Allowed, g.Warned, g.Denied, g.Held, g.Ahead)...)...)
	}
	return t
}

func ruleTable(r *Runs) doc.Part {
	t := doc.FiguresPart("Rules of runs", "rule", "violations", "warnings")
	for _, one := range r.Rules {
		t.Row(append([]string{page.Plain(one.Rule + " " + one.Code)}, figures(one.Violations, one.Warnings)...)...)
	}
	return t
}

// runNotes are what the tables do not show.
func runNotes(r *Runs) (list []string) {
	if n := r.GateAnswers.Unanswered; n > 0 {
		list = append(list, page.Plural(n, "question to a gate", "questions to gates")+" could not be answered; harnesses take that for a deny.")
	}
	return list
}

// words are a code as people read it.
func words(code string) string { return page.Plain(strings.ReplaceAll(code, "_", " ")) }

// lasting is a time in words of one unit or two; "–" where there is none.
func lasting(seconds *float64) string {
	if seconds == nil {
		return "–"
	}
	d := time.Duration(*seconds * float64(time.Second)).Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh %02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd %02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}
