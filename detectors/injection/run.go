package injection

import (
	"fmt"
	"hash/fnv"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// inTests is the reason of SW-40.
const inTests = "SW-40: a test file"

// place is a match and its segment.
type place struct {
	codepattern.Match
	segment *sessionevents.Segment
}

// Run reports the places of a turn; those of one file, function and kind of sink share a
// subject.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	flag := detect.Flagged(p, d.config.RedFlags, d.config.PlanWords)
	if flag != nil {
		m.FlagTurn = p.Turn.Turn
	}
	raised := m.FlagTurn > 0 && p.Turn.Turn-m.FlagTurn <= 1
	places, edited := d.places(p, m)
	findings := d.findings(places, raised)
	if flag != nil && !edited {
		findings = append(findings, d.planned(p, flag))
	}
	return findings
}

// places returns the new places that the turn writes or shows; edited reports whether it
// writes any code.
func (d *instance) places(p *detect.Pass, m *memory) (list []place, edited bool) {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !detect.Written(s) {
			continue
		}
		edited = true
		found, unread := d.engine.Read(p.Reader, s, nil)
		p.Unread(s, unread)
		found = append(found, d.templates.Read(s)...)
		m.forgetRemoved(s)
		list = append(list, d.fresh(s, found, m)...)
	}
	return list, edited
}

// fresh returns the places that no earlier edit contained. Equal lines of one function
// are numbered, so that each counts once; among places on one line with one weakness, the
// most certain counts.
func (d *instance) fresh(s *sessionevents.Segment, found []codepattern.Match, m *memory) []place {
	var list []place
	var keys []detect.Place
	numbers := detect.Numbers{}
	for _, match := range surest(found) {
		key := numbers.Next(placeOf(s.Path, &match))
		if keys = append(keys, key); s.Proposed || !m.Known.Know(key) {
			list = append(list, place{match, s})
		}
	}
	if !s.Proposed {
		m.Known.Add(keys, d.Remembered)
	}
	return list
}

// surest keeps, among matches on one line with one weakness, the one with the highest
// confidence.
func surest(found []codepattern.Match) []codepattern.Match {
	var out []codepattern.Match
	for _, m := range found {
		at := slices.IndexFunc(out, func(o codepattern.Match) bool {
			return o.Line == m.Line && (m.Line > 0 || o.Offset == m.Offset) && o.Rule.CWE == m.Rule.CWE
		})
		switch {
		case at < 0:
			out = append(out, m)
		case m.Confidence > out[at].Confidence:
			out[at] = m
		}
	}
	return out
}

// possible ends the subject of places that are only logged, so that they do not share a
// signal with reported ones.
const possible = " (possible)"

// placesPerSignal bounds the places of one function in a signal.
const placesPerSignal = 8

func (d *instance) findings(places []place, raised bool) []detect.Finding {
	cost := d.cost(places)
	var out []detect.Finding
	numbers := map[string]int{}
	for i := range places {
		if len(out) == d.PerTurn {
			out[len(out)-1].Reason += fmt.Sprintf(" The turn writes %d more.", len(places)-i)
			break
		}
		f := d.finding(&places[i], cost, raised)
		if f.Cap == detect.LogOnly {
			f.Subject += possible
		}
		if numbers[f.Subject]++; numbers[f.Subject] > placesPerSignal {
			f.Subject += fmt.Sprintf(" (%d)", (numbers[f.Subject]-1)/placesPerSignal+1)
		}
		out = append(out, f)
	}
	return out
}

// cost grows with the number of reported places of a turn outside tests: more than a few
// suggest that the whole design is at fault.
func (d *instance) cost(places []place) int {
	n := 0
	for i := range places {
		if places[i].Confidence >= d.LogOnlyBelow && !d.files.Is(places[i].segment.Path, files.AnyTest) {
			n++
		}
	}
	switch {
	case n >= d.ManyPlaces:
		return d.CostMany
	case n >= d.FewPlaces:
		return d.CostFew
	}
	return d.CostSingle
}

func (d *instance) finding(o *place, cost int, raised bool) detect.Finding {
	e := detect.At(o.segment, o.Offset, o.Length)
	if e.Line == 0 {
		e.Line = o.Line
	}
	e.Flow = o.Flow
	f := detect.Finding{
		Subclass: category(o), CWE: o.Rule.CWE, Subject: subject(o), Confidence: o.Confidence,
		ReworkCost: cost, SelfCorrect: d.SelfCorrect,
		Evidence: []sessionevents.Evidence{e}, Message: message(o), Reason: reason(o), Fix: o.Rule.Fix,
	}
	if raised && o.Origin < codepattern.CLI && f.Confidence < d.RaisedConfidence {
		f.Confidence = d.RaisedConfidence
		f.Reason += " The plan says that the user sends it."
	}
	switch {
	case f.Confidence >= d.FloorFrom:
		f.Floor = sessionevents.Urgency(math.Round(d.Floor * 10))
	case f.Confidence < d.LogOnlyBelow:
		f.Cap = detect.LogOnly
	}
	// It never escalates without an identified source that a user controls.
	f.Escalate = f.Confidence > detect.EscalateAbove && o.Origin >= codepattern.Input
	if d.files.Is(o.segment.Path, files.AnyTest) {
		f.Suppressed = inTests
	}
	return f
}

