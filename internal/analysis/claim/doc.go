// Package claim reads what sentences claim (JD-10, JD-11, JD-16). A claim is a clause
// with a kind, a subject (the files, variables or addresses it names) and a scope (a
// count, new tests only, a suite, all of them). Headings, labels, plans, suppositions,
// remarks about what was read and quoted text are not claims. The phrases are data
// (rules/claims.yaml); the ledger decides what proves a claim.
package claim
