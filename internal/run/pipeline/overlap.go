package pipeline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// overlap asks runs, one after the other, whether they were in progress as another began
// (PL-10). The workspace cannot say: news of a run's end may still be on its way when the
// next one begins. The run itself can: the question comes after all that INPUT held of the
// run when the other began.
type overlap struct {
	Run   string    `json:"run"`   // that began
	Event string    `json:"event"` // its run.started
	At    time.Time `json:"at"`
	Space string    `json:"space"`         // group of the workspace, which gets the answer
	Ask   []RunRef  `json:"ask"`           // the first is asked
	Met   []RunRef  `json:"met,omitempty"` // were in progress
}

// RunRef is a run and the id of its run.started.
type RunRef struct {
	Run   string `json:"run"`
	Event string `json:"event"`
}

// arrival is news of a run that comes to its workspace.
type arrival struct {
	*Context
	space *Workspace
	news  workspaceNews
}

// begins asks about overlaps of a run that begins, with those before and after it:
// news of an earlier run can come later.
func (a arrival) begins() {
	space, news, recovery := a.space, a.news, &a.config.Recovery
	if find(space.Active, news.Run) != nil {
		return
	}
	began := space.begin(news, a.config.Kept.WorkspaceRuns)
	var before []KnownRun
	for _, other := range slices.Concat(space.Over, space.Active) {
		switch {
		case other.Run == began.Run || other.Event == "" || !recovery.reaches(other, began.Since) || !recovery.reaches(began, other.Since):
		case began.order(other) > 0:
			before = append(before, other)
		case !other.Warned:
			a.ask(other, []KnownRun{began})
		}
	}
	if len(before) > 0 {
		slices.SortFunc(before, KnownRun.order)
		a.ask(began, before)
	}
}

// order compares which run began first; of two that began at once, their ids decide.
func (r KnownRun) order(other KnownRun) int {
	return cmp.Or(r.Since.Compare(other.Since), strings.Compare(r.Run, other.Run))
}

// reaches reports whether a run, if it began before at, may have been in progress then. One
// that began too long before is forgotten; a wrong clock concerns its own run alone.
func (r *Recovery) reaches(known KnownRun, at time.Time) bool {
	forgotten := known.Since.Before(at.AddDate(0, 0, -r.ForgetRunAfterDays))
	return !forgotten && !known.overBy(at)
}

func (r *KnownRun) overBy(at time.Time) bool { return !r.Until.IsZero() && !r.Until.After(at) }

// ask asks once the time has come at which the other run began: what was recorded
// later, but happened before, may be read first (a log that is read after another).
func (a arrival) ask(began KnownRun, others []KnownRun) {
	question := overlap{Run: began.Run, Event: began.Event, At: began.Since, Space: a.Event.Group()}
	for _, other := range others {
		question.Ask = append(question.Ask, RunRef{other.Run, other.Event})
	}
	name := overlapTimer + "." + events.DerivedID("overlap", began.Run, began.Event, 0) // replaces no other question
	a.Relay(question.Ask[0].Run, name, question.At, question)
}

// mostMet is how many runs in progress are enough: a warning shows no more (see [several]).
const mostMet = 9

// overlapAsked answers, in a run's group, whether it was in progress as another began.
var overlapAsked = Rule{ID: "PL-10", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	var asked overlap
	if !strings.HasPrefix(d.Name, overlapTimer+".") || json.Unmarshal(d.Details, &asked) != nil || len(asked.Ask) == 0 || asked.Space == "" {
		return
	}
	if len(asked.Ask) > 2*c.config.Kept.WorkspaceRuns { // no workspace knows so many
		return
	}
	if c.run != nil && c.run.inProgress(asked.Ask[0].Event, asked.At) {
		asked.Met = append(asked.Met, asked.Ask[0])
	}
	if asked.Ask = asked.Ask[1:]; len(asked.Ask) > 0 && len(asked.Met) < mostMet {
		c.Relay(asked.Ask[0].Run, d.Name, c.Event.Time, asked)
	} else if len(asked.Met) > 0 {
		c.Relay(asked.Space, run.RelayWorkspace, c.Event.Time, workspaceNews{What: newsOverlap, Run: asked.Run, Event: asked.Event, At: asked.At, Met: asked.Met})
	}
})}

// inProgress reports whether what a run.started began was in progress at a later time. The
// run can have ended and begun again since.
func (r *Run) inProgress(started string, at time.Time) bool {
	if i := slices.IndexFunc(r.Ends, func(e RunEnd) bool { return e.Started == started }); i >= 0 {
		return r.Ends[i].At.After(at)
	}
	return r.Announced == started
}

// warn warns once about a run that began while others were in progress. Which of
// them had gone on as another run can have become known meanwhile.
func (a arrival) warn() {
	space, news := a.space, a.news
	news.Met = slices.DeleteFunc(news.Met, func(met RunRef) bool {
		r := space.began(met)
		return r != nil && r.overBy(news.At)
	})
	if len(news.Met) == 0 {
		return
	}
	if began := space.began(RunRef{news.Run, news.Event}); began != nil {
		if began.Warned || began.overBy(news.At) {
			return
		}
		began.Warned = true
	}
	j := runevents.WarningIssued{Code: runevents.CodeRunInProgress, Rule: "PL-10", Evidence: []runevents.Reference{{Event: news.Event}}}
	var names []string
	for _, other := range news.Met {
		names = append(names, other.Run)
		if len(j.Evidence) <= 3 {
			j.Evidence = append(j.Evidence, runevents.Reference{Event: other.Event, What: "run " + other.Run})
		}
	}
	j.What = "Run " + news.Run + " begins while " + several(names) + " is in progress in the same workspace: resume that one, or end it."
	if len(names) > 1 {
		j.What = "Run " + news.Run + " begins while " + several(names) + " are in progress in the same workspace: resume one of them, and end the others."
	}
	a.ConcludeAbout(news.Run, runevents.TypeWarningIssued, &j)
}
