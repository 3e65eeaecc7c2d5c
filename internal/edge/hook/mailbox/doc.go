// Package mailbox holds what is pending for each agent: interrupts that fired and were not yet emitted, and
// whether it must stop. It follows DECISIONS, keeps nothing that is not recorded there, and reads what was
// decided before about a session when its first hook is called (ADR 67). Each emission is recorded as
// interrupt.delivery, so that nothing is emitted twice (DP-20, DP-21, EV-8).
package mailbox
