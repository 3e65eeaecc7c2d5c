package events

import "fmt"

// Code says what kind of thing is wrong with an event (EV-3).
type Code string

// Codes of an [InvalidError].
const (
	CodeNotCloudEvent    Code = "not_cloudevent"    // neither binary nor structured mode
	CodeBadAttribute     Code = "bad_attribute"     // an envelope attribute is unusable
	CodeMissingAttribute Code = "missing_attribute" // id, source, type or subject is empty
	CodeUnknownType      Code = "unknown_type"
	CodeBadID            Code = "bad_id" // session, run or agent id
	CodeTooLarge         Code = "too_large"
	CodeTooDeep          Code = "too_deep"
	CodeNotUTF8          Code = "not_utf8"
	CodeBadData          Code = "bad_data" // not JSON, or not of the type's shape
	CodeMissingField     Code = "missing_field"
	CodeBadValue         Code = "bad_value" // outside its enumeration, or against the envelope
	CodeBadSubject       Code = "bad_subject"
)

// InvalidError says why an event is refused (EV-3), where, and what would cure
// it. It is the reason that stands in the dead-letter stream.
type InvalidError struct {
	Code    Code   `json:"code"`
	Field   string `json:"field,omitempty"` // path, e.g. "data.session" or "ce-id"
	Problem string `json:"problem"`
	Cure    string `json:"cure,omitempty"`
	Err     error  `json:"-"` // cause, may be nil
}

// Error is one line: field, problem, cause and cure.
func (e *InvalidError) Error() string {
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
func (e *InvalidError) Unwrap() error { return e.Err }

func badID(field, value string) *InvalidError {
	return &InvalidError{
		Code: CodeBadID, Field: field, Problem: fmt.Sprintf("id %s cannot be part of a subject", Quote(value)),
		Cure: "use 1 to 128 of the characters A-Z a-z 0-9 _ -",
	}
}

// Quote quotes hostile text so that an error stays one short line.
func Quote(s string) string {
	if len(s) > 80 {
		return fmt.Sprintf("%q…", s[:80])
	}
	return fmt.Sprintf("%q", s)
}
