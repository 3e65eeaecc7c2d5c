package detect

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxQuote bounds what evidence quotes, in bytes.
const maxQuote = 200

// Text is the text that evidence offsets count in, [segment.Text]: a DIFF's added
// lines joined by newlines, a call's command or input, else the segment's text.
func Text(s *sessionevents.Segment) string { return segment.Text(s) }

// At is evidence for length bytes of a segment's text from offset; both are
// brought into its bounds. It quotes them, shortened, and gives the line in the
// new file where the segment is a DIFF whose position is known.
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

// inDiff places evidence in the added lines of a DIFF. It goes over the lines up to the place and puts
// none together but those that are quoted: a long file may hold many places.
func inDiff(e *sessionevents.Evidence, d *sessionevents.Diff, offset, length int) {
	var quoted strings.Builder
	next, end := 0, offset+length // where the next line begins
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
	size := max(next-1, 0) // of the text up to the last line that was needed
	e.Offset = min(offset, size)
	e.Length = min(length, size-e.Offset)
	e.Quote = Quote(quoted.String())
}

// Whole is evidence for a whole segment.
func Whole(s *sessionevents.Segment) sessionevents.Evidence { return At(s, 0, len(Text(s))) }

// Quote shortens text to what evidence may hold, on a character's border.
func Quote(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if len(text) <= maxQuote {
		return text
	}
	cut := maxQuote
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// span identifies a finding's place: "segment:offset:length" of its first evidence (EV-2).
func span(f *Finding) string {
	if len(f.Evidence) == 0 {
		return ""
	}
	e := f.Evidence[0]
	return strconv.Itoa(e.Segment) + ":" + strconv.Itoa(e.Offset) + ":" + strconv.Itoa(e.Length)
}
