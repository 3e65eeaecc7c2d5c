package intent

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// sessionTurn folds the turn of a session.
var sessionTurn = Rule{ID: "PL-32", Folds: true, On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, data *sessionevents.TurnEvaluated) {
	c.state.session(clip(data.Session, 128), data.Turn, c.config.Kept.Sessions)
})}

// agentWorked and phaseWorked record that work was done.
var (
	agentWorked = Rule{ID: "PL-33", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: func(c *Context) { c.state.Worked = true }}
	phaseWorked = Rule{ID: "PL-33", Folds: true, On: run.Types(runevents.TypePhaseCompleted), Run: func(c *Context) { c.state.Worked = true }}
)

// editing lists the types of events that show edits.
var editing = run.Types(sessionevents.TypeTurnEvaluated, runevents.TypeAgentCompleted, runevents.TypeGitCommit)

// sourceEdited folds which source file was edited. Notes and documents do not count,
// since a discovery phase writes those.
var sourceEdited = Rule{ID: "PL-32", Folds: true, On: editing, Run: func(c *Context) {
	var files []string
	switch data := c.Event.Data.(type) {
	case *sessionevents.TurnEvaluated:
		if data.Observed != nil {
			files, c.session = data.Observed.FilesEdited, data.Session
		}
	case *runevents.AgentCompleted:
		files, c.session = slices.Concat(data.FilesChanged, data.FilesCreated), data.Session
	case *runevents.GitCommit:
		files = data.Files
	}
	if at := c.config.firstSource(files); at >= 0 {
		c.edited, c.working = files[at], true
	}
}}

// firstSource returns the index of the first file that is not a document, or -1.
func (c *Config) firstSource(files []string) int {
	return slices.IndexFunc(files, func(file string) bool {
		return !slices.Contains(c.Documents, strings.ToLower(path.Ext(file)))
	})
}

// editWhilePaused is PL-33: no file is edited while the run waits for an answer.
var editWhilePaused = Rule{ID: "PL-33", On: editing, Run: func(c *Context) {
	if r := c.state.waiting(); c.working && r != nil && r.Default == "" {
		c.violateOnce("PL-33", CodePausedEdit, r.ID, fmt.Sprintf("%s was edited while the run is paused until an operator answers: %s.", c.config.text(c.edited), r.choice()), r.Event)
	}
}}

// firstEdit is PL-32: a run with a ticket resolves intent, so the checkpoint must precede
// the first edit. A run without one is checked when a checkpoint is published.
var firstEdit = Rule{ID: "PL-32", On: editing, Run: func(c *Context) {
	s := c.state
	if !c.working || s.FirstEdit != nil {
		return
	}
	s.FirstEdit = &Edit{Event: c.Event.ID, Session: clip(c.session, 128), Path: c.config.text(c.edited)}
	if s.Ticket != nil && s.Checkpoint == nil && !s.Skip {
		c.earlyEdit(s.FirstEdit)
	}
}}

// workBegins folds where the implementation starts: at its phase or at an edit, and no
// later than the end of the run.
var workBegins = Rule{ID: "PL-33", Folds: true, On: run.Types(runevents.TypePhaseStarted, runevents.TypeRunCompleted), Run: func(c *Context) {
	switch data := c.Event.Data.(type) {
	case *runevents.PhaseStarted:
		c.working = c.config.implementation(data.Phase)
	case *runevents.RunCompleted:
		c.working = c.state.Worked || c.state.FirstEdit != nil
	}
}}

// working lists the types of events at which the implementation can start. What must
// exist by then is reported once.
var working = append(editing, runevents.TypePhaseStarted, runevents.TypeRunCompleted)

// councilSkipped is PL-33: a council that is due is held before work starts.
var councilSkipped = Rule{ID: "PL-33", On: working, Run: func(c *Context) {
	if s := c.state; c.working && s.Due != "" && s.Council == nil {
		c.warnOnce("PL-33", CodeCouncilSkipped, s.Checkpoint.Event, "Work began though a council is due.", s.Checkpoint.Event)
	}
}}

// structuralTask reports whether assumptions must be stated even if everything else
// is skipped (PL-37, PL-38).
func (c *Config) structuralTask(checkpoint *Checkpoint) bool {
	return checkpoint != nil && slices.Contains(c.StructuralTasks, checkpoint.TaskType)
}

// skippedReading is PL-37: the agent still states its interpretation in one line.
func (c *Context) skippedReading() {
	if checkpoint := c.state.Checkpoint; checkpoint == nil || checkpoint.Interpretation == "" {
		c.violateOnce("PL-37", CodeSkipInterpretation, "", "Intent resolution is skipped, but no interpretation in one line was given.")
	}
}

// skippedIntent is PL-37: the requirements for a run that skips intent resolution.
var skippedIntent = Rule{ID: "PL-37", On: working, Run: func(c *Context) {
	s := c.state
	if !c.working || !s.Skip {
		return
	}
	c.skippedReading()
	if c.config.structuralTask(s.Checkpoint) && s.Assumptions == "" {
		c.violateOnce("PL-37", CodeSkipAssumptions, "", fmt.Sprintf("A %s task skips no assumptions, and none were stated.", s.Checkpoint.TaskType), s.Checkpoint.Event)
	}
}}
