// Package dispatch is the dispatcher stage: the sessions' interrupt budget beside
// the layers of run watch. For each event the sessions decide first, then policy,
// wave, pipeline and intent conclude in this order, and package settle decides what
// becomes of their conclusions: one break per trigger, escalations that stay open,
// the control state (RW-32, RW-33, RW-41).
package dispatch
