package detect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxQuote bounds the quote of a piece of evidence, in bytes.
const maxQuote = 200

// Text returns the text that evidence offsets refer to, [segment.Text]: a DIFF's added
// lines joined by newlines, a call's command or input, otherwise the segment's text.
func Text(s *sessionevents.Segment) string { return segment.Text(s) }

// At returns evidence for length bytes of a segment's text from offset; both are clamped
// to its bounds. The evidence quotes them, shortened, and has the line in the new file if
// the segment is a DIFF with a known position.
func At(s *sessionevents.Segment, offset, length int) sessionevents.Evidence {
	offset, length = max(offset, 0), max(length, 0)
	e := sessionevents.Evidence{Segment: s.Index, Kind: s.Kind, Path: s.Path}
	if s.Kind == sessionevents.SegmentDiff && s.Diff != nil {
		inDiff(&e, s.Diff, offset, length)
		return e
	}
	text := Text(s)
	e.Offset = min(offset, len(text))
	e.Length = min(length, len(text)-e.Offset)
	e.Quote = Quote(text[e.Offset : e.Offset+e.Length])
	return e
}

// inDiff places evidence in the added lines of a DIFF. It scans the lines up to the place
// and joins only those that are quoted, since a long file may have many places.
func inDiff(e *sessionevents.Evidence, d *sessionevents.Diff, offset, length int) {
	var quoted strings.Builder
	next, end := 0, offset+length // offset of the next line
	for _, h := range d.Hunks {
		number := h.NewStart
		for _, l := range h.Lines {
			if l != "" && l[0] == '+' && next <= end {
				start, stop := next, next+len(l)-1
				if start > offset {
					quoted.WriteByte('\n')
				} else {
					e.Line = number
				}
				if from, to := max(offset, start), min(end, stop); from < to {
					quoted.WriteString(l[1+from-start : 1+to-start])
				}
				next = stop + 1
			}
			if h.NewStart > 0 && (l == "" || l[0] != '-') {
				number++
			}
		}
	}
	size := max(next-1, 0) // of the text up to the last line needed
	e.Offset = min(offset, size)
	e.Length = min(length, size-e.Offset)
	e.Quote = Quote(quoted.String())
}

// Whole returns evidence for a whole segment.
func Whole(s *sessionevents.Segment) sessionevents.Evidence { return At(s, 0, len(Text(s))) }

// Quote shortens a text to what evidence may hold, between characters.
func Quote(s string) string {
	return text.Cut(text.Valid(strings.TrimSpace(s)), maxQuote)
}

// span returns the place of a finding: "segment:offset:length" of its first evidence
// (EV-2).
func span(f *Finding) string {
	if len(f.Evidence) == 0 {
		return ""
	}
	e := f.Evidence[0]
	return strconv.Itoa(e.Segment) + ":" + strconv.Itoa(e.Offset) + ":" + strconv.Itoa(e.Length)
}

// quoted returns a text of a finding with the paths it rests on written as [quote.Path]
// writes them. Detectors quote what they name, and this is a second safeguard (DP-20).
func quoted(text string, f *Finding) string {
	var paths []string
	for _, e := range f.Evidence {
		paths = append(paths, e.Path)
		if e.ConflictsWith != nil {
			paths = append(paths, e.ConflictsWith.Path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, path := range slices.Compact(paths) {
		if safe := quote.Path(path); safe != path && strings.ContainsRune(path, '/') {
			text = strings.ReplaceAll(strings.ReplaceAll(text, safe, path), path, safe) // once, even if it is already quoted
		}
	}
	return quote.Line(text)
}
