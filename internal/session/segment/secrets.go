package segment

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Text returns the text that offsets into a segment refer to: for a DIFF its added lines
// joined by newlines, for a TOOL the command line or the input, otherwise Text.
func Text(seg *sessionevents.Segment) string {
	switch {
	case seg.Kind == sessionevents.SegmentDiff && seg.Diff != nil:
		return added(seg.Diff)
	case seg.Text != "" || seg.Tool == nil:
		return seg.Text
	case seg.Tool.Command != "":
		return seg.Tool.Command
	default:
		return string(seg.Tool.Input)
	}
}

// added returns the added lines of a DIFF, joined by newlines.
func added(d *sessionevents.Diff) string {
	size := 0
	for _, h := range d.Hunks {
		for _, line := range h.Lines {
			if line != "" && line[0] == '+' {
				size += len(line)
			}
		}
	}
	var out strings.Builder
	out.Grow(size)
	first := true
	for _, h := range d.Hunks {
		for _, line := range h.Lines {
			if line == "" || line[0] != '+' {
				continue
			}
			if !first {
				out.WriteByte('\n')
			}
			first = false
			out.WriteString(line[1:])
		}
	}
	return out.String()
}

// locate sets Segment and Offset of each finding to the place of its mark
// ‹secret:RULE:FINGERPRINT›: a DIFF before any other segment, each occurrence once; -1, -1 if no
// kept segment holds it (SW-7). It returns the findings in their order, and searches only the
// segments made from a finding's block if origins are known.
func locate(segments []sessionevents.Segment, origins []origin, findings []sessionevents.SecretFinding) []sessionevents.SecretFinding {
	if len(findings) == 0 {
		return nil
	}
	l := locator{segments: segments, origins: origins, next: map[place]int{}, texts: make([]string, len(segments))}
	for i := range segments {
		l.texts[i] = Text(&segments[i])
	}
	out := slices.Clone(findings)
	for i := range out {
		out[i].Segment, out[i].Offset = l.find(&out[i])
	}
	return out
}

type place struct {
	segment int
	marker  string
}

type locator struct {
	segments []sessionevents.Segment
	origins  []origin
	texts    []string
	next     map[place]int // where the search continues
}

func (l *locator) find(f *sessionevents.SecretFinding) (segment, offset int) {
	marker := "‹secret:" + f.Rule + ":" + f.Fingerprint + "›"
	for _, diffs := range []bool{true, false} {
		for i := range l.segments {
			if (l.segments[i].Kind == sessionevents.SegmentDiff) != diffs || !l.from(i, f.Block) {
				continue
			}
			at := place{i, marker}
			if found := strings.Index(l.texts[i][l.next[at]:], marker); found >= 0 {
				offset = l.next[at] + found
				l.next[at] = offset + len(marker)
				return i, offset
			}
		}
	}
	return -1, -1
}

// from reports whether a segment can contain text of a block.
func (l *locator) from(segment, block int) bool {
	if l.origins == nil || block < 0 {
		return true
	}
	o := l.origins[segment]
	return o.block == block || o.result == block || o.block < 0 && o.result < 0
}
