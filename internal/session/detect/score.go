package detect

import (
	"math"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
