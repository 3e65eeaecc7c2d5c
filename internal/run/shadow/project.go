package shadow

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// projectRun is what a completed run relays to its project (RW-15).
type projectRun struct {
	Run      string `json:"run"`
	Project  string `json:"project"`
	Deferred int    `json:"deferred"` // WARNINGs
	Event    string `json:"event"`    // the run.completed

	At   time.Time `json:"at,omitzero"`    // when it completed; set by the project
	Told bool      `json:"told,omitempty"` // a signal was raised about it
}

// projectState holds the completed runs of a project.
type projectState struct {
	Runs   []projectRun `json:"runs,omitempty"`   // the latest completed runs, by completion time
	Seen   []string     `json:"seen,omitempty"`   // runs that were counted
	Before int          `json:"before,omitempty"` // WARNINGs of dropped runs directly before the first of Runs
}

// runCompleted relays the run's deferred WARNINGs to the project (RW-15).
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
	completed := c.Event.Time
	if now := c.Now(); now.Before(completed) { // with a clock that is ahead, its run would stay the last one
		completed = now
	}
	c.Relay(run.GroupOf("project", c.run.Project), run.RelayProject, completed, projectRun{
		Run: c.Event.Subject, Project: c.run.Project, Deferred: n, Event: c.Event.ID,
	})
}}

// deferredWarnings is RW-15 in the group of the project: it folds what a run relayed,
// each run once. Runs are in several partitions, so an earlier run may be relayed later;
// their times determine which are consecutive.
var deferredWarnings = Rule{ID: "RW-15", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	s := c.state
	var told projectRun
	if d.Name != run.RelayProject || json.Unmarshal(d.Details, &told) != nil || told.Run == "" || told.Deferred < 0 || told.Deferred > c.config.Kept.Findings {
		return
	}
	if s.Project == nil {
		s.Project = &projectState{}
	}
	p := s.Project
	if slices.Contains(p.Seen, told.Run) {
		return
	}
	p.Seen = text.Newest(append(p.Seen, told.Run), c.config.Kept.Runs)
	told.At, told.Told = c.Event.Time, false
	if at := p.add(told, c.config.Kept.Runs); at >= 0 {
		c.judgeStreak(p, at)
	}
})}

// judgeStreak emits a signal for each run, from the given one on, that ends a long enough
// streak.
func (c *Context) judgeStreak(p *projectState, from int) {
	limits := &c.config.System
	start, total := p.streak(from)
	for i := start; i < len(p.Runs) && p.Runs[i].Deferred > 0; i++ {
		last := &p.Runs[i]
		total += last.Deferred
		if streak := p.Runs[start : i+1]; i >= from && !last.Told && total >= limits.DeferredWarnings && len(streak) >= limits.DeferredRuns {
			last.Told = true
			c.brokenWindow(streak, total)
		}
	}
}

func (c *Context) brokenWindow(streak []projectRun, total int) {
	var ids []string
	for _, one := range streak {
		ids = append(ids, one.Event)
	}
	last := streak[len(streak)-1]
	because := held("deferred_warnings", sessionevents.SourceFields, total, c.config.System.DeferredWarnings, "%d WARNINGs were deferred over %d consecutive runs of %s", total, len(streak), last.Project)
	signal := c.config.signal(notice{rule: "RW-15", layer: sessionevents.LayerSystem, run: last.Run, events: ids, because: []sessionevents.Condition{*because}})
	c.ConcludeAbout(last.Run, sessionevents.TypeSignalDetected, &signal)
}

// streak returns the first run of the streak that a run belongs to, and the WARNINGs
// before it.
func (p *projectState) streak(of int) (start, before int) {
	for start = of; start > 0 && p.Runs[start-1].Deferred > 0; start-- {
	}
	if start == 0 {
		before = p.Before
	}
	return start, before
}

// before reports whether a run completed before another; ids decide between equal times.
func (r projectRun) before(other projectRun) bool {
	return cmp.Or(r.At.Compare(other.At), strings.Compare(r.Run, other.Run)) < 0
}

// add inserts a run according to its time and returns the place, -1 if it is older than
// all stored runs. Dropped runs of a streak still count.
func (p *projectState) add(told projectRun, limit int) int {
	at := len(p.Runs)
	for at > 0 && told.before(p.Runs[at-1]) {
		at--
	}
	p.Runs = slices.Insert(p.Runs, at, told)
	if len(p.Runs) <= limit {
		return at
	}
	if p.Runs[0].Deferred == 0 {
		p.Before = 0
	} else {
		p.Before = min(p.Before+p.Runs[0].Deferred, 1<<30)
	}
	p.Runs = slices.Delete(p.Runs, 0, 1)
	return at - 1
}
