// Package prose parses prose written by an agent or a person: paragraphs folded to one
// line, sentences, word stems, and phrases that are searched for outside code and quotes
// (SW-13, SW-14, SW-20).
//
// [Parse] folds a text once; everything else works on the [Document] and maps offsets
// back to the original text with [Document.Source].
package prose

import (
	"sort"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
)

// Mask overwrites code and quotes in [Document.Masked].
const Mask = '~'

// Document is a text folded for matching: white space collapsed, curly quotes straight,
// emphasis marks dropped, one paragraph, heading, list item or table row per line. Code
// blocks and block quotes are left out.
type Document struct {
	// Text is the folded text; Masked is the same with the inside of inline code and of
	// quotes overwritten by [Mask]. Both have the same length.
	Text, Masked string

	source    string
	shifts    []shift
	sentences atomic.Pointer[[]Span] // nil until requested
}

// Span is a range of bytes in a Document's Text.
type Span struct{ From, To int }

// shift maps the offset at in Text to source in the original; later offsets keep the same distance
// up to the next shift.
type shift struct{ at, source int }

// longestKept is the maximum length of a text whose document is cached.
const longestKept = 32 << 10

// parsed caches documents, since several readers of a turn fold the same text.
var parsed = recall.New[*Document](64, longestKept)

// Parse folds text. The document may be shared and must not be changed.
func Parse(text string) *Document { return parsed.Of(text, fold) }

func fold(text string) *Document {
	f := folder{source: text}
	f.text.Grow(len(text))
	for _, b := range blocks(text) {
		f.block(b)
	}
	d := &Document{source: text, Text: f.text.String(), shifts: f.shifts}
	d.Masked = maskQuotes(f.masked)
	return d
}

// Source maps an offset in Text to the original text.
func (d *Document) Source(offset int) int {
	i := sort.Search(len(d.shifts), func(i int) bool { return d.shifts[i].at > offset }) - 1
	if i < 0 {
		return offset
	}
	return d.shifts[i].source + offset - d.shifts[i].at
}

// SourceSpan maps a range in Text to offset and length in the original text.
func (d *Document) SourceSpan(s Span) (offset, length int) {
	offset = d.Source(s.From)
	if s.To <= s.From {
		return offset, 0
	}
	// Map the last byte rather than the end, since what follows may have been left out.
	last, size := d.Source(s.To-1), 1
	if utf8.RuneStart(d.source[last]) {
		_, size = utf8.DecodeRuneInString(d.source[last:])
	}
	return offset, last + size - offset
}

// blanks folds inline code to one line.
var blanks = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")

// folder writes the folded text and records the source of each part.
type folder struct {
	source string
	text   strings.Builder
	masked []byte
	shifts []shift
	last   int // source offset that would follow without a shift
}

// put writes folded bytes with their source offset.
func (f *folder) put(piece string, source, length int, masked bool) {
	if source != f.last || len(f.shifts) == 0 {
		f.shifts = append(f.shifts, shift{at: f.text.Len(), source: source})
	}
	f.text.WriteString(piece)
	if masked {
		for range len(piece) {
			f.masked = append(f.masked, Mask)
		}
	} else {
		f.masked = append(f.masked, piece...)
	}
	f.last = source + len(piece)
	if length != len(piece) {
		f.last = -1
	}
}

// block folds one paragraph to one line.
func (f *folder) block(b Span) {
	if f.text.Len() > 0 {
		f.put("\n", b.From, 1, false)
		f.last = -1
	}
	text := f.source[:b.To]
	space := true // only white space so far
	for at := b.From; at < b.To; {
		if text[at] == '`' {
			end := codeSpanEnd(text, at)
			f.code(text, at, end)
			at, space = end, false
			continue
		}
		if end := plainEnd(text, at); end > at {
			f.put(text[at:end], at, end-at, false)
			at, space = end, false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		piece := folded(text, at, r, size)
		if piece != " " {
			if piece != "" {
				f.put(piece, at, size, false)
				space = false
			}
		} else if !space {
			f.put(" ", at, size, false)
			space = true
		}
		at += size
	}
}

// plainEnd returns the end of the run that begins at at and is copied verbatim: words and
// the single spaces between them.
func plainEnd(text string, at int) int {
	for at < len(text) {
		c := text[at]
		single := c == ' ' && at+1 < len(text) && isPlain(text[at+1]) && at > 0 && isPlain(text[at-1])
		if !isPlain(c) && !single {
			return at
		}
		at++
	}
	return at
}

func isPlain(c byte) bool { return c > ' ' && c < utf8.RuneSelf && c != '`' && c != '*' }

// code copies a code span with its inside masked.
func (f *folder) code(text string, from, to int) {
	ticks := 0
	for from+ticks < to && text[from+ticks] == '`' {
		ticks++
	}
	if to-from <= 2*ticks { // no closing run: the backticks are literal
		f.put(text[from:to], from, to-from, false)
		return
	}
	f.put(text[from:from+ticks], from, ticks, false)
	inside := blanks.Replace(text[from+ticks : to-ticks])
	f.put(inside, from+ticks, len(inside), true)
	f.put(text[to-ticks:to], to-ticks, ticks, false)
}

// codeSpanEnd returns the offset after the run of backticks that closes the one at at, or
// after that one if none does.
func codeSpanEnd(text string, at int) int {
	end := at
	for end < len(text) && text[end] == '`' {
		end++
	}
	run := text[at:end]
	for i := end; i < len(text); {
		j := strings.Index(text[i:], run)
		if j < 0 {
			return end
		}
		i += j
		stop := i
		for stop < len(text) && text[stop] == '`' {
			stop++
		}
		if stop-i == len(run) {
			return stop
		}
		i = stop
	}
	return end
}

// folded returns what one rune becomes: " " for white space, "" if it is dropped.
func folded(text string, at int, r rune, size int) string {
	switch r {
	case ' ', '\t', '\n', '\r', '\u00a0', '\u2009', '\u202f':
		return " "
	case '‘', '’', 'ʼ', '´':
		return "'"
	case '“', '”':
		return `"`
	case '*':
		if emphasis(text, at) {
			return ""
		}
	case utf8.RuneError:
		if size == 1 {
			return "?"
		}
	case '\u200b', '\ufeff':
		return ""
	}
	return text[at : at+size]
}

// emphasis reports whether the star at at touches a word, as in **this**, and is not a
// multiplication sign.
func emphasis(text string, at int) bool {
	before, after := byte(' '), byte(' ')
	if at > 0 {
		before = text[at-1]
	}
	if at+1 < len(text) {
		after = text[at+1]
	}
	return !(before == ' ' && after == ' ')
}
