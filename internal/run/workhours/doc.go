// Package workhours says when people work (PL-51): the same hours are set apart
// for the start of work (rules/hours.yaml) and for notifications.
package workhours
