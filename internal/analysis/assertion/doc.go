// Package assertion reads what pieces of test code check, and compares two readings: it
// distinguishes an equality from a presence check, a number from a wider tolerance, and
// an expected value from another one (E2).
//
// A piece need not be a whole file. Comments and strings are masked by package syntax;
// calls, conditions and chains are then parsed with a scanner that only matches brackets,
// so that it works on fragments in which a grammar finds only errors, and without cgo.
// The names that frameworks use are data (rules/assertion.yaml).
package assertion
