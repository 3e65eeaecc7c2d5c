package duplicatebuild

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// report returns one finding for the repeats of one file in another.
func (x *doubles) report(group []repeat) detect.Finding {
	r := &group[0]
	f := x.score(&r.old, r.symbol.Kind, r.segment)
	f.Subclass, f.Subject = r.thing, subject(&r.symbol, &r.old)
	f.Confidence = r.score * x.config.Confidence.Built
	for i := range group {
		if group[i].logOnly == r.logOnly {
			f.Evidence = append(f.Evidence, evidence(x.Pass, &group[i]))
		}
	}
	f.Message = x.message(group)
	f.Reason = fmt.Sprintf("%s overlaps by %.2f with %s%s.", quoted(&r.symbol), r.score, place(&r.old), known(&r.old.Overlap))
	if r.logOnly != "" {
		f.Cap, f.Floor = detect.LogOnly, 0
		f.Reason = strings.TrimSuffix(f.Reason, ".") + "; log only: " + r.logOnly + "."
	}
	if x.named(&r.symbol) {
		f.Suppressed = detect.UserDirected
	}
	return f
}

// subject returns the new thing's name, with the other session if that has it (SW-1).
func subject(s *sessionevents.Symbol, old *duplicate.Candidate) string {
	if old.Session != "" {
		return s.Name + " (session " + old.Session + ")"
	}
	return s.Name
}

// evidence returns the declaration, or the whole of a new file.
func evidence(p *detect.Pass, r *repeat) sessionevents.Evidence {
	segment := &p.Turn.Segments[r.segment]
	text := detect.Text(segment)
	from, to := 0, max(strings.IndexByte(text, '\n'), 0)
	if r.thing == "symbol" {
		from, to = declaration(segment, text, &r.symbol)
	}
	e := detect.At(segment, from, to-from)
	e.ConflictsWith = earlier(&r.old)
	return e
}

func earlier(c *duplicate.Candidate) *sessionevents.EarlierEvent {
	return &sessionevents.EarlierEvent{
		Turn: c.Turn, Session: c.Session, Path: c.Symbol.Path, Line: c.Symbol.Line, What: c.Symbol.Name + c.Symbol.Signature,
	}
}

// declaration returns the added line that declares a symbol: the one with its line
// number, otherwise the first that names it; 0, 0 if there is none.
func declaration(segment *sessionevents.Segment, text string, s *sessionevents.Symbol) (from, to int) {
	added := segment.Diff.Added()
	at := 0
	for i, line := range strings.Split(text, "\n") {
		declares := code.Holds(line, s.Name)
		if s.Line > 0 && i < len(added) && added[i].Number > 0 {
			declares = declares && added[i].Number == s.Line
		}
		if declares {
			trimmed := strings.TrimSpace(line)
			from = at + strings.Index(line, trimmed)
			return from, from + len(trimmed)
		}
		at += len(line) + 1
	}
	return 0, 0
}

func (x *doubles) message(group []repeat) string {
	r := &group[0]
	verb := "repeats"
	if r.score < x.Substantial {
		verb = "resembles"
	}
	switch {
	case len(group) > 1:
		return fmt.Sprintf("%s in %s repeat what %s holds (%s). %s.", x.names(group), r.symbol.Path, r.old.Symbol.Path, origin(&r.old), advice(r, len(group)))
	case r.symbol.Kind == "file":
		return fmt.Sprintf("%s %s %s (%s). %s.", r.symbol.Path, verb, place(&r.old), origin(&r.old), advice(r, 1))
	}
	return fmt.Sprintf("%s in %s %s %s (%s). %s.", quote.Name(r.symbol.Name), r.symbol.Path, verb, place(&r.old), origin(&r.old), advice(r, 1))
}

// advice returns what to do instead, in the direction of the request: if code is moved,
// the old place imports the new one; a script exports nothing, so both import a third.
func advice(r *repeat, n int) string {
	it, copies := "it", "its copy"
	if n > 1 {
		it, copies = "them", "its copies"
	}
	switch {
	case r.logOnly == beingMoved:
		return fmt.Sprintf("Import %s from %s in %s and delete %s", it, r.symbol.Path, r.old.Symbol.Path, copies)
	case r.logOnly == runByHand:
		return fmt.Sprintf("Put %s into a module that both import", it)
	case r.symbol.Kind == "file":
		return "Extend that file instead of keeping two"
	case n > 1:
		return "Import them from there instead of keeping two"
	}
	return "Reuse or extend that instead of keeping two"
}

// names lists the first few names of a group.
func (x *doubles) names(group []repeat) string {
	var names []string
	for i := range group[:min(len(group), x.Named)] {
		names = append(names, quoted(&group[i].symbol))
	}
	if more := len(group) - len(names); more > 0 {
		return strings.Join(names, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

func quoted(s *sessionevents.Symbol) string {
	if s.Kind == "file" {
		return s.Path
	}
	return quote.Name(s.Name)
}

// known lists the measures that an overlap is based on.
func known(o *duplicate.Overlap) string {
	var parts []string
	for _, m := range []struct {
		name string
		duplicate.Part
	}{{"parameters", o.Signature}, {"calls", o.Calls}, {"body", o.Body}} {
		if m.Known {
			parts = append(parts, fmt.Sprintf("%s %.2f", m.name, m.Value))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(" (name %.2f, %s)", o.Name, strings.Join(parts, ", "))
}

// place returns the location of the earlier thing: "`name` in path:line".
func place(c *duplicate.Candidate) string {
	if c.Symbol.Kind == "file" {
		return c.Symbol.Path
	}
	where := c.Symbol.Path
	if where == "" {
		return quote.Name(c.Symbol.Name)
	}
	if c.Symbol.Line > 0 {
		where += ":" + strconv.Itoa(c.Symbol.Line)
	}
	return quote.Name(c.Symbol.Name) + " in " + where
}

// origin describes when it was built or seen.
func origin(c *duplicate.Candidate) string {
	switch {
	case c.Session != "":
		return "built by session " + c.Session
	case c.InSession:
		return "built in turn " + strconv.Itoa(c.Turn)
	case c.Turn > 0:
		return "seen in turn " + strconv.Itoa(c.Turn)
	}
	return "codebase index"
}
