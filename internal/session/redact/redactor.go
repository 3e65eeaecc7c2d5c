package redact

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Scanner finds secrets; *secrets.Scanner is one.
type Scanner interface {
	// Find returns the secrets of a text in order, without overlaps.
	Find(text, path string) []secrets.Finding
	// FindNamed checks a whole text as the value of a name.
	FindNamed(name, text, path string) []secrets.Finding
	// Fingerprint returns a keyed hash of a value, 12 hex digits.
	Fingerprint(value string) string
	// Check returns a keyed hash of a value that is cheaper than Fingerprint but proves
	// less.
	Check(value string) uint32
	// TestFile reports whether a path is used only by tests.
	TestFile(path string) bool
}

// Redactor replaces secrets by markers. It is read-only after New.
type Redactor struct {
	scanner  Scanner
	pathKeys map[string]bool
}

// New returns a redactor. PathKeys are the keys of a tool's input that name the file it
// works on.
func New(scanner Scanner, pathKeys []string) *Redactor {
	r := &Redactor{scanner: scanner, pathKeys: map[string]bool{}}
	for _, k := range pathKeys {
		r.pathKeys[k] = true
	}
	return r
}

// Turn returns a redacted copy of t and its secrets, one entry per marker, with the
// block, the place in it and the offset of the marker; Segment is -1 until the segmenter
// locates the marker (package segment). It shares parts without secrets with t and
// never changes t. Ids of session and run are not redacted, since EV-3 validates them.
func (r *Redactor) Turn(t sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding) {
	return r.turn(t, nil)
}

func (r *Redactor) turn(t sessionevents.Turn, m *Memory) (sessionevents.Turn, []sessionevents.SecretFinding) {
	c := r.collectTurn(t)
	found := r.run(&c.collection, m)
	if len(found) == 0 {
		return t, nil
	}
	return c.rebuild(), found
}

// JSON returns a redacted copy of any JSON value. Without secrets it is byte-identical,
// so that unknown fields, their order and their numbers are kept (EV-3). The secrets'
// Block is -1. Invalid JSON is redacted as text.
func (r *Redactor) JSON(raw json.RawMessage) (json.RawMessage, []sessionevents.SecretFinding) {
	return r.json(raw, nil)
}

func (r *Redactor) json(raw json.RawMessage, m *Memory) (json.RawMessage, []sessionevents.SecretFinding) {
	c := collection{}
	d := r.collectJSON(&c, raw, -1, "", "")
	found := r.run(&c, m)
	if len(found) == 0 {
		return raw, nil
	}
	return d.rebuild(&c), found
}

// Text redacts a text that belongs to the file path, "" for none.
func (r *Redactor) Text(text, path string) (string, []sessionevents.SecretFinding) {
	return r.text(text, path, nil)
}

func (r *Redactor) text(text, path string, m *Memory) (string, []sessionevents.SecretFinding) {
	c := collection{}
	c.add(leaf{text: text, path: path, block: -1})
	found := r.run(&c, m)
	return c.leaves[0].text, found
}

// Message returns the text of an error, a log line or a dead-letter reason without
// secrets (SW-7), "" for a nil error.
func (r *Redactor) Message(err error) string {
	if err == nil {
		return ""
	}
	text, _ := r.Text(err.Error(), "")
	return text
}
