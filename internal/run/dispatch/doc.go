// Package govern is the dispatcher stage whole: the sessions' interrupt budget
// (package dispatch) beside the layers of run watch. For each event the sessions
// decide first, then run, wave and pipeline conclude in this order, and the run
// fold settles their conclusions: one break per trigger, escalations that stay
// open, the control state (RW-32, RW-33, RW-41).
package dispatch
