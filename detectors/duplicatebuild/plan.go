package duplicatebuild

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// plans finds announcements of things that exist.
type plans struct{ *turn }

// announcements returns findings for things that PLAN announces (RF01–RF03) and that
// already exist. If the turn's DIFFs build or touch the thing, these are reported
// instead.
func (x *plans) announcements() []detect.Finding {
	var out []detect.Finding
	for _, hit := range x.Additions.RedFlags {
		if hit.ID != "RF01" && hit.ID != "RF03" || hit.Segment >= len(x.Turn.Segments) {
			continue
		}
		if f, ok := x.announcedFile(&hit); ok {
			out = append(out, f)
			continue
		}
		if f, ok := x.announcedWork(&hit); ok {
			out = append(out, f)
			continue
		}
		a, ok := x.read(&x.Turn.Segments[hit.Segment], &hit)
		if !ok || x.measure.ConventionalName(a.symbol.Name) && !x.exactly(&a) || touched(x.Pass, a.symbol.Name) {
			continue
		}
		key := similarity.Key(a.symbol.Name)
		if slices.Contains(x.memory.Announced, key) {
			continue
		}
		if f, ok := x.announcedThing(&hit, a); ok {
			x.memory.Announced = text.Newest(append(x.memory.Announced, key), x.AnnouncementsKept)
			out = append(out, f)
		}
	}
	return out
}

