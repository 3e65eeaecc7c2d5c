// Package archeflow reads the event log of an ArcheFlow run, .archeflow/events/<run>.jsonl, as run events
// (docs/events.md): what started, which agents ran and how they ended, reviews, cycles and cost. What the
// log only refers to, such as the findings of a cycle and an agent's output, is read from the artifacts
// next to it if they exist.
//
// What ArcheFlow itself judges and decides is counted as noted. Its shadows are passed on, since three of a
// kind in one cycle break a run by its own rule (RW-30); its breaks, fixes and decisions other than a revert
// after the merge have no effect: scaffoldwatch judges the same facts by its own rules. Every other line
// without effect is reported as a problem.
package archeflow

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "archeflow"

// Agent is ArcheFlow, an orchestrator.
var Agent = agent.Agent{Name: Name, Page: "archeflow.md", Transcript: &Transcript}
