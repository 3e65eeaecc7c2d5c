package policy

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// checkpointTimer is the name of the timer of RW-20.
const checkpointTimer = "run.checkpoint"

// Checkpoint holds the counts of RW-20.
type Checkpoint struct {
	Generation int      `json:"generation,omitempty"` // of the timer; an older one is stale
	Waiting    bool     `json:"waiting,omitempty"`    // a timer of this generation is set
	Tasks      int      `json:"tasks,omitempty"`      // completed since the last checkpoint
	Silent     int      `json:"silent,omitempty"`     // checkpoints since the last event of the run
	First      *Quality `json:"first,omitempty"`      // of the run
	Last       Quality  `json:"last,omitzero"`
	Current    Quality  `json:"current,omitzero"` // of the current task
	Owed       Owed     `json:"owed,omitzero"`
}

type checkpointDetails struct {
	Generation int `json:"generation"`
}

// stop invalidates the timer: if it still expires it is stale.
func (c *Checkpoint) stop() {
	c.Generation++
	c.Waiting = false
}

// taskCheckpoint is RW-20 by completed tasks.
var taskCheckpoint = Rule{ID: "RW-20", On: run.Types(runevents.TypeTaskCompleted), Run: func(c *Context) {
	checkpoint := &c.state.Checkpoint
	if !c.state.goesOn() {
		return
	}
	if checkpoint.Tasks++; checkpoint.Tasks >= c.config.Checkpoint.Tasks && !c.halts() {
		c.checkpoint(fmt.Sprintf("%d tasks completed", checkpoint.Tasks))
	}
}}

// timedCheckpoint is RW-20 by time. A timer may expire late or twice, or be stale.
var timedCheckpoint = Rule{ID: "RW-20", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, data *events.TimerExpired) {
	var details checkpointDetails
	checkpoint := &c.state.Checkpoint
	if data.Name != checkpointTimer || json.Unmarshal(data.Details, &details) != nil || !checkpoint.Waiting || details.Generation != checkpoint.Generation {
		return
	}
	checkpoint.Waiting = false
	if !c.state.goesOn() {
		return
	}
	checkpoint.Silent++
	c.checkpoint(minutes(c.config.Checkpoint.Every) + " passed")
	if checkpoint.Silent < c.config.Checkpoint.Silent {
		c.startClock()
	}
})}

// keepTime keeps the timer set while the run is running (RW-20).
var keepTime = Rule{ID: "RW-20", On: run.EveryRunEvent(), Run: func(c *Context) {
	checkpoint := &c.state.Checkpoint
	checkpoint.Silent = 0
	if c.state.Place.Completed {
		checkpoint.stop()
		return
	}
	c.startClock()
}}

// goesOn reports whether the run can have checkpoints: it has neither ended nor been
// stopped.
func (s *State) goesOn() bool {
	state := s.Standing().State
	return !s.Place.Completed && (state == runevents.ControlRunning || state == runevents.ControlDraining)
}

// halts reports whether the event halts the run at once.
func (r report) halts() bool {
	return slices.ContainsFunc(r.Conclusions(), func(one run.Conclusion) bool {
		request, is := one.Data.(*runevents.WiggumBreak)
		return is && request.Kind == runevents.BreakHard
	})
}

// checkpoint reports the steps, decides whether the run continues, and resets both
// counters.
func (c *Context) checkpoint(due string) {
	c.state.Checkpoint.Tasks = 0
	c.state.Checkpoint.stop()
	policy := &runevents.PolicyCheckpoint{Steps: slices.Clone(c.config.Checkpoint.Steps), Decision: runevents.CheckpointContinue, Why: due}
	worse := c.degraded()
	switch spending := &c.state.Spending; {
	case worse != "":
		policy.Decision, policy.Why = runevents.CheckpointStop, due+": "+worse
	case spending.above(c.config.Checkpoint.StopAbovePercent):
		policy.Decision, policy.Why = runevents.CheckpointStop, fmt.Sprintf("%s: %s spent, more than %s%%", due, spending, number(c.config.Checkpoint.StopAbovePercent))
	}
	policy.Why = settle.Sentence(policy.Why)
	c.Conclude(runevents.TypePolicyCheckpoint, policy)
	c.owes()
	if policy.Decision == runevents.CheckpointStop {
		c.requestBreak(runevents.TriggerCheckpoint, "Checkpoint, "+policy.Why, []string{c.Event.ID})
	}
}

// startClock sets the timer of the next checkpoint unless it is already set.
func (c *Context) startClock() {
	checkpoint := &c.state.Checkpoint
	if checkpoint.Waiting || !c.state.goesOn() {
		return
	}
	checkpoint.Waiting = true
	c.SetTimer(checkpointTimer, c.Now().Add(c.config.Checkpoint.Every), checkpointDetails{checkpoint.Generation})
}
