package duplicatebuild

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// announcements returns findings for things that PLAN announces (RF01–RF03) and that
// already exist. If the turn's DIFFs build or touch the thing, these are reported
// instead.
func (d *instance) announcements(p *detect.Pass, m *memory) []detect.Finding {
	var out []detect.Finding
	for _, hit := range p.Additions.RedFlags {
		if hit.ID != "RF01" && hit.ID != "RF03" || hit.Segment >= len(p.Turn.Segments) {
			continue
		}
		if f, ok := d.announcedFile(p, m, &hit); ok {
			out = append(out, f)
			continue
		}
		if f, ok := d.announcedWork(p, m, &hit); ok {
			out = append(out, f)
			continue
		}
		a, ok := d.read(&p.Turn.Segments[hit.Segment], &hit)
		if !ok || d.measure.ConventionalName(a.symbol.Name) && !d.exactly(p, &a) || touched(p, a.symbol.Name) {
			continue
		}
		key := similarity.Key(a.symbol.Name)
		if slices.Contains(m.Announced, key) {
			continue
		}
		if f, ok := d.announcedThing(p, &hit, a); ok {
			m.Announced = append(m.Announced, key)
			m.Announced = slices.Clone(m.Announced[max(0, len(m.Announced)-d.AnnouncementsKept):])
			out = append(out, f)
		}
	}
	return out
}

// exactly reports whether a name of one word, "a slugify function", is exactly that of an
// existing function or class.
func (d *instance) exactly(p *detect.Pass, a *announcement) bool {
	if a.purpose || a.symbol.Kind == "" || !d.measure.OneWord(a.symbol.Name) {
		return false
	}
	same := func(b registry.Built) bool { return b.Gone == 0 && b.Symbol.Name == a.symbol.Name }
	return slices.ContainsFunc(p.Before.Known(a.symbol.Name), same) || slices.ContainsFunc(p.Before.BuiltNamed(a.symbol.Name), same)
}

// touched reports whether a DIFF of this turn builds the thing, or edits something of
// that name.
func touched(p *detect.Pass, name string) bool {
	key := similarity.Key(name)
	same := func(i registry.SegmentItem[registry.Built]) bool { return similarity.Key(i.Item.Symbol.Name) == key }
	return slices.ContainsFunc(p.Additions.Built, same) || slices.ContainsFunc(p.Additions.Edited, same) || slices.ContainsFunc(p.Additions.Removed, same)
}

// announcement is a thing that a sentence names, with its place.
type announcement struct {
	symbol  sessionevents.Symbol
	segment *sessionevents.Segment
	// The offset and length of the name in the segment's text.
	offset, length int
	purpose        bool // the name describes the thing's purpose rather than being an identifier
}

// read finds the name in the sentence of a red flag.
func (d *instance) read(s *sessionevents.Segment, hit *sessionevents.RedFlagHit) (announcement, bool) {
	if hit.Offset > len(s.Text) {
		return announcement{}, false
	}
	rest := s.Text[hit.Offset:]
	if end := sentenceEnd.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	m := d.announced.FindStringSubmatchIndex(rest)
	if m == nil || d.config.Announced.Not.MatchString(rest) || slices.Contains(d.config.Announced.Others, firstWord(rest[m[1]:])) {
		return announcement{}, false
	}
	a := announcement{segment: s}
	group := func(name string) (from, to int) {
		n := 2 * d.announced.SubexpIndex(name)
		return m[n], m[n+1]
	}
	for _, name := range []string{"code", "words", "purpose"} {
		if from, to := group(name); from >= 0 {
			a.offset, a.length, a.purpose = hit.Offset+from, to-from, name == "purpose"
			a.symbol.Name = rest[from:to]
		}
	}
	for _, name := range []string{"before", "noun", "after", "kind"} {
		if from, to := group(name); from >= 0 {
			a.symbol.Kind = d.kinds[strings.ToLower(rest[from:to])]
		}
	}
	if a.purpose {
		a.symbol.Name = d.purposeName(a.symbol.Name)
	}
	return a, a.symbol.Name != ""
}

// firstWord returns the first word of a text in lower case.
func firstWord(text string) string {
	text = strings.TrimLeft(text, " `")
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(text)
	}
	return strings.ToLower(text[:end])
}

// purposeName returns a verb and its object: "format the dates of orders" gives "format
// dates".
func (d *instance) purposeName(said string) string {
	words := strings.Fields(said)
	if end := slices.IndexFunc(words, func(w string) bool { return slices.Contains(d.config.Announced.Ends, w) }); end >= 0 {
		words = words[:end]
	}
	words = slices.DeleteFunc(words, func(w string) bool { return len(prose.Terms(w)) == 0 }) // the, our …
	return strings.Join(words, " ")
}

