package reading

import (
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Report is the parsed text of a report.
type Report struct {
	Words    int    // of the whole text
	Text     string // the examined part of it
	Document *prose.Document
	Sections []Section
	// offsets are the offsets of the examined words.
	offsets []int
}

// Read parses a text: all its words are counted, but its structure is only examined up to
// limit bytes.
func Read(s string, limit int) *Report {
	r := &Report{Words: CountWords(s), Text: text.Valid(text.Head(s, limit))}
	r.Document = prose.Parse(r.Text)
	r.offsets = wordOffsets(r.Text)
	r.Sections = sections(r.Text)
	return r
}

// CountWords counts runs of non-space characters that contain a letter or a digit; list
// marks, rules and table bars do not count.
func CountWords(text string) int { return len(wordOffsets(text)) }

func wordOffsets(text string) []int {
	var out []int
	start, counts := -1, false
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			if start >= 0 && counts {
				out = append(out, start)
			}
			start, counts = -1, false
		default:
			if start < 0 {
				start = i
			}
			counts = counts || unicode.IsLetter(r) || unicode.IsDigit(r)
		}
	}
	if start >= 0 && counts {
		out = append(out, start)
	}
	return out
}

// FinalPart returns the offset at which the last percent of the words begin, or the end
// of the examined text if the text was too long to examine in full.
func (r *Report) FinalPart(percent int) int {
	first := r.Words - r.Words*percent/100
	if first >= len(r.offsets) {
		return len(r.Text)
	}
	return r.offsets[first]
}

// Complete reports whether the whole text was examined.
func (r *Report) Complete() bool { return len(r.offsets) == r.Words }
