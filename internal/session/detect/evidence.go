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
	text := Text(s)
	offset = min(max(offset, 0), len(text))
	length = min(max(length, 0), len(text)-offset)
	e := sessionevents.Evidence{Segment: s.Index, Kind: s.Kind, Path: s.Path, Offset: offset, Length: length}
	e.Quote = Quote(text[offset : offset+length])
	if s.Kind == sessionevents.SegmentDiff && s.Diff != nil {
		if added, at := s.Diff.Added(), strings.Count(text[:offset], "\n"); at < len(added) {
			e.Line = added[at].Number
		}
	}
	return e
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
