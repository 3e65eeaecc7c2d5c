package detect

import (
	"math"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// found is a finding that is being turned into a signal.
type found struct {
	Finding
	by       *Detector
	observed bool // the detector is in observe mode (DP-25)
	// place is the span that the id is derived from; it is kept when findings are
	// combined.
	place string
}

// mergeRepeats merges the findings of a detector about the same subject. A suppressed
// finding merges only with others suppressed for the same reason, unless they share a
// place, since ids must be unique (EV-2). Weak places of code merge only with their kind:
// a place that is only logged is kept separate from one that is reported.
func mergeRepeats(list []found, evidence int) []found {
	return combine(list, evidence, func(a, b *found) bool {
		return a.by == b.by && a.Subject == b.Subject &&
			(a.place == b.place || a.Suppressed == b.Suppressed && (a.CWE == 0 || onlyLogged(a) == onlyLogged(b)))
	})
}

// onlyLogged reports whether a finding is only logged.
func onlyLogged(f *found) bool { return Published(&f.Finding) <= LogOnly }

// precedence orders the detectors that may find the same thing in three ways (SW-41a).
var precedence = []string{"A1", "A3", "C2"}

// oneThing folds A3 and C2 into A1, and C2 into A3, if they are about the same subject
// (SW-41a), unless one of them leads. A detector in observe mode takes no part, since it
// would silence another. If the first one is suppressed, the whole is suppressed, because
// the person asked for it (SW-42).
func oneThing(list []found, evidence int) []found {
	return combine(list, evidence, func(a, b *found) bool {
		return a.by != b.by && !a.observed && !b.observed && sameSubject(a.Subject, b.Subject) &&
			slices.Contains(precedence, a.by.ID) && slices.Contains(precedence, b.by.ID)
	})
}

func sameSubject(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// combine keeps the first of the findings that same groups together, in order of list,
// and adds the others' evidence to it.
func combine(list []found, evidence int, same func(a, b *found) bool) []found {
	var out []found
	for _, f := range list {
		at := slices.IndexFunc(out, func(o found) bool { return same(&o, &f) })
		if at < 0 {
			out = append(out, f)
			continue
		}
		absorb(&out[at], &f, evidence)
	}
	return out
}

// absorb adds other's evidence to f. A more urgent repeat of the same detector also
// replaces its figures and texts; another detector's finding about the same thing adds
// only its urgency.
func absorb(f, other *found, evidence int) {
	if f.by != other.by && other.Leads && !f.Leads {
		*f, *other = *other, *f
	}
	all := slices.Concat(f.Evidence, other.Evidence)
	switch {
	case f.by != other.by:
		f.keepUrgency(other)
	case stronger(&other.Finding, &f.Finding):
		f.Finding = other.Finding
	}
	f.Evidence = all[:min(len(all), evidence)]
}

// keepUrgency ensures that a combined finding is not less urgent than each of its parts
// (SW-41a): a cap of f's validators does not apply to what other reports.
func (f *found) keepUrgency(other *found) {
	least := Published(&other.Finding)
	if f.Suppressed != "" || other.Suppressed != "" || least <= Published(&f.Finding) {
		return
	}
	f.Floor = max(f.Floor, least)
	if f.Cap > 0 {
		f.Cap = max(f.Cap, least)
	}
	f.Confidence = max(f.Confidence, other.Confidence)
	f.Reason = strings.TrimSpace(f.Reason + " " + other.by.ID + " sees it as well, at " + least.String() + ": " + other.Reason)
}

func stronger(a, b *Finding) bool {
	if (a.Suppressed == "") != (b.Suppressed == "") {
		return a.Suppressed == ""
	}
	if a.Escalate != b.Escalate {
		return a.Escalate
	}
	if a.Forced != b.Forced {
		return a.Forced
	}
	return Published(a) > Published(b)
}

const (
	// ThinkingFactor multiplies the confidence of a lexical match in thinking (SW-5).
	ThinkingFactor = 0.6
	// ProposedCap limits the confidence of class B in a DIFF that was shown but not
	// written (SW-4). The suite applies it.
	ProposedCap = 0.80
	// EscalateAbove is the confidence above which B1 and B2 escalate (DP-3).
	EscalateAbove = 0.85
)

// Lexical returns the confidence of a phrase found in prose, lowered if the sentence is
// part of the thinking (SW-5).
func Lexical(confidence float64, thinking bool) float64 {
	if thinking {
		return confidence * ThinkingFactor
	}
	return confidence
}

// Published returns the urgency with which a signal is detected: formula, then floor,
// then cap; the cap takes precedence (DP-2, SW-31). The dispatcher accounts for
// commitment later.
func Published(f *Finding) sessionevents.Urgency {
	urgency := max(sessionevents.UrgencyOf(f.ReworkCost, f.SelfCorrect), f.Floor)
	if f.Cap > 0 {
		urgency = min(urgency, f.Cap)
	}
	return urgency
}

// normalise brings a finding's figures into their ranges: confidence in hundredths, cost
// 1–5, probability 0–1 (SW-30).
func normalise(f *Finding) {
	f.Confidence = clamp(f.Confidence)
	f.SelfCorrect = clamp(f.SelfCorrect)
	f.ReworkCost = min(max(f.ReworkCost, 1), 5)
}

func clamp(v float64) float64 {
	if !(v > 0) { // also true of NaN
		return 0
	}
	return math.Round(min(v, 1)*100) / 100
}
