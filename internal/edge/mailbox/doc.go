// Package mailbox holds what waits to be said to each agent: interrupts that were
// fired and not yet emitted, and whether it must stop. It follows DECISIONS and
// the bucket CONTROL, keeps nothing that they do not hold, and starts anew from
// them; what was emitted is recorded as interrupt.delivery, so that nothing is
// said twice (DP-20, DP-21, EV-8).
package mailbox
