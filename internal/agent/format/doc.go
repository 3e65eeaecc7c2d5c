// Package format is the contract between the reader of transcripts
// (internal/agent) and the formats it knows: what a format says about
// itself, what it is given, and how damage is counted.
package format
