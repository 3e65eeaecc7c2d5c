package featurecreep

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// announcements are the features that PLAN segments announce.
func (d *instance) announcements(p *detect.Pass, s scope) []feature {
	var out []feature
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if segment.Kind != events.SegmentPlan {
			continue
		}
		document := prose.Parse(segment.Text)
		for _, match := range d.announced.Find(document) {
			sentence := document.SentenceAt(match.Span.From)
			text := document.Text[sentence.From:sentence.To]
			if match.Span.To > sentence.To || strings.HasSuffix(text, "?") || d.offers.MatchString(text) {
				continue
			}
			offset, length := document.SourceSpan(sentence)
			for _, name := range d.objects(document.Text[match.Span.To:sentence.To]) {
				if f, ok := d.announcement(s, name, segment.Thinking); ok {
					f.evidence = detect.At(segment, offset, length)
					out = append(out, f)
				}
			}
		}
	}
	return out
}

var (
	clauseEnd = regexp.MustCompile(`[.:;!?()\[\]—–]|\s-\s`)
	listSplit = regexp.MustCompile(`,\s*(?:and |or )?|\s+(?:and|or|plus|as well as|along with)\s+`)
	leading   = regexp.MustCompile(`(?i)^(?:(?:an?|the|some|another|more|extra|additional|new|support for|in)\s+)+`)
	// codeName is an identifier or path: a name of the code's, not a capability.
	codeName = regexp.MustCompile("`|[a-z][A-Z]|\\w_\\w|\\w/\\w|\\w\\.\\w|\\w\\(")
)

// objects are the names in what follows an announcement: "a CSV export and dark
// mode so that …" gives "CSV export" and "dark mode".
func (d *instance) objects(rest string) []string {
	rest = strings.TrimSpace(rest)
	if at := clauseEnd.FindStringIndex(rest); at != nil && !strings.HasPrefix(rest[at[0]:], "./") {
		rest = rest[:at[0]]
	}
	if at := d.objectEnd.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	var names []string
	for _, part := range listSplit.Split(rest, -1) {
		part = strings.Trim(leading.ReplaceAllString(strings.TrimSpace(part), ""), " ,'\"")
		if words := strings.Fields(part); len(words) > 0 && len(words) <= d.NameWords {
			names = append(names, part)
		}
	}
	return names
}

// announcement judges one object.
func (d *instance) announcement(s scope, name string, thinking bool) (feature, bool) {
	words := similarity.Words(name)
	if len(words) == 0 || d.pointers[words[0]] {
		return feature{}, false
	}
	stems := prose.Terms(strings.Join(words, " "))
	named := slices.ContainsFunc(words, in(d.capabilities))
	if len(stems) == 0 || d.detail(words) || d.asks(s, stems) || !named && codeName.MatchString(name) {
		return feature{}, false
	}
	f := feature{name: strings.Join(strings.Fields(name), " "), stems: stems, subclass: "announced", confidence: d.Confidence.Unnamed, logOnly: s.open}
	if named {
		f.confidence = d.Confidence.Named
	}
	f.confidence = detect.Lexical(f.confidence, thinking)
	f.message = fmt.Sprintf("%q is not part of what was asked; leave it out and finish the requested work, or ask first.", f.name)
	f.reason = fmt.Sprintf("The plan announces %q, which no user message asks for.", f.name)
	return f, true
}

// detail reports whether words name a detail of building something.
func (d *instance) detail(words []string) bool {
	alone := func(w string) bool { return !in(d.alone)(w) }
	return slices.ContainsFunc(words, in(d.details)) || !slices.ContainsFunc(words, alone)
}

// in tells whether a word's stem is in the set.
func in(stems map[string]bool) func(string) bool {
	return func(word string) bool { return stems[prose.Stem(word)] }
}
