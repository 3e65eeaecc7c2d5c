// Package subjects maps events to the NATS subjects and streams of the pipeline
// and back (EV-4, EV-5).
package subjects
