package disguisedbuild

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// account is what is reported, each thing once.
type account struct{ *turn }

// fresh groups the twins of one edit, those that may fire first, and drops those that an
// announcement signaled a few turns ago.
func (r *account) fresh(list []twin) [][]twin {
	var groups [][]twin
	for i := range list {
		t := &list[i]
		if r.memory.recent(t.old.Symbol.Name, r.Turn.Turn, r.AnnouncedTurns) {
			continue
		}
		at := slices.IndexFunc(groups, func(g []twin) bool {
			return g[0].segment == t.segment && g[0].old.Symbol.Path == t.old.Symbol.Path && (g[0].logOnly == "") == (t.logOnly == "")
		})
		if at < 0 {
			groups = append(groups, []twin{*t})
		} else {
			groups[at] = append(groups[at], *t)
		}
	}
	return groups
}

// report returns one finding for the twins of one edit and one existing file.
func (r *account) report(group []twin) detect.Finding {
	t := &group[0]
	f := r.finding(&t.old, slices.ContainsFunc(group, func(t twin) bool { return t.duplicated }))
	f.Subclass, f.Subject, f.Confidence = t.subclass, subject(t), t.confidence
	for i := range group {
		f.Evidence = append(f.Evidence, evidence(r.Pass, &group[i]))
	}
	f.Message = r.message(group)
	f.Reason = fmt.Sprintf("%s does the work of %s, %s, and both stay.", quoted(&t.symbol), place(&t.old), origin(&t.old))
	if (t.logOnly == nameOnly || t.logOnly == otherHead && t.duplicated) && (&plans{r.turn}).announces() {
		t.logOnly, f.Confidence = "", r.config.Confidence.Announced
	}
	if t.logOnly == "" && r.leaves() {
		t.logOnly = "the plan says what becomes of the other"
	}
	if t.logOnly != "" {
		f.Cap, f.Floor = detect.LogOnly, 0
		f.Message = strings.Replace(f.Message, change, doubt, 1)
		f.Reason = fmt.Sprintf("%s looks like another version of %s, %s, but %s.", quoted(&t.symbol), place(&t.old), origin(&t.old), t.logOnly)
	}
	if r.asked(t) {
		f.Suppressed = detect.UserDirected
	}
	// A version that is declared as one is this, not an accidental duplicate.
	f.Leads = t.logOnly == "" && t.symbol.Kind != "file" && (t.subclass == "variant" || (&plans{r.turn}).announces())
	return f
}

// finding returns a finding with the figures for duplicating an existing thing; never
// forced.
func (t *turn) finding(old *duplicate.Candidate, duplicated bool) detect.Finding {
	f := detect.Finding{ReworkCost: cost, SelfCorrect: selfCorrect, Floor: queueFloor}
	if duplicated {
		f.ReworkCost = costDuplicated
	}
	if read(t.Pass, old.Symbol.Path) {
		f.SelfCorrect = selfCorrectRead
	}
	return f
}

// subject returns the new thing's name, with the other session if that has the existing
// one (SW-1).
func subject(t *twin) string {
	if t.old.Session != "" {
		return t.symbol.Name + " (session " + t.old.Session + ")"
	}
	return t.symbol.Name
}

// evidence returns the declaration, or the whole of a new file.
func evidence(p *detect.Pass, t *twin) sessionevents.Evidence {
	s := &p.Turn.Segments[t.segment]
	e := detect.Whole(s)
	if t.subclass != "file" {
		offset := 0
		for _, line := range s.Diff.Added() {
			if strings.Contains(line.Text, t.symbol.Name) {
				e = detect.At(s, offset, len(line.Text))
				break
			}
			offset += len(line.Text) + 1
		}
	}
	e.ConflictsWith = earlier(&t.old)
	return e
}

func earlier(c *duplicate.Candidate) *sessionevents.EarlierEvent {
	return &sessionevents.EarlierEvent{Turn: c.Turn, Session: c.Session, Path: c.Symbol.Path, Line: c.Symbol.Line, What: c.Symbol.Name}
}

// change is the action that a message suggests, doubt the one for a doubtful finding.
const (
	change = "instead of keeping two."
	doubt  = "if it can serve both."
)

func (r *account) message(group []twin) string {
	t := &group[0]
	what := quoted(&t.symbol)
	if more := group[1:]; len(more) > 0 {
		var names []string
		for i := range more[:min(len(more), r.Named-1)] {
			names = append(names, quoted(&more[i].symbol))
		}
		what += ", " + strings.Join(names, ", ")
		if left := len(more) - len(names); left > 0 {
			what += " and " + strconv.Itoa(left) + " more"
		}
		return fmt.Sprintf("%s in %s duplicate what is in %s (%s). Change those "+change,
			what, quote.Path(t.symbol.Path), quote.Path(t.old.Symbol.Path), origin(&t.old))
	}
	if t.symbol.Kind != "file" {
		what += " in " + quote.Path(t.symbol.Path)
	}
	return fmt.Sprintf("%s is a second version of %s (%s). Change that one "+change, what, place(&t.old), origin(&t.old))
}

func quoted(s *sessionevents.Symbol) string {
	if s.Kind == "file" {
		return quote.Path(s.Path)
	}
	return quote.Name(s.Name)
}

// place returns the location of the existing thing: "`name` in path:line".
func place(c *duplicate.Candidate) string {
	if c.Symbol.Kind == "file" {
		return quote.Path(c.Symbol.Path)
	}
	return quote.Name(c.Symbol.Name) + " in " + quote.Place(c.Symbol.Path, c.Symbol.Line)
}

// origin describes when it was built or seen.
func origin(c *duplicate.Candidate) string {
	switch {
	case c.Session != "":
		return "built by session " + quote.Name(c.Session)
	case c.InSession:
		return "built in turn " + strconv.Itoa(c.Turn)
	case c.Turn > 0:
		return "seen in turn " + strconv.Itoa(c.Turn)
	}
	return "in the codebase index"
}
