// Package ledger keeps the ledger of done of a session: what was changed, what was
// checked and with what result, what was promised, and what the primary claims, with a
// verdict on each claim (PD-1, PD-2). It is session state of the evaluator, beside the
// registry: pure, bounded, and stored as JSON. Phrases are data (rules/ledger.yaml).
package ledger
