// Package assemble builds the events of a transcript: it groups what a format
// reads into turns (SW-1), one per response with the results of its tools and
// the user messages before it, and gives each event its deterministic id, time
// and group (EV-2, EV-4).
package assemble
