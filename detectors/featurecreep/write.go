package featurecreep

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// writings are the features that applied DIFFs add to existing files. A new file
// is how the thing asked for is built, so its inside is not judged line by line.
func (d *instance) writings(p *detect.Pass, s scope) []feature {
	if s.open {
		return nil
	}
	removed := removedText(p.Turn)
	var out []feature
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if !d.judged(segment) {
			continue
		}
		offset := 0
		for _, line := range segment.Diff.Added() {
			for k := range d.kinds {
				f, ok := d.writing(&d.kinds[k], line.Text, s)
				if ok && !strings.Contains(removed, f.name) {
					f.evidence = detect.At(segment, offset, len(line.Text))
					out = append(out, f)
				}
			}
			offset += len(line.Text) + 1
		}
	}
	return out
}

func (d *instance) judged(s *events.Segment) bool {
	if s.Kind != events.SegmentDiff || s.Diff == nil || s.Diff.Op != events.DiffUpdate || s.Diff.Failed || s.Proposed || s.Rejected {
		return false
	}
	base := strings.ToLower(path.Base(s.Path))
	if slices.ContainsFunc(d.IgnoredSuffixes, func(suffix string) bool { return strings.HasSuffix(base, suffix) }) ||
		strings.Contains(base, "test") || strings.Contains(base, ".spec.") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(strings.ToLower(path.Dir(s.Path)), "/"), func(dir string) bool { return d.ignoredDir[dir] })
}

// removedText is what the turn removes: a name in it was moved or changed.
func removedText(t *events.TurnSegmented) string {
	var b strings.Builder
	for i := range t.Segments {
		for _, line := range t.Segments[i].Diff.Removed() {
			b.WriteString(line.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// writing judges one added line.
func (d *instance) writing(k *kind, line string, s scope) (feature, bool) {
	for _, pattern := range k.patterns {
		match := pattern.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		name := match[pattern.SubexpIndex("name")]
		stems := prose.Terms(name)
		if len(stems) == 0 || d.asks(s, stems) || asksKind(k, s) {
			return feature{}, false
		}
		return feature{
			name: name, stems: stems, subclass: "written", confidence: d.Confidence.Written, logOnly: k.logOnly,
			message: fmt.Sprintf("The edit adds the %s %s, which was not asked for; leave it out or ask first.", k.id, name),
			reason:  fmt.Sprintf("The added line defines the %s %s, which no user message asks for.", k.id, name),
		}, true
	}
	return feature{}, false
}

func asksKind(k *kind, s scope) bool {
	for word := range k.askedBy {
		if s.terms[word] {
			return true
		}
	}
	return false
}
