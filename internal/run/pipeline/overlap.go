package pipeline

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// overlap asks runs, one after the other, whether they were in progress as another began
// (PL-10). The workspace cannot say: news of a run's end may still be on its way when the
// next one begins. The run itself can: the question comes behind all that INPUT held of the
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

// newRun asks about overlaps of a run that begins, with those before and behind it:
// news of an earlier run can come later.
func (c *Context) newRun(space *Workspace, news workspaceNews) {
	if find(space.Active, news.Run) != nil {
		return
	}
	began := space.begin(news, c.config.Kept.WorkspaceRuns)
	var before []KnownRun
	for _, other := range slices.Concat(space.Over, space.Active) {
		switch {
		case other.Run == began.Run || other.Event == "":
		case other.Since.After(began.Since):
			if !other.Warned && began.reaches(other.Since) {
				c.askOverlap(other, []KnownRun{began})
			}
		case other.reaches(began.Since):
			before = append(before, other)
		}
	}
	if len(before) > 0 {
		slices.SortStableFunc(before, func(a, b KnownRun) int { return a.Since.Compare(b.Since) })
		c.askOverlap(began, before)
	}
}

// reaches reports whether a run that began before at may have been in progress then.
func (r *KnownRun) reaches(at time.Time) bool { return r.Until.IsZero() || r.Until.After(at) }

func (c *Context) askOverlap(began KnownRun, others []KnownRun) {
	question := overlap{Run: began.Run, Event: began.Event, At: began.Since, Space: c.Event.Group()}
	for _, other := range others {
		question.Ask = append(question.Ask, RunRef{other.Run, other.Event})
	}
	c.Relay(question.Ask[0].Run, overlapTimer, c.Event.Time, question)
}

// overlapAsked answers, in a run's group, whether it was in progress as another began.
var overlapAsked = Rule{ID: "PL-10", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	var asked overlap
	if d.Name != overlapTimer || json.Unmarshal(d.Details, &asked) != nil || len(asked.Ask) == 0 || asked.Space == "" {
		return
	}
	if r := c.run; r != nil && (!r.Over || r.Ended.After(asked.At)) {
		asked.Met = append(asked.Met, asked.Ask[0])
	}
	if asked.Ask = asked.Ask[1:]; len(asked.Ask) > 0 {
		c.Relay(asked.Ask[0].Run, overlapTimer, c.Event.Time, asked)
	} else if len(asked.Met) > 0 {
		c.Relay(asked.Space, workspaceTimer, c.Event.Time, workspaceNews{What: newsOverlap, Run: asked.Run, Event: asked.Event, At: asked.At, Met: asked.Met})
	}
})}

// warnOfOverlap warns once about a run that began while others were in progress.
func (c *Context) warnOfOverlap(space *Workspace, news workspaceNews) {
	for _, list := range [][]KnownRun{space.Active, space.Over} {
		if began := find(list, news.Run); began != nil {
			if began.Warned {
				return
			}
			began.Warned = true
		}
	}
	j := runevents.WarningIssued{Code: "RUN-IN-PROGRESS", Rule: "PL-10", Evidence: []runevents.Reference{{Event: news.Event}}}
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
	c.ConcludeAbout(news.Run, runevents.TypeWarningIssued, &j)
}
