// Package archeflow reads the event log of an ArcheFlow run,
// .archeflow/events/<run>.jsonl, as run events (docs/events.md): what started, which
// agents ran and how they ended, reviews, cycles and money. What the log only
// points at, the findings of a cycle and what an agent wrote, is read from the
// artifacts beside it where they are there.
//
// Shadows and breaks that ArcheFlow reports itself are claims of a source:
// scaffoldwatch judges the same facts by its own rules, so they are reported as
// noted and lead to nothing. fix.applied, decision.point and decisions other than
// a revert after the merge are not facts of a run. Every other line that leads to
// nothing is reported as a problem.
package archeflow

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "archeflow"

// Agent is ArcheFlow, an orchestrator.
var Agent = agent.Agent{Name: Name, Page: "archeflow.md", Transcript: &Transcript}
