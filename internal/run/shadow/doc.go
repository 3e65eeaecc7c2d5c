// Package shadow detects shadows in the evaluator: behaviour of an agent (RW-1 …
// RW-7) or of a run (RW-10 … RW-16) that is disconnected from the goal, and
// prompts that hold too much (RW-22). It emits signals; the dispatcher decides what
// follows from them.
//
// When each is evaluated:
//
//   - archetypes: when an agent completes, and when its review or its proposal
//     comes after that;
//   - RW-10, RW-11, the phases of RW-13 and the findings of RW-22: at the end of
//     a phase, a cycle and the run;
//   - RW-12, RW-16: when a Maker completes; the spawns of RW-13, the lessons and
//     the prompt of RW-22: when the agent is spawned or the memory injected;
//     RW-14: when the finding is reported again;
//   - RW-15: when a run of the project completes.
//
// The rules and their order are the list in rules.go. The same facts are reported
// once: a review reported by two events counts once, and a system shadow is reported
// once per cycle. An agent that completes again is a new occurrence.
package shadow
