// Package conformance plays the rules of the specification as readable scenarios:
// a file of testdata holds input turns and, beside each, the events that the
// chain of ingest, evaluator and dispatcher derives from it (language: package
// scenario). Run with -update to rewrite the expectations; explain every
// difference. Detectors' own scripts count as scenarios of their rules.
//
// Every rule needs a firing and a silent scenario, every validator and special
// case a detector's doc.md names one more; docs/conformance.md is generated from
// them.
package conformance
