package sessionreport

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// What a report keeps of the ledger: the latest claims and checks.
const (
	maxClaims = 100
	maxChecks = 50
)

// Done is the ledger of done: what the primary claims with a verdict on each, what was
// checked, changed and promised (PD-1 … PD-3).
type Done struct {
	// Claims are the latest, the worst first: contradicted, unproven, not checkable, proven.
	Claims   []sessionevents.Claim              `json:"claims"`
	Verdicts map[sessionevents.Verdict]int      `json:"verdicts"` // of all claims
	Checks   []sessionevents.LedgerRun          `json:"checks"`   // the latest, in order
	Runs     int                                `json:"checks_run"`
	Changes  map[sessionevents.MutationKind]int `json:"changes"`
	// Open are promises that were not completed, in order.
	Open      []sessionevents.Promise `json:"open_promises"`
	Completed int                     `json:"completed_promises"`
	// Receipts are the results of checks run at a person's request, the latest last (JD-21).
	Receipts []sessionevents.CheckObserved `json:"receipts,omitempty"`
}

// doneFold keeps what turns add to the ledger.
type doneFold struct {
	claims   []sessionevents.Claim
	verdicts map[sessionevents.Verdict]int
	checks   []sessionevents.LedgerRun
	runs     int
	changes  map[sessionevents.MutationKind]int
	promises []sessionevents.Promise
	receipts []sessionevents.CheckObserved
}

func (f *doneFold) apply(c *sessionevents.LedgerChange) {
	if c == nil {
		return
	}
	if f.verdicts == nil {
		f.verdicts, f.changes = map[sessionevents.Verdict]int{}, map[sessionevents.MutationKind]int{}
	}
	claims := SentencesOnce(c.Claims)
	for _, claim := range claims {
		f.verdicts[claim.Verdict]++
	}
	for kind, n := range c.Mutations {
		f.changes[kind] += n
	}
	f.runs += len(c.Checks)
	f.claims = text.Newest(append(f.claims, claims...), maxClaims)
	f.checks = text.Newest(append(f.checks, c.Checks...), maxChecks)
	for _, p := range c.Promises {
		same := func(o sessionevents.Promise) bool { return o.Source == p.Source && o.Text == p.Text }
		if i := slices.IndexFunc(f.promises, same); i >= 0 {
			f.promises[i] = p
		} else {
			f.promises = text.Newest(append(f.promises, p), maxClaims)
		}
	}
}

// SentencesOnce keeps one claim of each sentence: one that is read in two ways, "lint is clean,
// tests pass", is a line with the worst of its verdicts.
func SentencesOnce(claims []sessionevents.Claim) []sessionevents.Claim {
	var out []sessionevents.Claim
	for _, c := range claims {
		same := func(o sessionevents.Claim) bool {
			return o.Turn == c.Turn && o.Segment == c.Segment && o.Offset == c.Offset && o.Text == c.Text
		}
		switch i := slices.IndexFunc(out, same); {
		case i < 0:
			out = append(out, c)
		case slices.Index(worstFirst, c.Verdict) < slices.Index(worstFirst, out[i].Verdict):
			out[i] = c
		}
	}
	return out
}

var worstFirst = []sessionevents.Verdict{sessionevents.Contradicted, sessionevents.Unproven, sessionevents.NotCheckable, sessionevents.Proven}

// result is the ledger so far, nil while there is none.
func (f *doneFold) result() *Done {
	if f.verdicts == nil && f.receipts == nil {
		return nil
	}
	d := &Done{
		Claims: slices.Clone(f.claims), Verdicts: map[sessionevents.Verdict]int{}, Checks: append([]sessionevents.LedgerRun{}, f.checks...), Runs: f.runs,
		Changes: map[sessionevents.MutationKind]int{}, Open: []sessionevents.Promise{},
	}
	for verdict, n := range f.verdicts {
		d.Verdicts[verdict] = n
	}
	for kind, n := range f.changes {
		d.Changes[kind] = n
	}
	for i := range f.receipts {
		d.receive(&f.receipts[i])
	}
	d.sort()
	for _, p := range f.promises {
		switch {
		case p.Status == sessionevents.TodoCompleted:
			d.Completed++
		case p.Status == sessionevents.TodoCancelled:
		case p.Source == sessionevents.PromiseTask && p.Status == sessionevents.TodoInProgress:
			// A request that was worked on: whether it is done is not known.
		default:
			d.Open = append(d.Open, p)
		}
	}
	if d.Claims == nil {
		d.Claims = []sessionevents.Claim{}
	}
	return d
}

func final(c sessionevents.Claim) int {
	if c.Final {
		return 1
	}
	return 0
}

// Worst is the worst verdict of a claim with which a response or the session ended.
func (d *Done) Worst() sessionevents.Verdict {
	for _, c := range d.Claims {
		if c.Final {
			return c.Verdict
		}
	}
	return sessionevents.Proven
}
