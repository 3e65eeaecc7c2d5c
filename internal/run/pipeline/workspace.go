package pipeline

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Workspace is the state of the group that all runs of one workspace share: the
// runs in progress (PL-10).
type Workspace struct {
	Active    []ActiveRun `json:"active,omitempty"`
	Completed []string    `json:"completed,omitempty"`
}

// ActiveRun is a run in progress.
type ActiveRun struct {
	Run   string    `json:"run"`
	Event string    `json:"event"` // id of its run.started
	Since time.Time `json:"since"`
}

// Names of relays: from a run to its workspace, and back.
const (
	workspaceTimer = "pipeline.workspace"
	pointerTimer   = "pipeline.pointer"
)

// Kinds of news.
const (
	newsStarted   = "started"
	newsResumed   = "resumed"
	newsCompleted = "completed"
)

type workspaceNews struct {
	What  string    `json:"what"`
	Run   string    `json:"run"`
	Prior string    `json:"prior,omitempty"`
	Event string    `json:"event"`
	At    time.Time `json:"at"`
}

// runAnnounced relays to the workspace that the run is in progress (PL-10).
var runAnnounced = Rule{ID: "PL-10", On: run.Types(runevents.TypeRunStarted), Run: func(c *Context) {
	if c.run.On {
		c.announce()
	}
}}

// announce relays once that this run is in progress.
func (c *Context) announce() {
	if r := c.run; r.Workspace != "" && !r.Announced && !r.Over {
		r.Announced = true
		c.resumes() // said before the run knew its workspace
		c.relay(workspaceNews{What: newsStarted, Run: c.Event.Subject, Event: r.Started})
	}
}

// resumes relays which earlier run continues as this one.
func (c *Context) resumes() {
	if before := c.run.Resumed; before != nil && before.Prior != "" && before.Prior != c.Event.Subject {
		c.relay(workspaceNews{What: newsResumed, Run: c.Event.Subject, Prior: before.Prior, Event: before.Event})
	}
}

func (c *Context) runEnded() {
	if c.run.Announced {
		c.run.Announced = false
		c.relay(workspaceNews{What: newsCompleted, Run: c.Event.Subject, Event: c.Event.ID})
	}
}

func (c *Context) relay(news workspaceNews) {
	news.At = c.Event.Time
	c.Relay(c.run.Workspace, workspaceTimer, c.Event.Time, news)
}

// workspaceNotified folds, in the workspace's group, what its runs relay (PL-10).
var workspaceNotified = Rule{ID: "PL-10", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	var news workspaceNews
	if d.Name != workspaceTimer || json.Unmarshal(d.Details, &news) != nil || news.Run == "" {
		return
	}
	if c.state.Workspace == nil {
		c.state.Workspace = &Workspace{}
	}
	space := c.state.Workspace
	space.forget(news.At.AddDate(0, 0, -c.config.Recovery.ForgetRunAfterDays))
	switch news.What {
	case newsStarted:
		c.newRun(space, news)
	case newsCompleted:
		space.drop(news.Run)
		space.Completed = keep(space.Completed, news.Run, c.config.Kept.WorkspaceRuns)
	case newsResumed:
		if slices.Contains(space.Completed, news.Prior) { // a completed pointer is ignored
			c.Relay(news.Run, pointerTimer, c.Event.Time, pointerNews{Prior: news.Prior, Event: news.Event})
			return
		}
		space.drop(news.Prior) // it goes on as this run
	}
})}

// newRun warns about a run that begins while another is in progress.
func (c *Context) newRun(space *Workspace, news workspaceNews) {
	if slices.ContainsFunc(space.Active, func(a ActiveRun) bool { return a.Run == news.Run }) {
		return
	}
	if len(space.Active) > 0 {
		j := runevents.WarningIssued{
			Code: "RUN-IN-PROGRESS", Rule: "PL-10", Evidence: []runevents.Reference{{Event: news.Event}},
		}
		var names []string
		for _, a := range space.Active {
			names = append(names, a.Run)
			if len(j.Evidence) <= 3 {
				j.Evidence = append(j.Evidence, runevents.Reference{Event: a.Event, What: "run " + a.Run})
			}
		}
		j.What = "Run " + news.Run + " begins while " + several(names) + " is in progress in the same workspace: resume that one, or end it."
		if len(names) > 1 {
			j.What = "Run " + news.Run + " begins while " + several(names) + " are in progress in the same workspace: resume one of them, and end the others."
		}
		c.ConcludeAbout(news.Run, runevents.TypeWarningIssued, &j)
	}
	space.Active = keep(space.Active, ActiveRun{Run: news.Run, Event: news.Event, Since: news.At}, c.config.Kept.WorkspaceRuns)
	space.Completed = slices.DeleteFunc(space.Completed, func(run string) bool { return run == news.Run })
}

func (s *Workspace) drop(run string) {
	s.Active = slices.DeleteFunc(s.Active, func(a ActiveRun) bool { return a.Run == run })
}

// forget drops runs that began long ago and never ended.
func (s *Workspace) forget(before time.Time) {
	s.Active = slices.DeleteFunc(s.Active, func(a ActiveRun) bool { return a.Since.Before(before) })
}

type pointerNews struct {
	Prior string `json:"prior"`
	Event string `json:"event"` // id of the run.resumed it answers
}

// resumeAnswered is PL-10: the run that this one resumes had ended, so that what the
// resume restored does not count.
var resumeAnswered = Rule{ID: "PL-10", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	var news pointerNews
	if d.Name != pointerTimer || c.run == nil || c.run.Resumed == nil || json.Unmarshal(d.Details, &news) != nil {
		return
	}
	if c.run.Resumed.Event == news.Event {
		c.run.Resumed = nil
	}
})}
