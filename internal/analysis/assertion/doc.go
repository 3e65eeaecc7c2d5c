// Package assertion reads what pieces of test code check, and compares two readings:
// an equality and a presence check differ, a number and a wider tolerance, an
// expected value and another one (E2).
//
// A piece need not be a whole file. Comments and strings are masked by package syntax;
// calls, conditions and chains are then read with a scanner that knows brackets, so that
// it works on fragments in which a grammar finds only errors, and without cgo. What the
// frameworks call things is data (rules/assertion.yaml).
package assertion
