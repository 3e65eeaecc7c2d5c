// Package archeflow reads the event log of an ArcheFlow run, .archeflow/events/<run>.jsonl, as run events
// (docs/events.md): what started, which agents ran and how they ended, reviews, cycles and cost. What the
// log only refers to, such as the findings of a cycle and an agent's output, is read from the artifacts
// next to it if they exist.
//
// Shadows and breaks that ArcheFlow itself reports are claims of a source: scaffoldwatch judges the same
// facts by its own rules, so they are counted as noted and have no effect. The same goes for fix.applied,
// decision.point and decisions other than a revert after the merge, which are not facts of a run. Every
// other line without effect is reported as a problem.
package archeflow

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "archeflow"

// Agent is ArcheFlow, an orchestrator.
var Agent = agent.Agent{Name: Name, Page: "archeflow.md", Transcript: &Transcript}
