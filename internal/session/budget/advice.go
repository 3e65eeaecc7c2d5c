package budget

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ordered matches a command that a message asks to run.
var ordered = pattern.Must("(?i)\\b(?:run|send) `([^`]*)`")

// advice returns the next step that a message suggests: the command it asks to run, the
// pair of files or the line it is about, or the detector's advice on the subject. The
// same step is given once, whatever the detector calls its subject (JD-42).
func advice(s *sessionevents.Signal) string {
	if m := ordered.FindStringSubmatch(s.Message); m != nil {
		return "run " + m[1]
	}
	if s.Class == sessionevents.ClassA && len(s.Evidence) > 0 {
		e := s.Evidence[0]
		if other := e.ConflictsWith; other != nil && other.Path != "" && e.Path != "" && other.Path != e.Path {
			pair := []string{path.Clean(e.Path), path.Clean(other.Path)}
			slices.Sort(pair)
			return string(s.Class) + " " + strings.Join(pair, " ")
		}
	}
	if s.Detector == "C4" { // the next step out of a loop is the same for each of its calls
		return s.Detector + " " + s.Subject
	}
	return s.Detector + " " + s.Subject + " " + nextStep(s.Message)
}

// nextStep returns the last sentence of a message.
func nextStep(message string) string {
	text := strings.TrimSuffix(strings.TrimSpace(message), ".")
	if i := strings.LastIndex(text, ". "); i >= 0 {
		return text[i+2:]
	}
	if i := strings.LastIndex(text, "; "); i >= 0 {
		return text[i+2:]
	}
	return text
}

// adviseOnce removes queued signals whose advice was given since they were queued and has
// not been followed: repeating it requires a new fact (JD-42).
func adviseOnce(w *work) {
	for _, e := range slices.Clone(w.session.Queue) {
		if into := w.given(e.Signal); into != "" {
			holding{w}.adviseAgain(candidate{signal: e.Signal, urgency: e.Urgency}, into)
		}
	}
}

// given returns the signal whose interrupt gave the same advice, or "" if there was none,
// it was followed, or the repeat has since grown long enough to be a new fact.
func (w *work) given(s *sessionevents.Signal) string {
	if k, ok := w.session.streak(s); ok && (k.Said == 0 || k.Fresh() >= w.config.OncePerStreak.AgainAfter) {
		return "" // a repeat that started again, or continued for long, is a new fact (C4)
	}
	now := advice(s)
	for _, f := range slices.Backward(w.session.Fired) {
		if f.Advice == now && !f.Followed && f.Signal != s.ID {
			return f.Signal
		}
	}
	return ""
}