// sentenceEnd matches the end of a sentence, but not within names such as "api.Client".
var sentenceEnd = pattern.MustRE2(`[.;!?](?:\s|$)|\n\s*\n|\n\s*[-*#\d]`)

// announcedThing judges one announcement by the best candidate.
func (d *instance) announcedThing(p *detect.Pass, hit *sessionevents.RedFlagHit, a announcement) (detect.Finding, bool) {
	for _, c := range d.measure.Candidates(p, &a.symbol) {
		score := c.Overlap.Name
		if !c.Overlap.SameKind || d.measure.ConventionalFile(c.Symbol.Path) || score < d.Substantial {
			continue
		}
		f := d.score(p, &c, a.symbol.Kind, hit.Segment)
		f.Subclass, f.Subject = "announced", subject(&a.symbol, &c)
		f.Confidence = detect.Lexical(score*d.config.Confidence.Announced, hit.Thinking)
		e := detect.At(a.segment, a.offset, a.length)
		e.ConflictsWith = earlier(&c)
		f.Evidence = []sessionevents.Evidence{e}
		f.Message = fmt.Sprintf("The plan builds a new %s; %s exists (%s). Reuse or extend it instead of building another.", quoted(&a.symbol), place(&c), origin(&c))
		f.Reason = fmt.Sprintf("The announced name overlaps by %.2f with %s.", score, place(&c))
		if hit.Thinking || a.purpose || score < sameWords {
			f.Cap, f.Floor = detect.LogOnly, 0
		}
		if d.named(p, &a.symbol) {
			f.Suppressed = detect.UserDirected
		}
		return f, true
	}
	return detect.Finding{}, false
}

// announcedFile judges the announcement of a file: an existing one of that name elsewhere
// is as relevant as after it is written.
func (d *instance) announcedFile(p *detect.Pass, m *memory, hit *sessionevents.RedFlagHit) (detect.Finding, bool) {
	s := &p.Turn.Segments[hit.Segment]
	rest := s.Text[min(hit.Offset, len(s.Text)):]
	if end := sentenceEnd.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	at := d.announcedPath.FindStringSubmatchIndex(rest)
	if at == nil || d.config.Announced.Not.MatchString(rest) {
		return detect.Finding{}, false
	}
	from, to := at[2*d.announcedPath.SubexpIndex("file")], at[2*d.announcedPath.SubexpIndex("file")+1]
	name := rest[from:to]
	if d.measure.ConventionalFileName(name) || d.measure.ConventionalFile(name) || slices.Contains(m.Announced, name) || writes(p, name) {
		return detect.Finding{}, false
	}
	for _, f := range p.Before.FilesAlike(name) {
		if similarity.Names(stem(name), stem(f.Path)) < sameWords || strings.Contains(name, "/") && duplicate.SameFile(name, f.Path) || d.measure.ConventionalFile(f.Path) {
			continue
		}
		old := sessionevents.Symbol{Name: f.Path, Kind: "file", Path: f.Path}
		c := duplicate.Candidate{Built: registry.Built{Symbol: old, Turn: f.Turn}, InSession: f.Written}
		m.Announced = bounded(m.Announced, name, d.AnnouncementsKept)
		finding := d.score(p, &c, "file", hit.Segment)
		finding.Subclass, finding.Subject = "announced", name
		finding.Confidence = detect.Lexical(d.File.Unseen*d.config.Confidence.Announced, hit.Thinking)
		e := detect.At(s, hit.Offset+from, to-from)
		e.ConflictsWith = earlier(&c)
		finding.Evidence = []sessionevents.Evidence{e}
		finding.Message = fmt.Sprintf("The plan creates %s; %s exists (%s). Extend that file instead of adding another of the name.", name, f.Path, origin(&c))
		finding.Reason = fmt.Sprintf("The announced file is called like %s.", f.Path)
		if hit.Thinking {
			finding.Cap, finding.Floor = detect.LogOnly, 0
		}
		symbol := sessionevents.Symbol{Name: name, Kind: "file", Path: name}
		if d.named(p, &symbol) {
			finding.Suppressed = detect.UserDirected
		}
		return finding, true
	}
	return detect.Finding{}, false
}

// writes reports whether the turn writes a file of that name, which is reported instead.
func writes(p *detect.Pass, name string) bool {
	return slices.ContainsFunc(p.Additions.FilesWritten, func(w registry.SegmentItem[registry.FileWritten]) bool {
		return duplicate.SameFile(w.Item.Path, name)
	})
}

// sameWords is the minimum similarity at which an announced name counts as equal to
// another.
const sameWords = 0.9
