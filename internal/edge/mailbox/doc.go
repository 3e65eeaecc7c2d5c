// Package mailbox holds what waits to be said to each agent: interrupts that were
// fired and not yet emitted, and whether it must stop. It follows DECISIONS, keeps
// nothing that is not recorded there, and starts anew from it; what was emitted is
// recorded as interrupt.delivery, so that nothing is said twice (DP-20, DP-21, EV-8).
package mailbox
