// Package weakcrypto finds weak cryptography in the code that an agent writes (B3).
//
// The patterns are rules of codepattern, one file per language; this package infers from
// the names around a match whether it protects something: a password, a token, a session,
// a signature, a cookie, a key.
package weakcrypto

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

//go:embed doc.md
var doc string

// Detector is the B3 detector.
var Detector = &detect.Detector{
	ID: "B3", Name: "weakcrypto", Class: sessionevents.ClassB,
	Title: "Weak cryptography",
	Doc:   doc, Rules: []string{"B3", "SW-4", "SW-40", "SW-44"},
	New: newInstance,
}

// NewState returns the session's memory.
func (d *instance) NewState() any { return &memory{} }
