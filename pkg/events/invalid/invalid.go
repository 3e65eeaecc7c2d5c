// Package invalid defines the error of a refused event: a code, the field, the problem and its cure
// (EV-3).
package invalid

import "fmt"

// Code classifies what is wrong with an event (EV-3).
type Code string

// Codes of an [Error].
const (
	NotCloudEvent    Code = "not_cloudevent"    // neither binary nor structured mode
	BadAttribute     Code = "bad_attribute"     // an envelope attribute is unusable
	MissingAttribute Code = "missing_attribute" // id, source, type or subject is empty
	UnknownType      Code = "unknown_type"
	BadID            Code = "bad_id" // session, run or agent id
	TooLarge         Code = "too_large"
	TooDeep          Code = "too_deep"
	NotUTF8          Code = "not_utf8"
	BadData          Code = "bad_data" // not JSON, or not of the type's shape
	MissingField     Code = "missing_field"
	BadValue         Code = "bad_value" // outside its enumeration, or contradicting the envelope
	BadSubject       Code = "bad_subject"
)

// Error describes why an event is refused (EV-3): the field, the problem and the cure.
// Dead letters carry it as their reason.
type Error struct {
	Code    Code   `json:"code"`
	Field   string `json:"field,omitempty"` // path, e.g. "data.session" or "ce-id"
	Problem string `json:"problem"`
	Cure    string `json:"cure,omitempty"`
	Err     error  `json:"-"` // cause, may be nil
}

// Error returns field, problem, cause and cure in one line.
func (e *Error) Error() string {
	s := e.Problem
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Err != nil {
		s = fmt.Sprintf("%s: %v", s, e.Err)
	}
	if e.Cure != "" {
		s += " (" + e.Cure + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Quote quotes hostile text, cut to 80 bytes, so that an error stays one line.
func Quote(s string) string {
	if len(s) > 80 {
		return fmt.Sprintf("%q…", s[:80])
	}
	return fmt.Sprintf("%q", s)
}
