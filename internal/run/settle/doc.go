// Package settle decides what becomes of the conclusions that the layers of run
// watch reach about one event. It alone breaks a run: one open break per scope,
// upgraded by a harder one, noted otherwise (RW-32). It keeps escalations open
// until they are acknowledged (RW-41), holds gates while the run is stopped
// (RW-33), publishes the control states that changed, and closes the event with
// run.evaluated. It does not touch the interrupt budget (RW-40).
//
// [Config.Decide] has the shape of the budget's decider: state and conclusions in,
// decisions out, the state evolved by each [Decision].
package settle
