// Package workhours computes when people work (PL-51). Hours for starting work
// (rules/hours.yaml) and for notifications are configured separately.
package workhours
