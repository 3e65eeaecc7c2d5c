package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// finding is a finding in a file, with its duplicates.
type finding struct {
	sessionreport.Finding
	session     string
	fingerprint string
	suppressed  string // reason why no action is needed
	times       int
}

// collect returns the findings that remain in files, one for each detector, subject and file. Of several,
// one that is not suppressed takes precedence, then the most urgent, then the latest.
func collect(models []sessionreport.Model) []finding {
	var found []finding
	at := map[string]int{}
	for _, m := range models {
		for _, f := range standing(m) {
			if !isFile(f.Path) {
				continue
			}
			i, seen := at[f.fingerprint]
			if !seen {
				at[f.fingerprint] = len(found)
				found = append(found, f)
				continue
			}
			times := found[i].times + f.times
			if better(f, found[i]) {
				found[i] = f
			}
			found[i].times = times
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(isSuppressed(a), isSuppressed(b)), cmp.Compare(b.Urgency, a.Urgency))
	})
	return found
}

func isSuppressed(f finding) int {
	if f.suppressed != "" {
		return 1
	}
	return 0
}

func better(a, b finding) bool {
	return cmp.Or(cmp.Compare(isSuppressed(b), isSuppressed(a)), cmp.Compare(a.Urgency, b.Urgency), 1) > 0
}

// standing returns the findings of a report that are still in the code at its end.
func standing(m sessionreport.Model) []finding {
	var all []finding
	add := func(f sessionreport.Finding, suppressed string) {
		all = append(all, finding{Finding: f, session: m.Session.ID, fingerprint: fingerprint(f), suppressed: suppressed, times: max(f.Times, 1)})
	}
	interrupts := map[string]sessionreport.Fired{} // by signal
	for _, i := range m.Interrupts {
		for _, signal := range i.Signals {
			interrupts[signal] = i
		}
	}
	for _, f := range m.Said {
		switch i := interrupts[f.Signal]; {
		case i.Dismissed:
			add(f, "dismissed as a false positive")
		case i.Heed != "heeded":
			add(f, "")
		}
	}
	for _, list := range [][]sessionreport.Finding{m.NotSent, m.Pending, m.Logged, m.Expired} {
		for _, f := range list {
			add(f, "")
		}
	}
	for _, f := range m.Suppressed {
		add(f, cmp.Or(f.Reason, "suppressed"))
	}
	return all
}

// fingerprint identifies a finding across runs: it contains neither line nor turn nor session, which
// change.
func fingerprint(f sessionreport.Finding) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Detector, f.Subclass, f.Path, f.Subject}, "\x00")))
	return hex.EncodeToString(sum[:16])
}
