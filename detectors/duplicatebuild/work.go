package duplicatebuild

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// announcedWork judges the announcement of a purpose, "implement retry logic", if a
// function or class for exactly that exists: withRetry, RetryPolicy. It is only logged
// unless the turn also builds a function that does not use the existing one.
func (d *instance) announcedWork(p *detect.Pass, m *memory, hit *sessionevents.RedFlagHit) (detect.Finding, bool) {
	s := &p.Turn.Segments[hit.Segment]
	rest := s.Text[min(hit.Offset, len(s.Text)):]
	if end := sentenceEnd.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	at := d.announcedLogic.FindStringSubmatchIndex(rest)
	if at == nil || d.config.Announced.Not.MatchString(rest) {
		return detect.Finding{}, false
	}
	from, to := at[2*d.announcedLogic.SubexpIndex("words")], at[2*d.announcedLogic.SubexpIndex("words")+1]
	what := rest[from:to]
	work := d.worksAt(what)
	if len(work) == 0 || slices.Contains(m.Announced, what) {
		return detect.Finding{}, false
	}
	for _, known := range p.Before.Alike(what) {
		old := &known.Symbol
		if known.Gone > 0 || d.measure.ConventionalFile(old.Path) || !slices.Equal(d.worksAt(old.Name), work) ||
			mentions(rest, old.Name) {
			continue
		}
		c := duplicate.Candidate{Built: known, InSession: known.Times > 0}
		anew := d.buildsAnew(p, old)
		if anew == usesIt {
			return detect.Finding{}, false
		}
		m.Announced = bounded(m.Announced, what, d.AnnouncementsKept)
		f := d.score(p, &c, "function", hit.Segment)
		f.Subclass, f.Subject = "announced", what
		f.Confidence = detect.Lexical(d.Substantial*d.config.Confidence.Announced, hit.Thinking)
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
func (d *instance) buildsAnew(p *detect.Pass, old *sessionevents.Symbol) int {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Proposed && (uses(s, old) ||
			mentions(detect.Text(s), old.Name)) {
			return usesIt
		}
	}
	if slices.ContainsFunc(p.Additions.Built, func(b registry.SegmentItem[registry.Built]) bool {
		return isCallable(&b) && !d.measure.ConventionalFile(b.Item.Symbol.Path)
	}) {
		return buildsOther
	}
	return buildsNothing
}
