// Package dispatch is the dispatcher stage: the sessions' interrupt budget and the layers
// of run watch. For each event the sessions decide first, then policy, wave, pipeline and
// intent draw conclusions in this order, and package settle turns these into decisions:
// one break per trigger, escalations that stay open, the control state (RW-32, RW-33,
// RW-41).
package dispatch
