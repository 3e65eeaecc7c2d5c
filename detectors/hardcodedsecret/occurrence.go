package hardcodedsecret

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// occurrence is a marker in an added line.
type occurrence struct {
	segment  *sessionevents.Segment
	offset   int // bytes into the DIFF's text: added lines joined by newlines
	length   int
	line     int // in the new file, 0 if unknown
	text     string
	variable string
	secret   sessionevents.SecretFinding
	// own is set if the name that makes it a credential is on the same line.
	own bool
}

// occurrences returns the secrets that the turn adds to files, in order. A value that the
// same turn removes from the file, or that the file contained before, only moves.
func (d *instance) occurrences(m *memory, t *sessionevents.TurnSegmented) []occurrence {
	removed := map[knownSecret]bool{}
	for i := range t.Segments {
		if s := &t.Segments[i]; detect.Written(s) {
			for _, line := range s.Diff.Removed() {
				for _, marker := range redact.Markers(line.Text) {
					removed[knownSecret{s.Path, marker.Fingerprint}] = true
				}
			}
		}
	}
	var out []occurrence
	known := byMarker(t.Secrets)
	for i := range t.Segments {
		s := &t.Segments[i]
		if !detect.Written(s) {
			continue
		}
		for _, o := range addedTo(s, known) {
			if !removed[knownSecret{s.Path, o.secret.Fingerprint}] && !m.knows(s.Path, o.secret.Fingerprint) {
				out = append(out, o)
			}
		}
	}
	return withoutSpread(out)
}

// withoutSpread drops unnamed occurrences of literals that only their name makes a
// credential, if the turn contains the named one elsewhere: ingest marks every occurrence
// of such a value (SW-7), such as the image "postgres" next to a password "postgres".
func withoutSpread(all []occurrence) []occurrence {
	named := map[string]bool{}
	for i := range all {
		if all[i].own {
			named[all[i].secret.Fingerprint] = true
		}
	}
	return slices.DeleteFunc(all, func(o occurrence) bool {
		return !o.own && o.secret.Tier == sessionevents.SecretNamedLiteral && named[o.secret.Fingerprint]
	})
}

// explained holds what ingest reported about the marked values, by rule and fingerprint.
type explained map[[2]string][]sessionevents.SecretFinding

func byMarker(secrets []sessionevents.SecretFinding) explained {
	out := explained{}
	for _, s := range secrets {
		key := [2]string{s.Rule, s.Fingerprint}
		out[key] = append(out[key], s)
	}
	return out
}

func addedTo(s *sessionevents.Segment, known explained) []occurrence {
	var out []occurrence
	offset := 0
	for n, line := range s.Diff.Added() {
		for _, marker := range redact.Markers(line.Text) {
			o := occurrence{segment: s, offset: offset + marker.Start, length: marker.End - marker.Start, line: line.Number, text: line.Text}
			if o.line == 0 && s.Diff.Op == sessionevents.DiffCreate {
				o.line = n + 1
			}
			o.secret = attributes(marker, s.Path, known)
			o.own = owns(known[[2]string{marker.Rule, marker.Fingerprint}], line.Text[:marker.Start])
			if o.variable = o.secret.Variable; o.variable == "" || !strings.Contains(line.Text[:marker.Start], o.variable) {
				o.variable = variableBefore(line.Text[:marker.Start])
			}
			out = append(out, o)
		}
		offset += len(line.Text) + 1
	}
	return out
}

// owns reports whether the value follows one of the names under which it was found.
func owns(found []sessionevents.SecretFinding, before string) bool {
	return slices.ContainsFunc(found, func(s sessionevents.SecretFinding) bool {
		return s.Variable != "" && strings.Contains(before, s.Variable)
	})
}

// attributes returns what ingest reported about a marked value, preferably in this file. A marker
// without a report (it arrived as a marker) counts as a literal of unknown kind.
func attributes(marker redact.MarkerSpan, path string, known explained) sessionevents.SecretFinding {
	found := sessionevents.SecretFinding{Rule: marker.Rule, Fingerprint: marker.Fingerprint, Tier: "entropy", Confidence: 0.4}
	for _, s := range known[[2]string{marker.Rule, marker.Fingerprint}] {
		better := s.Confidence > found.Confidence
		if found.Length == 0 || better || s.Path == path && found.Path != path {
			found = s
		}
	}
	return found
}

// variableBefore returns the name before a value on its line, "" if there is none.
func variableBefore(s string) string {
	s = strings.TrimRight(s, " \t\"'`([{=:>,&+\\")
	end := len(s)
	start := end
	for start > 0 && (text.IsWord(s[start-1]) || s[start-1] == '-' && start > 1 && text.IsWord(s[start-2])) {
		start--
	}
	return strings.Trim(s[start:end], "-")
}
