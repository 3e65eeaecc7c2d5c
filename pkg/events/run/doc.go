// Package run holds the payloads of events about runs: what orchestrators,
// infrastructure and people report of a run's lifecycle, and what is decided
// about it (gates, violations, breaks, escalations, control states). The
// constants Type… name the event types; package events holds their envelope and
// codec.
package run
