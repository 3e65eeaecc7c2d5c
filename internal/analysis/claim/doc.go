// Package claim reads what sentences claim (JD-10, JD-11, JD-16). A claim is a clause with
// a kind, a subject (the files, variables or addresses it names) and a scope (a count, new
// tests only, a suite, all of them). Headings, labels, plans, suppositions, remarks about
// what was read and text that is quoted claim nothing. The phrases are data
// (rules/claims.yaml); what shows a claim is the ledger's business.
package claim
