package circular

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// cause is a stated cause of a problem.
type cause struct {
	Terms []string `json:"t,omitempty"`
	Names []string `json:"m,omitempty"`
	Text  string   `json:"x"`
	Turn  int      `json:"n"` // turn in which it was last stated
	// Dropped is the turn in which it was withdrawn, 0 while it is not.
	Dropped  int  `json:"d,omitempty"`
	Informed bool `json:"i,omitempty"` // there was news about it since
	Count    int  `json:"c,omitempty"`
}

func (m *memory) informFindings(about func(*cause) bool) {
	for i := range m.Findings {
		f := &m.Findings[i]
		f.Informed = f.Informed || f.Dropped > 0 && about(f)
	}
}

// causes are the causes of problems that a turn states or withdraws.
type causes struct{ *turn }

// find reads the sentences that state a cause or withdraw one, and reports a cause that
// is stated again after it was withdrawn, without news in between.
func (c *causes) find() []detect.Finding {
	var out []detect.Finding
	a := c.Additions
	for i := range c.said {
		s := &a.Sentences[i]
		if !c.said[i].causal {
			continue
		}
		document := prose.Parse(s.Text)
		if strings.HasSuffix(document.Masked, "?") {
			continue
		}
		if what, ok := group(c.Drops, document.Masked, document.Text); ok {
			c.drop(what)
			continue
		}
		what, ok := group(c.Causes, document.Masked, document.Text)
		if c.PointsBack.MatchString(document.Masked) {
			what, ok = around(a, i), true
		}
		if !ok || c.Hedges.MatchString(document.Masked) {
			continue
		}
		if f := c.named(s, what); f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// around returns the sentences of the same segment that "that's the culprit" refers to:
// those before it or, if there are none, after it.
func around(a *registry.Turn, at int) string {
	segment := a.Sentences[at].Segment
	same := func(i int) bool { return i >= 0 && i < len(a.Sentences) && a.Sentences[i].Segment == segment }
	from, to := at, at
	for from > at-pointedBack && same(from-1) {
		from--
	}
	if from == at {
		for to < at+pointedBack && same(to+1) {
			to++
		}
	}
	var s strings.Builder
	for i := from; i <= to; i++ {
		s.WriteString(a.Sentences[i].Text + " ")
	}
	return s.String()
}

// pointedBack is the number of sentences that a pronoun can refer to.
const pointedBack = 2

// drop withdraws the causes that what names.
func (c *causes) drop(what string) {
	terms, names := c.terms(what), spanNames(what)
	for i := range c.memory.Findings {
		if f := &c.memory.Findings[i]; f.Dropped == 0 && c.sameCause(f, terms, names) {
			f.Dropped, f.Informed = c.Turn.Turn, false
		}
	}
}

// named records a stated cause. It returns a finding if the cause was withdrawn before.
func (c *causes) named(s *registry.Sentence, what string) *detect.Finding {
	terms, names := c.terms(what), spanNames(what)
	if len(names) == 0 && len(terms) < c.AskedWords {
		return nil
	}
	at := slices.IndexFunc(c.memory.Findings, func(f cause) bool { return c.sameCause(&f, terms, names) })
	if at < 0 {
		c.memory.Findings = text.Newest(append(c.memory.Findings, cause{Terms: terms, Names: names, Text: c.called(what), Turn: c.Turn.Turn}), c.FindingsKept)
		return nil
	}
	f := &c.memory.Findings[at]
	earlier, dropped := f.Turn, f.Dropped
	f.Turn, f.Dropped = c.Turn.Turn, 0
	if dropped == 0 || dropped == c.Turn.Turn || f.Informed {
		f.Informed = false
		return nil
	}
	f.Count += 2 // it was withdrawn and is stated again
	return c.contradicted(s, f, earlier, dropped)
}

func (c *causes) contradicted(s *registry.Sentence, f *cause, earlier, dropped int) *detect.Finding {
	evidence := detect.At(&c.Turn.Segments[s.Segment], s.Offset, len(s.Text))
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: dropped, What: f.Text}
	out := &detect.Finding{
		Subclass: contradictedCause, Subject: f.Text, Streak: f.Count, ReworkCost: 2, SelfCorrect: 0.2, Floor: queueFloor,
		Confidence: detect.Lexical(c.Confidence.Contradicted, s.Thinking), Evidence: []sessionevents.Evidence{evidence},
		Message: fmt.Sprintf("%s, named as the cause in turn %d and taken back in turn %d, is the cause again; no result since mentions it. Run one test that can refute it.", shown(f.Text), earlier, dropped),
		Reason:  fmt.Sprintf("Turn %d took back what turn %d had named as the cause, and this turn names it again; no result since shares its terms.", dropped, earlier),
	}
	if f.Count >= c.FireAt {
		out.Floor = fireFloor
	}
	return out
}

// sameCause compares by the names of code if both have some, otherwise by words.
func (d *instance) sameCause(f *cause, terms, names []string) bool {
	if len(f.Names) > 0 && len(names) > 0 {
		common := 0
		for _, n := range names {
			if slices.Contains(f.Names, n) {
				common++
			}
		}
		return common >= min(2, len(names), len(f.Names))
	}
	return jaccard(f.Terms, terms) >= d.Similar
}

// codeSpan matches a name in backticks, as prose writes names of code.
var codeSpan = pattern.Must("`([^`\\n]{2,60})`")

// spanNames returns the names of code in a text, in lower case: those in backticks,
// otherwise identifiers of several words.
func spanNames(text string) []string {
	var out []string
	for _, name := range spans(text) {
		if name = strings.ToLower(name); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) > 0 {
		return out
	}
	return codeNames(text)
}

// spans returns the names in backticks as written.
func spans(text string) []string {
	var out []string
	for _, m := range codeSpan.FindAllStringSubmatch(text, maxSpans) {
		name := strings.TrimSuffix(strings.TrimSpace(m[1]), "()")
		if !strings.ContainsAny(name, " \t") && (len(similarity.Words(name)) > 1 || strings.ContainsAny(name, "._")) {
			out = append(out, name)
		}
	}
	return out
}

// maxSpans bounds the names in backticks that are read.
const maxSpans = 24

// shown returns a cause for a message: names of code unchanged, words in quotes.
func shown(text string) string {
	if strings.HasPrefix(text, "`") {
		return quote.Line(strings.ReplaceAll(text, "`", ""))
	}
	return quote.Whole(text, aboutWords, "What you call the cause")
}

// called returns how a message refers to a cause: by its last names of code, otherwise by
// its words.
func (c *causes) called(what string) string {
	names := slices.Compact(spans(what))
	if len(names) == 0 {
		return c.subject(what)
	}
	names = text.Newest(names, 2)
	for i := range names {
		names[i] = quote.Code(names[i])
	}
	return strings.Join(names, " and ")
}
