package featurecreep

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// building is what a turn makes of what was announced, and the documents that it writes.
type building struct{ *turn }

// built returns the objects that were only logged when they were announced and that an
// edit now builds.
func (b *building) built(announced []feature) []feature {
	var out []feature
	for i := range b.memory.Features {
		k := &b.memory.Features[i]
		if k.Turn == 0 || k.Settled || len(k.Core) == 0 {
			continue
		}
		if f, ok := b.buildsIt(k.Name, k.Stems, k.Core); ok {
			out = append(out, f)
		}
	}
	for i := range announced {
		f := &announced[i]
		if f.subclass != "announced" || f.openScope || f.confidence >= b.QueueConfidence || len(f.core) == 0 {
			continue
		}
		if b, ok := b.buildsIt(f.name, f.stems, f.core); ok {
			out = append(out, b)
		}
	}
	return out
}

// buildsIt returns a feature if an applied edit of the work adds a line about the object.
func (b *building) buildsIt(name string, stems, core []string) (feature, bool) {
	own := b.own(core)
	if len(own) == 0 || len(own) == 1 && len(own[0]) < leastWord {
		return feature{}, false
	}
	for i := range b.Turn.Segments {
		s := &b.Turn.Segments[i]
		if !detect.Applied(s) || b.ignored(s.Path) {
			continue
		}
		if s.Diff.Op == sessionevents.DiffCreate && b.namesFile(s.Path, own) {
			return feature{
				name: name, stems: stems, subclass: "built", confidence: b.Confidence.Again, evidence: detect.At(s, 0,
					len(firstLine(detect.Text(s)))),
				message: fmt.Sprintf("%s is made for %s, which was not asked for. Take it out, or ask first.",
					quote.Path(b.Before.Path(s.Path)), quote.Whole(name, 8, "something")),
				reason: fmt.Sprintf("The plan announced %q, which no user message asks for, and this edit makes a file for it.", name),
			}, true
		}
		removed, offset := removedText(b.Turn), 0
		for _, line := range s.Diff.Added() {
			if b.mentions(line.Text, own) && !strings.Contains(removed, strings.TrimSpace(line.Text)) {
				return feature{
					name: name, stems: stems, subclass: "built", confidence: b.Confidence.Again, evidence: detect.At(s, offset,
						len(line.Text)),
					message: fmt.Sprintf("%s gets %s, which was not asked for. Take it out of the edit, or ask first.",
						quote.Path(b.Before.Path(s.Path)), quote.Whole(name, 8, "something")),
					reason: fmt.Sprintf("The plan announced %q, which no user message asks for, and this edit builds it.", name),
				}, true
			}
			offset += len(line.Text) + 1
		}
	}
	return feature{}, false
}

// namesFile reports whether a file is named after the thing: its name contains the last
// of the thing's own words.
func (b *building) namesFile(file string, own []string) bool {
	head := own[len(own)-1]
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	return len(head) >= leastWord && slices.Contains(prose.Terms(strings.Join(similarity.Words(stem), " ")), head)
}

// leastWord is the minimum length of a single word by which the thing can be found in
// code.
const leastWord = 4

// documents returns the new documents that nobody asked for. The first of a session
// counts as part of the request unless its name marks it as a separate document.
func (b *building) documents() []feature {
	var out []feature
	for i := range b.Turn.Segments {
		segment := &b.Turn.Segments[i]
		if !b.newDocument(segment) || b.asksDocuments() || b.scope.isOpen() {
			continue
		}
		file := b.Before.Path(segment.Path)
		b.memory.Documents++
		if b.memory.Documents == 1 && !b.DocumentNames.MatchString(path.Base(file)) {
			continue
		}
		out = append(out, feature{
			name: file, stems: prose.Terms(file), subclass: "written", confidence: b.Confidence.Written,
			evidence: detect.At(segment, 0, len(firstLine(detect.Text(segment)))),
			message:  fmt.Sprintf("The turn writes %s, and nobody asked for documents; delete it and put what matters into the answer.", file),
			reason: fmt.Sprintf("%s is a new document, number %d of the session, and no user message asks for one.",
				file, b.memory.Documents),
		})
	}
	return out
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// newDocument reports whether a segment creates a document in the work.
func (b *building) newDocument(s *sessionevents.Segment) bool {
	if !detect.Applied(s) || s.Diff.Op != sessionevents.DiffCreate {
		return false
	}
	file := b.Before.Path(s.Path)
	return b.files.Is(file, files.Document) && !b.files.Is(file, notWork) &&
		len(b.Before.Reads(file)) == 0 && len(b.Before.DiffsOf(file)) == 0
}

// asksDocuments reports whether a message mentions documents of any kind.
func (b *building) asksDocuments() bool {
	return !b.scope.whole() || slices.ContainsFunc(b.scope.texts, b.DocumentsAsked.MatchString)
}
