// Package proof distinguishes what a stage committed from what another client made
// the broker store (EV-6): the checkpoint that ends each batch, its signature and
// its place in the stream (EV-7), and the check of a single message against it.
//
// Readers of whole streams and the public client share it, so that both accept
// the same messages.
package proof