// memory is B2's state of a session. It is bounded by the rule data.
type memory struct {
	// Known are places already reported, the oldest first.
	Known detect.Places `json:"k,omitempty"`
	// FlagTurn is the last turn whose plan contained RF08, 0 for none.
	FlagTurn int `json:"f,omitempty"`
}

// placeOf identifies a match by its file and first line of code, the rule, the enclosing function and
// the number among equal lines there.
func placeOf(path string, m *codepattern.Match) detect.Place {
	k := detect.Place{Key: lineKey(path, firstLine(m.Statement)) + "/" + short36(m.Rule.ID), Function: "-"}
	if m.Function != "" {
		k.Function = short36(m.Function)
	}
	return k
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

func lineKey(path, line string) string {
	return short36(path[strings.LastIndexByte(path, '/')+1:] + "\x00" + strings.TrimSpace(line))
}

func short36(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// forgetRemoved drops the places whose line an edit removes without adding it again: if
// it is added later, it is new.
func (m *memory) forgetRemoved(s *sessionevents.Segment) {
	if len(m.Known) == 0 || s.Proposed {
		return
	}
	kept, gone := map[string]bool{}, map[string]bool{}
	for _, l := range s.Diff.Added() {
		kept[strings.TrimSpace(l.Text)] = true
	}
	for _, l := range s.Diff.Removed() {
		if line := strings.TrimSpace(l.Text); line != "" && !kept[line] {
			gone[lineKey(s.Path, line)] = true
		}
	}
	m.Known.Forget(gone)
}

// maxCode bounds the quote of a source or callee in a message, in bytes.
const maxCode = 40

func subject(o *place) string {
	where := o.Function
	if where == "" {
		where = short(o.Callee)
	}
	if o.segment.Path == "" {
		return category(o) + " " + where
	}
	return o.segment.Path + " " + category(o) + " " + where
}

// category returns the kind of sink: named by the rule's flow, or by a label if the
// pattern alone is sufficient.
func category(o *place) string {
	if o.Rule.Flow == nil {
		return o.Rule.Labels["category"]
	}
	return o.Rule.Flow.Category
}

// message returns file, line, what reaches what, and the fix.
func message(o *place) string {
	file := "the proposed code"
	if o.segment.Path != "" {
		file = quote.Path(path.Base(o.segment.Path))
	}
	at := "In " + file
	if o.Line > 0 {
		at += fmt.Sprintf(" line %d", o.Line)
	}
	if o.Rule.Flow == nil {
		return fmt.Sprintf("%s %s: %s; %s.", at, quote.WholeCode(short(o.Callee), 1, "this call"), o.Rule.Message, o.Rule.Fix)
	}
	what, callee := quote.WholeCode(short(o.Source), 1, "a value"), quote.WholeCode(short(o.Callee), 1, "a call")
	if strings.HasPrefix(what, "`") && strings.HasPrefix(callee, "`") {
		what = "a value" // only one quotation (JD-40)
	}
	return fmt.Sprintf("%s %s reaches %s: %s; %s.", at, what, callee, o.Rule.Message, o.Rule.Fix)
}

// short returns code on one line without blanks, cut to what fits into a message.
func reason(o *place) string {
	if o.Rule.Flow == nil {
		return fmt.Sprintf("CWE-%d: %s, whatever is read later.", o.Rule.CWE, o.Rule.Message)
	}
	from := map[codepattern.Origin]string{
		codepattern.Request: "comes from a request", codepattern.Input: "comes from input or a message",
		codepattern.CLI: "comes from the command line", codepattern.Parameter: "is a parameter of the function",
		codepattern.Unknown: "has an origin that the edit does not show", codepattern.Internal: "comes from configuration",
	}[o.Origin]
	if o.Tier == "regex" {
		from = "was not followed, since this build has no syntax trees"
	}
	return fmt.Sprintf("CWE-%d: the value that reaches %s %s.", o.Rule.CWE, o.Rule.Labels["sink"], from)
}

// short is code on one line without blanks, cut to what a message can hold.
func short(s string) string {
	return text.Cut(strings.Join(strings.Fields(s), ""), maxCode)
}

// planned returns the finding about an announcement without code.
func (d *instance) planned(p *detect.Pass, hit *sessionevents.RedFlagHit) detect.Finding {
	return detect.Finding{
		Subclass: "announced", Subject: "announced injection", Confidence: detect.Lexical(d.PlanConfidence, hit.Thinking),
		ReworkCost: d.CostSingle, SelfCorrect: d.SelfCorrect, Cap: detect.LogOnly,
		Message:  "The plan passes what the user sends on directly; validate it, or use parameters and argument lists.",
		Reason:   "A phrase of the red-flag catalogue (" + hit.ID + ") names something that can be injected into.",
		Evidence: detect.AtFlag(p, hit),
	}
}
