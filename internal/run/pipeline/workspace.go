package pipeline

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Workspace is what is known where runs of one workspace meet (PL-10): which of
// them are in progress.
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

// Names of relays: what a run tells its workspace, and what it is told back.
const (
	workspaceTimer = "pipeline.workspace"
	pointerTimer   = "pipeline.pointer"
)

// What runs tell of.
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

// tellWorkspace tells once that this run is in progress.
func (w *watch) tellWorkspace() {
	if r := w.run; r.Workspace != "" && !r.Told && !r.Over {
		r.Told = true
		w.resumes() // said before the run knew its workspace
		w.tell(workspaceNews{What: newsStarted, Run: w.in.Event.Subject, Event: r.Started})
	}
}

// resumes tells which other run goes on as this one.
func (w *watch) resumes() {
	if before := w.run.Resumed; before != nil && before.Prior != "" && before.Prior != w.in.Event.Subject {
		w.tell(workspaceNews{What: newsResumed, Run: w.in.Event.Subject, Prior: before.Prior, Event: before.Event})
	}
}

func (w *watch) runEnded() {
	if w.run.Told {
		w.run.Told = false
		w.tell(workspaceNews{What: newsCompleted, Run: w.in.Event.Subject, Event: w.in.Event.ID})
	}
}

func (w *watch) tell(news workspaceNews) {
	news.At = w.in.Event.Time
	w.v.Relay(w.run.Workspace, workspaceTimer, verdict.At(w.in.Event.Time), news)
}

// workspaceNews is folded in the workspace's group.
func (w *watch) workspaceNews(d *events.TimerExpired) {
	var news workspaceNews
	if json.Unmarshal(d.Details, &news) != nil || news.Run == "" {
		return
	}
	if w.state.Workspace == nil {
		w.state.Workspace = &Workspace{}
	}
	space := w.state.Workspace
	space.forget(news.At.AddDate(0, 0, -w.Recovery.ForgetRunAfterDays))
	switch news.What {
	case newsStarted:
		w.newRun(space, news)
	case newsCompleted:
		space.drop(news.Run)
		space.Completed = keep(space.Completed, news.Run, w.Kept.WorkspaceRuns)
	case newsResumed:
		if slices.Contains(space.Completed, news.Prior) { // a completed pointer is ignored
			w.v.Relay(news.Run, pointerTimer, verdict.At(w.in.Event.Time), pointerNews{Prior: news.Prior, Event: news.Event})
			return
		}
		space.drop(news.Prior) // it goes on as this run
	}
}

// newRun warns of a run that begins while another is in progress.
func (w *watch) newRun(space *Workspace, news workspaceNews) {
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
		w.v.TellAbout(news.Run, runevents.TypeWarningIssued, &j)
	}
	space.Active = keep(space.Active, ActiveRun{Run: news.Run, Event: news.Event, Since: news.At}, w.Kept.WorkspaceRuns)
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

// pointer hears that the run it resumes had ended: what that restored counts for
// nothing.
func (w *watch) pointer(d *events.TimerExpired) {
	var news pointerNews
	if w.run == nil || w.run.Resumed == nil || json.Unmarshal(d.Details, &news) != nil {
		return
	}
	if w.run.Resumed.Event == news.Event {
		w.run.Resumed = nil
	}
}
