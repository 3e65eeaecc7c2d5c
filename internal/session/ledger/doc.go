// Package ledger keeps the ledger of done of a session: changes, checks and their
// results, promises, and the primary's claims, with a verdict on each claim (PD-1, PD-2).
// It is part of the evaluator's session state, like the registry: pure, bounded, and
// stored as JSON. Phrases are data (rules/ledger.yaml).
package ledger
