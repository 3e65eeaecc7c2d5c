// Package workhours computes working hours (PL-51). Hours for starting work
// (rules/hours.yaml) and for notifications are configured separately.
package workhours
