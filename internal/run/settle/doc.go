// Package settle turns the conclusions of the layers of run watch about one event into
// decisions. It alone breaks a run: one open break per scope, upgraded by a harder one;
// other triggers are recorded on it (RW-32). It keeps escalations open until they are
// acknowledged (RW-41), holds gates while the run is stopped (RW-33), publishes the
// control states that changed, and closes the event with run.evaluated. It does not touch
// the interrupt budget (RW-40).
//
// [Config.Decide] has the shape of the budget's decider: state and conclusions in,
// decisions out, the state evolved by each [Decision].
package settle
