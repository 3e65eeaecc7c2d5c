package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CodeCheckpointUndone is the code of a checkpoint without evidence that its steps were
// done (RW-20).
const CodeCheckpointUndone = "CHECKPOINT-UNDONE"

// Owed is the evidence about the steps of a checkpoint (RW-20). A step counts as missing
// only if its evidence would be visible: commits if infrastructure reports them, the
// handoff summary if the files of commits or turns are known.
type Owed struct {
	Facts    bool   `json:"facts,omitempty"`   // infrastructure reports commits
	Unsaved  string `json:"unsaved,omitempty"` // event that changed files since the last commit
	Handoff  bool   `json:"handoff,omitempty"` // the summary was written since the last checkpoint
	Due      string `json:"due,omitempty"`     // event of the checkpoint that has not been verified yet
	Uncommit string `json:"uncommitted,omitempty"`
}

// workSaved folds the evidence that work is committed and handed over (RW-20).
var workSaved = Rule{
	ID: "RW-20", Folds: true, On: run.Types(runevents.TypeGitCommit, runevents.TypeAgentCompleted,
		sessionevents.TypeTurnEvaluated),
	Run: func(c *Context) {
		owed := &c.state.Checkpoint.Owed
		switch d := c.Event.Data.(type) {
		case *runevents.GitCommit:
			if !c.Proven || d.Blocked {
				return
			}
			owed.Facts, owed.Unsaved, owed.Uncommit = true, "", ""
			owed.Handoff = owed.Handoff || c.config.handsOver(d.Files)
		case *runevents.AgentCompleted:
			c.unsaved(slices.Concat(d.FilesChanged, d.FilesCreated))
		case *sessionevents.TurnEvaluated:
			if d.Observed != nil {
				c.unsaved(d.Observed.FilesEdited)
			}
		}
	},
}

func (c *Context) unsaved(files []string) {
	owed := &c.state.Checkpoint.Owed
	owed.Handoff = owed.Handoff || c.config.handsOver(files)
	if len(files) > 0 {
		owed.Unsaved = c.Event.ID
	}
}

// handsOver reports whether the summary for the next session is among files.
func (c *Config) handsOver(files []string) bool {
	return slices.ContainsFunc(files, func(file string) bool {
		return slices.Contains(c.Checkpoint.Handoffs, strings.ToLower(path.Base(strings.ReplaceAll(file, `\`,
			"/"))))
	})
}

// owes starts to verify that the steps of a checkpoint are done.
func (c *Context) owes() {
	owed := &c.state.Checkpoint.Owed
	owed.Due, owed.Uncommit = c.Event.ID, owed.Unsaved
}

// checkpointDone is RW-20: by the next task boundary, or by the end, the steps of the
// checkpoint must be visible or reported.
var checkpointDone = Rule{
	ID: "RW-20", On: run.Types(runevents.TypeTaskCompleted, runevents.TypeRunCompleted),
	Run: func(c *Context) {
		owed := &c.state.Checkpoint.Owed
		due := owed.Due
		if due == "" || !owed.Facts {
			return
		}
		var undone []string
		if owed.Uncommit != "" {
			undone = append(undone, "what was changed before it was not committed since")
		}
		if !owed.Handoff {
			undone = append(undone, "no handoff summary was written")
		}
		evidence := []runevents.Reference{{Event: due}}
		if owed.Uncommit != "" {
			evidence = append(evidence, runevents.Reference{Event: owed.Uncommit})
		}
		owed.Due, owed.Uncommit, owed.Handoff = "", "", false
		if len(undone) > 0 {
			c.Warning(runevents.WarningIssued{
				Code: CodeCheckpointUndone, Rule: "RW-20", Evidence: evidence,
				What: fmt.Sprintf("The checkpoint asked to commit all work and to write the handoff summary (%s): %s.",
					strings.Join(c.config.Checkpoint.Handoffs, ", "), strings.Join(undone, ", and ")),
			})
		}
	},
}
