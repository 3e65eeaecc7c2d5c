package pipeline

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Workspace is the state of the group that all runs of one workspace share (PL-10). Its
// runs are in several partitions, so their news comes in any order but each run's own.
type Workspace struct {
	Active []KnownRun `json:"active,omitempty"` // in progress, as far as is known here
	Over   []KnownRun `json:"over,omitempty"`
}

// KnownRun is what a workspace knows of a run.
type KnownRun struct {
	Run    string    `json:"run"`
	Event  string    `json:"event,omitempty"` // id of its run.started; "" if only its end is known
	Since  time.Time `json:"since,omitzero"`
	Until  time.Time `json:"until,omitzero"`    // zero: in progress
	GoesOn bool      `json:"goes_on,omitempty"` // it ended as another run resumed it
	Warned bool      `json:"warned,omitempty"`  // it began while another was in progress
}

// Names of relays from a workspace, beside [run.RelayWorkspace].
const (
	pointerTimer = "pipeline.pointer"
	overlapTimer = "pipeline.overlap"
)

// Kinds of news.
const (
	newsStarted   = "started"
	newsResumed   = "resumed"
	newsCompleted = "completed"
	newsOverlap   = "overlap" // see [overlap]
)

type workspaceNews struct {
	What  string    `json:"what"`
	Run   string    `json:"run"`
	Prior string    `json:"prior,omitempty"`
	Event string    `json:"event"`
	At    time.Time `json:"at"`
	Met   []RunRef  `json:"met,omitempty"` // of an overlap
}

// runAnnounced relays to the workspace that the run is in progress (PL-10).
var runAnnounced = Rule{ID: "PL-10", On: run.Types(runevents.TypeRunStarted), Run: func(c *Context) {
	if c.run.On {
		c.announce()
	}
}}

// announce relays once that this run is in progress.
func (c *Context) announce() {
	if r := c.run; r.Workspace != "" && r.Announced == "" && !r.Over {
		r.Announced = r.Started
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

// mostEnds is how often a run can begin again before a late question about its first
// time is answered with no.
const mostEnds = 8

func (c *Context) runEnded() {
	if r := c.run; r.Announced != "" {
		r.Ends = text.Newest(append(r.Ends, RunEnd{r.Announced, c.Event.Time}), mostEnds)
		r.Announced = ""
		c.relay(workspaceNews{What: newsCompleted, Run: c.Event.Subject, Event: c.Event.ID})
	}
}

func (c *Context) relay(news workspaceNews) {
	news.At = c.Event.Time
	c.Relay(c.run.Workspace, run.RelayWorkspace, c.Event.Time, news)
}

// workspaceNotified folds, in the workspace's group, what its runs relay (PL-10).
var workspaceNotified = Rule{ID: "PL-10", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	var news workspaceNews
	if d.Name != run.RelayWorkspace || json.Unmarshal(d.Details, &news) != nil || news.Run == "" {
		return
	}
	if c.state.Workspace == nil {
		c.state.Workspace = &Workspace{}
	}
	space := c.state.Workspace
	switch news.What {
	case newsStarted:
		arrival{c, space, news}.begins()
	case newsCompleted:
		space.end(news.Run, news.At, false, c.config.Kept.WorkspaceRuns)
	case newsResumed:
		if prior := find(space.Over, news.Prior); prior != nil && !prior.GoesOn && find(space.Active, news.Prior) == nil { // a completed pointer is ignored
			c.Relay(news.Run, pointerTimer, c.Event.Time, pointerNews{Prior: news.Prior, Event: news.Event})
			return
		}
		space.end(news.Prior, news.At, true, c.config.Kept.WorkspaceRuns)
	case newsOverlap:
		arrival{c, space, news}.warn()
	}
})}

// find returns the last that is known of a run.
func find(runs []KnownRun, run string) *KnownRun {
	for i := range slices.Backward(runs) {
		if runs[i].Run == run {
			return &runs[i]
		}
	}
	return nil
}

// began returns what is known of what a run.started began, nil if nothing is.
func (s *Workspace) began(ref RunRef) *KnownRun {
	for _, list := range [][]KnownRun{s.Active, s.Over} {
		if i := slices.IndexFunc(list, func(r KnownRun) bool { return r.Run == ref.Run && r.Event == ref.Event }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// end notes that a run is in progress no more, because it ended or goes on as another.
func (s *Workspace) end(run string, at time.Time, goesOn bool, most int) {
	if r := find(s.Active, run); r != nil {
		s.Over = text.Newest(append(s.Over, *r), most)
		s.Active = slices.DeleteFunc(s.Active, func(r KnownRun) bool { return r.Run == run })
	} else if find(s.Over, run) == nil {
		s.Over = text.Newest(append(s.Over, KnownRun{Run: run}), most)
	}
	r := find(s.Over, run)
	r.Until, r.GoesOn = at, goesOn
}

// begin notes that a run began, perhaps again. News that it goes on as another can have
// come first.
func (s *Workspace) begin(news workspaceNews, most int) KnownRun {
	if r := find(s.Over, news.Run); r != nil && r.GoesOn && !news.At.After(r.Until) {
		r.Event, r.Since = news.Event, news.At
		return *r
	}
	r := KnownRun{Run: news.Run, Event: news.Event, Since: news.At}
	s.Active = text.Newest(append(s.Active, r), most)
	return r
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
