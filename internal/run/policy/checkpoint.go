package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// checkpointTimer is the name of the timer behind RW-20.
const checkpointTimer = "run.checkpoint"

// Checkpoint is what RW-20 counts.
type Checkpoint struct {
	Generation int      `json:"generation,omitempty"` // of the timer; an older one is stale
	Waiting    bool     `json:"waiting,omitempty"`    // a timer of this generation is set
	Tasks      int      `json:"tasks,omitempty"`      // completed since the last checkpoint
	Silent     int      `json:"silent,omitempty"`     // checkpoints since the run was last heard of
	First      *Quality `json:"first,omitempty"`      // of the run
	Last       Quality  `json:"last,omitzero"`
	Current    Quality  `json:"current,omitzero"` // of the task at work
}

type checkpointDetails struct {
	Generation int `json:"generation"`
}

// stop forgets the timer: what still goes off is stale.
func (c *Checkpoint) stop() {
	c.Generation++
	c.Waiting = false
}

// taskCheckpoint is RW-20 by completed tasks.
func (f *fold) taskCheckpoint() {
	if _, is := f.in.Event.Data.(*runevents.TaskCompleted); !is || !f.goesOn() {
		return
	}
	c := &f.state.Checkpoint
	if c.Tasks++; c.Tasks >= f.Checkpoint.Tasks && !f.halts() {
		f.checkpoint(fmt.Sprintf("%d tasks completed", c.Tasks))
	}
}

// timedCheckpoint is RW-20 by time.
func (f *fold) timedCheckpoint(data *events.TimerExpired) {
	var details checkpointDetails
	c := &f.state.Checkpoint
	if json.Unmarshal(data.Details, &details) != nil || !c.Waiting || details.Generation != c.Generation {
		return
	}
	c.Waiting = false
	if !f.goesOn() {
		return
	}
	c.Silent++
	f.checkpoint(minutes(f.Checkpoint.Every) + " passed")
	if c.Silent < f.Checkpoint.Silent {
		f.startClock()
	}
}

// goesOn reports whether checkpoints make sense: not after the run's end and not
// while it stands still.
func (f *fold) goesOn() bool {
	state := f.state.standing().State
	return !f.state.Place.Completed && (state == runevents.ControlRunning || state == runevents.ControlDraining)
}

// halts reports whether the event halts the run at once.
func (f *fold) halts() bool {
	return slices.ContainsFunc(f.v.Conclusions(), func(c verdict.Conclusion) bool {
		wish, is := c.Data.(*runevents.WiggumBreak)
		return is && wish.Scope != runevents.ScopeSession && isHard(wish)
	})
}

// checkpoint tells the steps and decides whether the run goes on; both counters
// begin again.
func (f *fold) checkpoint(due string) {
	c := &f.state.Checkpoint
	c.Tasks = 0
	c.stop()
	policy := &runevents.PolicyCheckpoint{Steps: slices.Clone(f.Checkpoint.Steps), Decision: "continue", Why: due}
	worse := f.degraded()
	switch spending := &f.state.Spending; {
	case worse != "":
		policy.Decision, policy.Why = "stop", due+": "+worse
	case spending.above(f.Checkpoint.StopAbovePercent):
		policy.Decision, policy.Why = "stop", fmt.Sprintf("%s: %s spent, more than %s%%", due, spending, number(f.Checkpoint.StopAbovePercent))
	}
	policy.Why = sentence(policy.Why)
	f.v.Tell(runevents.TypePolicyCheckpoint, policy)
	if policy.Decision == "stop" {
		f.breaks(runevents.TriggerCheckpoint, "Checkpoint, "+policy.Why, []string{f.in.Event.ID})
	}
}

// keepTime lets the clock run while the run does.
func (f *fold) keepTime() {
	c := &f.state.Checkpoint
	c.Silent = 0
	if f.state.Place.Completed {
		c.stop()
		return
	}
	f.startClock()
}

func (f *fold) startClock() {
	c := &f.state.Checkpoint
	if c.Waiting || !f.goesOn() {
		return
	}
	c.Waiting = true
	f.v.Timer(checkpointTimer, verdict.At(verdict.Now(f.in).Add(f.Checkpoint.Every)), checkpointDetails{c.Generation})
}

func minutes(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

// sentence ends with a full stop.
func sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
