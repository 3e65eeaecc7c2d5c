// Package run holds the payloads of events about runs: what orchestrators, infrastructure
// and people report about a run's lifecycle, and the decisions about it (gates,
// violations, breaks, escalations, control states). The constants Type… name the event
// types; package events holds their envelope and codec.
package run
