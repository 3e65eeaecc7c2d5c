// Package control decides whether a run or a session may continue (RW-33): the order of
// the control
// states, the work that each of them stops, the projection of the decisions, and how far
// the bucket
// CONTROL is trusted (EV-8). No other package makes these decisions.
//
// The last proven control.changed about a run or session in DECISIONS decides. A
// session is as strict as its own state and that of its run.
package control
