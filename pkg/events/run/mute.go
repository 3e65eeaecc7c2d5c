package run

import (
	"encoding/json"
	"fmt"
	"time"
)

// MuteScope is how much a mute silences (DP-25).
type MuteScope string

// Scopes of a mute. A session or project mute does not affect B1 and B2 escalations; only
// a mute that names the detector or the subject silences those.
const (
	MuteDetector MuteScope = "detector"
	MuteSubject  MuteScope = "subject"
	MuteSession  MuteScope = "session"
	MuteProject  MuteScope = "project"
)

// MuteDetails is the details object of operator.act mute. Turns counts from the session's
// current turn; Until is an RFC 3339 time; without either, the mute lasts as long as the
// session's state.
type MuteDetails struct {
	Scope    MuteScope  `json:"scope"`
	Detector string     `json:"detector,omitempty"`
	Subject  string     `json:"subject,omitempty"`
	Turns    int        `json:"turns,omitempty"`
	Until    *time.Time `json:"until,omitempty"`
}

// ParseMute reads and validates the details of a mute, so that the edges can refuse an
// invalid one before it is published.
func ParseMute(act *OperatorAct) (MuteDetails, error) {
	var d MuteDetails
	if err := json.Unmarshal(act.Details, &d); err != nil {
		return d, fmt.Errorf("read mute details: %w", err)
	}
	if d.Turns < 0 {
		return d, fmt.Errorf("mute for %d turns: use 1 or more", d.Turns)
	}
	return d, d.Scope.Check(d.Detector, d.Subject)
}

// Check returns an error for an unknown scope, and for a scope whose required detector or
// subject is empty.
func (s MuteScope) Check(detector, subject string) error {
	switch {
	case s == MuteDetector && detector == "":
		return fmt.Errorf("a mute of scope detector requires a detector")
	case s == MuteSubject && subject == "":
		return fmt.Errorf("a mute of scope subject requires a subject")
	case s == MuteDetector, s == MuteSubject, s == MuteSession, s == MuteProject:
		return nil
	}
	return fmt.Errorf("scope %q: use detector, subject, session or project", s)
}
