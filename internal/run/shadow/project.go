package shadow

import (
	"encoding/json"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// relayName is the name of the relay from a run to its project.
const relayName = "shadow.project"

// projectRun is what a completed run relays to its project (RW-15).
type projectRun struct {
	Run      string `json:"run"`
	Project  string `json:"project"`
	Deferred int    `json:"deferred"` // WARNINGs
	Event    string `json:"event"`    // the run.completed
}

// projectState is what is known of a project's runs: those without a run between
// them that deferred nothing.
type projectState struct {
	Streak []projectRun `json:"streak,omitempty"`
	Seen   []string     `json:"seen,omitempty"`   // runs that were counted
	Before int          `json:"before,omitempty"` // WARNINGs of runs of the streak that are forgotten
}

// runCompleted relays to the project what the run left undone (RW-15).
var runCompleted = Rule{ID: "RW-15", Folds: true, On: run.Types(runevents.TypeRunCompleted), Run: func(c *Context) {
	if c.run.Completed || c.run.Project == "" {
		c.run.Completed = true
		return
	}
	c.run.Completed = true
	n := 0
	for i := range c.run.Findings {
		if f := &c.run.Findings[i].Finding; f.Severity == runevents.SeverityWarning && f.State == stateDeferred {
			n++
		}
	}
	c.Relay(run.GroupOf("project", c.run.Project), relayName, c.Event.Time, projectRun{
		Run: c.Event.Subject, Project: c.run.Project, Deferred: n, Event: c.Event.ID,
	})
}}

// deferredWarnings is RW-15 in the group of the project: it folds what a run relayed;
// the same run counts once.
var deferredWarnings = Rule{ID: "RW-15", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	s := c.state
	var told projectRun
	if json.Unmarshal(d.Details, &told) != nil || told.Run == "" || told.Deferred < 0 || told.Deferred > c.config.Kept.Findings {
		return
	}
	if s.Project == nil {
		s.Project = &projectState{}
	}
	p := s.Project
	if slices.Contains(p.Seen, told.Run) {
		return
	}
	p.Seen = appendBounded(p.Seen, told.Run, c.config.Kept.Runs)
	if told.Deferred == 0 {
		p.Streak, p.Before = nil, 0
		return
	}
	p.add(told, c.config.Kept.Runs)
	total, ids := p.Before, []string{}
	for _, one := range p.Streak {
		total += one.Deferred
		ids = append(ids, one.Event)
	}
	limits := &c.config.System
	if total < limits.DeferredWarnings || len(p.Streak) < limits.DeferredRuns {
		return
	}
	because := held("deferred_warnings", sessionevents.SourceFields, total, limits.DeferredWarnings, "%d WARNINGs were deferred over %d consecutive runs of %s", total, len(p.Streak), told.Project)
	signal := c.config.signal(notice{rule: "RW-15", layer: sessionevents.LayerSystem, run: told.Run, events: ids, because: []sessionevents.Condition{*because}})
	c.ConcludeAbout(told.Run, sessionevents.TypeSignalDetected, &signal)
})}

// add lengthens the streak; what is forgotten of it still counts.
func (p *projectState) add(run projectRun, limit int) {
	if len(p.Streak) >= limit {
		p.Before = min(p.Before+p.Streak[0].Deferred, 1<<30)
	}
	p.Streak = appendBounded(p.Streak, run, limit)
}
