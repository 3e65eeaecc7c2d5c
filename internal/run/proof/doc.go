// Package proof is the layer of run watch in which gates take the ledger of done into
// account (PD-11): while they are open, claims that a check contradicts and weakened
// checks make the gates `merge` and `next_phase` warn or hold. A held gate opens by
// itself once the check passes, and an operator can open it, so that it never locks a
// run.
package proof