// exactly reports whether a name of one word, "a slugify function", is exactly that of an
// existing function or class.
func (x *plans) exactly(a *announcement) bool {
	if a.purpose || a.symbol.Kind == "" || !x.measure.OneWord(a.symbol.Name) {
		return false
	}
	same := func(b registry.Built) bool { return b.Gone == 0 && b.Symbol.Name == a.symbol.Name }
	return slices.ContainsFunc(x.Before.Known(a.symbol.Name), same) || slices.ContainsFunc(x.Before.BuiltNamed(a.symbol.Name), same)
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
func (x *plans) read(s *sessionevents.Segment, hit *sessionevents.RedFlagHit) (announcement, bool) {
	rest := sentenceOf(s, hit)
	m := x.announced.FindStringSubmatchIndex(rest)
	if m == nil || x.config.Announced.Not.MatchString(rest) || slices.Contains(x.config.Announced.Others, firstWord(rest[m[1]:])) {
		return announcement{}, false
	}
	a := announcement{segment: s}
	group := func(name string) (from, to int) {
		n := 2 * x.announced.SubexpIndex(name)
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
			a.symbol.Kind = x.kinds[strings.ToLower(rest[from:to])]
		}
	}
	if a.purpose {
		a.symbol.Name = x.purposeName(a.symbol.Name)
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
func (c *config) purposeName(said string) string {
	words := strings.Fields(said)
	if end := slices.IndexFunc(words, func(w string) bool { return slices.Contains(c.Announced.Ends, w) }); end >= 0 {
		words = words[:end]
	}
	words = slices.DeleteFunc(words, func(w string) bool { return len(prose.Terms(w)) == 0 }) // the, our …
	return strings.Join(words, " ")
}

// sentenceOf returns the rest of the sentence from a red flag on.
func sentenceOf(s *sessionevents.Segment, hit *sessionevents.RedFlagHit) string {
	rest := s.Text[min(hit.Offset, len(s.Text)):]
	if end := sentenceEnd.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// sentenceEnd matches the end of a sentence, but not within names such as "api.Client".
var sentenceEnd = pattern.MustRE2(`[.;!?](?:\s|$)|\n\s*\n|\n\s*[-*#\d]`)

// announcedThing judges one announcement by the best candidate.
func (x *plans) announcedThing(hit *sessionevents.RedFlagHit, a announcement) (detect.Finding, bool) {
	for _, c := range x.measure.Candidates(x.Pass, &a.symbol) {
		score := c.Overlap.Name
		if !c.Overlap.SameKind || x.measure.ConventionalFile(c.Symbol.Path) || score < x.Substantial {
			continue
		}
		f := x.score(&c, a.symbol.Kind, hit.Segment)
		f.Subclass, f.Subject = "announced", subject(&a.symbol, &c)
		f.Confidence = detect.Lexical(score*x.config.Confidence.Announced, hit.Thinking)
		e := detect.At(a.segment, a.offset, a.length)
		e.ConflictsWith = earlier(&c)
		f.Evidence = []sessionevents.Evidence{e}
		f.Message = fmt.Sprintf("The plan builds a new %s; %s exists (%s). Reuse or extend it instead of building another.", quoted(&a.symbol), place(&c), origin(&c))
		f.Reason = fmt.Sprintf("The announced name overlaps by %.2f with %s.", score, place(&c))
		if hit.Thinking || a.purpose || score < sameWords {
			f.Cap, f.Floor = detect.LogOnly, 0
		}
		if x.named(&a.symbol) {
			f.Suppressed = detect.UserDirected
		}
		return f, true
	}
	return detect.Finding{}, false
}

// announcedFile judges the announcement of a file: an existing one of that name elsewhere
// is as relevant as after it is written.
func (x *plans) announcedFile(hit *sessionevents.RedFlagHit) (detect.Finding, bool) {
	s := &x.Turn.Segments[hit.Segment]
	rest := sentenceOf(s, hit)
	at := x.announcedPath.FindStringSubmatchIndex(rest)
	if at == nil || x.config.Announced.Not.MatchString(rest) {
		return detect.Finding{}, false
	}
	from, to := at[2*x.announcedPath.SubexpIndex("file")], at[2*x.announcedPath.SubexpIndex("file")+1]
	name := rest[from:to]
	if x.measure.ConventionalFileName(name) || x.measure.ConventionalFile(name) || slices.Contains(x.memory.Announced, name) || writes(x.Pass, name) {
		return detect.Finding{}, false
	}
	for _, f := range x.Before.FilesAlike(name) {
		if similarity.Names(stem(name), stem(f.Path)) < sameWords || strings.Contains(name, "/") && registry.SameFile(name, f.Path) || x.measure.ConventionalFile(f.Path) {
			continue
		}
		old := sessionevents.Symbol{Name: f.Path, Kind: "file", Path: f.Path}
		c := duplicate.Candidate{Built: registry.Built{Symbol: old, Turn: f.Turn}, InSession: f.Written}
		x.memory.Announced = text.Newest(append(x.memory.Announced, name), x.AnnouncementsKept)
		finding := x.score(&c, "file", hit.Segment)
		finding.Subclass, finding.Subject = "announced", name
		finding.Confidence = detect.Lexical(x.File.Unseen*x.config.Confidence.Announced, hit.Thinking)
		e := detect.At(s, hit.Offset+from, to-from)
		e.ConflictsWith = earlier(&c)
		finding.Evidence = []sessionevents.Evidence{e}
		finding.Message = fmt.Sprintf("The plan creates %s; %s exists (%s). Extend that file instead of adding another of the name.", name, f.Path, origin(&c))
		finding.Reason = fmt.Sprintf("The announced file is called like %s.", f.Path)
		if hit.Thinking {
			finding.Cap, finding.Floor = detect.LogOnly, 0
		}
		symbol := sessionevents.Symbol{Name: name, Kind: "file", Path: name}
		if x.named(&symbol) {
			finding.Suppressed = detect.UserDirected
		}
		return finding, true
	}
	return detect.Finding{}, false
}

// writes reports whether the turn writes a file of that name, which is reported instead.
func writes(p *detect.Pass, name string) bool {
	return slices.ContainsFunc(p.Additions.FilesWritten, func(w registry.SegmentItem[registry.FileWritten]) bool {
		return registry.SameFile(w.Item.Path, name)
	})
}

// sameWords is the minimum similarity at which an announced name counts as equal to
// another.
const sameWords = 0.9

// announcedWork judges the announcement of a purpose, "implement retry logic", if a
// function or class for exactly that exists: withRetry, RetryPolicy. It is only logged
// unless the turn also builds a function that does not use the existing one.
func (x *plans) announcedWork(hit *sessionevents.RedFlagHit) (detect.Finding, bool) {
	s := &x.Turn.Segments[hit.Segment]
	rest := sentenceOf(s, hit)
	at := x.announcedLogic.FindStringSubmatchIndex(rest)
	if at == nil || x.config.Announced.Not.MatchString(rest) {
		return detect.Finding{}, false
	}
	from, to := at[2*x.announcedLogic.SubexpIndex("words")], at[2*x.announcedLogic.SubexpIndex("words")+1]
	what := rest[from:to]
	work := x.worksAt(what)
	if len(work) == 0 || slices.Contains(x.memory.Announced, what) {
		return detect.Finding{}, false
	}
	for _, known := range x.Before.Alike(what) {
		old := &known.Symbol
		if known.Gone > 0 || x.measure.ConventionalFile(old.Path) || !slices.Equal(x.worksAt(old.Name), work) ||
			len(work) == 1 && x.measure.ConventionalName(old.Name) && !x.measure.OneWord(old.Name) ||
			code.Holds(rest, old.Name) {
			continue
		}
		c := duplicate.Candidate{Built: known, InSession: known.Times > 0}
		anew := x.buildsAnew(old)
		if anew == usesIt {
			return detect.Finding{}, false
		}
		x.memory.Announced = text.Newest(append(x.memory.Announced, what), x.AnnouncementsKept)
		f := x.score(&c, "function", hit.Segment)
		f.Subclass, f.Subject = "announced", what
		f.Confidence = detect.Lexical(x.Substantial*x.config.Confidence.Announced, hit.Thinking)
		e := detect.At(s, hit.Offset+from, to-from)
		e.ConflictsWith = earlier(&c)
		f.Evidence = []sessionevents.Evidence{e}
		f.Message = fmt.Sprintf("The plan builds %s; %s exists (%s). Use or extend it instead of building another.",
			quote.Name(what), place(&c), origin(&c))
		f.Reason = fmt.Sprintf("What is announced is what %s is called for.", place(&c))
		if hit.Thinking || anew == buildsNothing && !c.InSession {
			f.Cap, f.Floor = detect.LogOnly, 0
		}
		return f, true
	}
	return detect.Finding{}, false
}

// worksAt returns the sorted stems of a name that describe what the thing does.
func (d *instance) worksAt(name string) []string {
	var out []string
	for _, w := range similarity.Words(name) {
		if stem := similarity.Stem(w); !d.plain[stem] && !slices.Contains(out, stem) {
			out = append(out, stem)
		}
	}
	if words := similarity.Words(name); len(out) == 0 && len(words) > 0 { // withBackoff is about backoff
		out = append(out, similarity.Stem(words[len(words)-1]))
	}
	slices.Sort(out)
	return out
}

// Ways in which a turn's edits relate to an announcement.
const (
	buildsNothing = iota
	buildsOther
	usesIt
)

// buildsAnew returns whether the turn builds functions, and whether its edits use the
// existing thing.
func (x *plans) buildsAnew(old *sessionevents.Symbol) int {
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Proposed && (uses(s, old) ||
			code.Holds(detect.Text(s), old.Name)) {
			return usesIt
		}
	}
	if slices.ContainsFunc(x.Additions.Built, func(b registry.SegmentItem[registry.Built]) bool {
		return isCallable(&b) && !x.measure.ConventionalFile(b.Item.Symbol.Path)
	}) {
		return buildsOther
	}
	return buildsNothing
}
