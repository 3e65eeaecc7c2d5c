// Package pipeline watches runs that go through phases (WorkRail, WorkTrain):
// whether each phase hands over what its contract asks for, and with what the
// next one may begin; whether subagents that judge are kept apart from what they
// judge; whether a crash loses or repeats work; whether the change is what was
// asked for (PL-1 … PL-10, PL-20, PL-40 … PL-42). It runs nothing, harvests no
// context and calls no model: everything it knows comes from events.
//
// The rules and their order are the list in rules.go; each idea has a file. The
// gates of phases and all that goes by the current phase begin once a run shows
// that it is a pipeline: its kind, a contract, an artifact, a workflow of
// WorkRail, or a gate asked ahead. Events that only pipelines have are judged
// wherever they come.
package pipeline
