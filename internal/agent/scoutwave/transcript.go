package scoutwave

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Transcript recognises and reads plan documents.
var Transcript = transcript.Format{
	Name: Name, Title: "Scout-and-Wave plan document (IMPL, Markdown or YAML)", Log: true, Text: true, Document: true,
	Signs: "a table or list of file ownership with agents, and a verdict, waves, scaffolds or completion reports " +
		"beside it",
	Limits:    "run events; see [Scout-and-Wave](agents/scout-and-wave.md)",
	Recognise: recognise,
	Decode:    func(a *transcript.Assembler) transcript.Decoder { return &decoder{a: a} },
}

// Marks of a plan document in each of its forms; two different ones identify it (IN-1).
var (
	yamlMarks = []*pattern.Regexp{
		pattern.Must(`(?m)^file_ownership:`),
		pattern.Must(`(?m)^feature_slug:\s*\S`),
		pattern.Must(`(?m)^waves:\s*$`),
		pattern.Must(`(?m)^(?:completion_reports|interface_contracts|scaffolds|quality_gates|critic_report):`),
		pattern.Must(`(?m)^verdict:\s*"?(?:NOT[_ ])?SUITABLE`),
	}
	markdownMarks = []*pattern.Regexp{
		pattern.Must("(?m)^(?:```|~~~)\\w*\\s+type=impl-[a-z-]+"),
		pattern.Must(`(?mi)^#{1,4}\s+(?:\d+\.\s+)?file ownership\b`),
		pattern.Must(`(?mi)^#{1,4}\s+(?:\d+\.\s+)?(?:suitability assessment|wave structure|interface contracts)\b`),
		pattern.Must(`(?mi)^#{1,6}\s+agent [A-Z][2-9]?\s*[-–—:]+\s*completion report`),
		pattern.Must(`(?m)^\**Verdict:?\**:?\s*\**\s*(?:NOT )?SUITABLE\b`),
	}
	inSession = pattern.Must(`(?mi)^(?:#{1,6}\s+|\**)(?:user|human|assistant)\b`)
)

// recognise requires two marks of one form, outside of a session: a conversation about such a document does
// not count.
func recognise(h transcript.Head) int {
	text := string(h.Bytes)
	if h.Structure != transcript.Text && h.Structure != transcript.Lines || !transcript.IsText(h.Bytes) ||
		strings.HasPrefix(text, "{") {
		return 0
	}
	for _, marks := range [][]*pattern.Regexp{yamlMarks, markdownMarks} {
		n := 0
		for _, mark := range marks {
			if mark.MatchString(text) {
				n++
			}
		}
		if n >= 2 && !inSession.MatchString(text) {
			return 97
		}
	}
	return 0
}

// maxDocument limits how much of a document is read.
const maxDocument = 4 << 20

type decoder struct {
	a    *transcript.Assembler
	text strings.Builder
	cut  bool
}

// Record collects a piece of the document.
func (d *decoder) Record(r record.Record) error {
	if d.text.Len()+len(r.Data) > maxDocument {
		d.cut = true
		return nil
	}
	d.text.Write(r.Data)
	return nil
}

// End reads the document.
func (d *decoder) End() {
	text := strings.ReplaceAll(d.text.String(), "\r\n", "\n")
	if d.cut {
		d.a.Problem("the document is over the limit of %d bytes; the rest is left out", maxDocument)
	}
	var doc *document
	if isManifest(text) {
		var err error
		if doc, err = readManifest(text); err != nil {
			d.a.Problem("%v", err)
			return
		}
	} else {
		doc = readMarkdown(text)
	}
	for _, problem := range doc.problems {
		d.a.Problem("%s", problem)
	}
	for _, kind := range doc.noted {
		d.a.Note(kind)
	}
	if len(doc.waves)+len(doc.reports) == 0 && doc.verdict == "" {
		d.a.Problem("a plan document without a verdict, an owner or a report: nothing of it can be judged")
		return
	}
	emit(d.a, doc)
}

// isManifest reports whether the whole document is YAML.
func isManifest(text string) bool {
	n := 0
	for _, mark := range yamlMarks {
		if mark.MatchString(text) {
			n++
		}
	}
	return n >= 2 && !markdownMarks[0].MatchString(text)
}
