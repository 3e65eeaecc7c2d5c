package shadow

import (
	"encoding/json"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// relayName is what runs tell the group of their project by.
const relayName = "shadow.project"

// projectRun is what a completed run tells its project (RW-15).
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

// runCompleted tells the project what the run left undone.
func (c *Context) runCompleted() {
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
	c.Relay(run.GroupOf("project", c.run.Project), relayName, run.Due(c.Event.Time), projectRun{
		Run: c.Event.Subject, Project: c.run.Project, Deferred: n, Event: c.Event.ID,
	})
}

// projectRun folds what a run told; the same run counts once.
func (c *Config) projectRun(s *State, d *events.TimerExpired, v *run.Context) {
	var told projectRun
	if json.Unmarshal(d.Details, &told) != nil || told.Run == "" || told.Deferred < 0 || told.Deferred > c.Kept.Findings {
		return
	}
	if s.Project == nil {
		s.Project = &projectState{}
	}
	p := s.Project
	if slices.Contains(p.Seen, told.Run) {
		return
	}
	p.Seen = appendBounded(p.Seen, told.Run, c.Kept.Runs)
	if told.Deferred == 0 {
		p.Streak, p.Before = nil, 0
		return
	}
	p.add(told, c.Kept.Runs)
	total, ids := p.Before, []string{}
	for _, run := range p.Streak {
		total += run.Deferred
		ids = append(ids, run.Event)
	}
	limits := &c.System
	if total < limits.DeferredWarnings || len(p.Streak) < limits.DeferredRuns {
		return
	}
	because := held("deferred_warnings", fromFields, total, limits.DeferredWarnings, "%d WARNINGs were deferred over %d consecutive runs of %s", total, len(p.Streak), told.Project)
	signal := c.signal(notice{rule: "RW-15", layer: sessionevents.LayerSystem, run: told.Run, events: ids, because: []sessionevents.Condition{*because}})
	v.ConcludeAbout(told.Run, sessionevents.TypeSignalDetected, &signal)
}

// add lengthens the streak; what is forgotten of it still counts.
func (p *projectState) add(run projectRun, limit int) {
	if len(p.Streak) >= limit {
		p.Before = min(p.Before+p.Streak[0].Deferred, 1<<30)
	}
	p.Streak = appendBounded(p.Streak, run, limit)
}
