package detect

import (
	"slices"
	"strings"
)

// found is a finding on its way to becoming a signal.
type found struct {
	Finding
	by       *Detector
	observed bool // the detector is in observe mode (DP-25)
	// place is the span the id is made of; it stays when findings are combined.
	place string
}

// mergeRepeats makes one of the findings of a detector about the same subject.
// A suppressed one meets only others suppressed for the same reason, unless they
// stand in the same place: ids must stay unique (EV-2).
func mergeRepeats(list []found, evidence int) []found {
	return combine(list, evidence, func(a, b *found) bool {
		return a.by == b.by && a.Subject == b.Subject &&
			(a.Suppressed == b.Suppressed || a.place == b.place)
	})
}

// precedence orders the detectors that see one thing in three ways (SW-41a).
var precedence = []string{"A1", "A3", "C2"}

// oneThing folds A3 and C2 into A1, and C2 into A3, where they are about the
// same subject (SW-41a). A detector that is only observed takes no part, or it
// would silence another.
func oneThing(list []found, evidence int) []found {
	return combine(list, evidence, func(a, b *found) bool {
		return a.by != b.by && !a.observed && !b.observed && sameSubject(a.Subject, b.Subject) &&
			slices.Contains(precedence, a.by.ID) && slices.Contains(precedence, b.by.ID)
	})
}

func sameSubject(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// combine keeps the first of the findings that same puts together, in order of
// list, and gives it the others' evidence.
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

// absorb adds other's evidence to f; a more urgent repeat of the same detector
// also lends its figures and words.
func absorb(f, other *found, evidence int) {
	all := slices.Concat(f.Evidence, other.Evidence)
	if f.by == other.by && stronger(&other.Finding, &f.Finding) {
		f.Finding = other.Finding
	}
	f.Evidence = all[:min(len(all), evidence)]
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
