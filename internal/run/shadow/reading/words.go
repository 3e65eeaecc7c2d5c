package reading

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown/blocks"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// WordList is a list of phrases with one meaning, and of phrases that negate it.
type WordList struct {
	Phrases []string `yaml:"phrases"`
	// Unless are phrases that give a sentence another meaning.
	Unless []string `yaml:"unless"`
	// Code includes quotes and inline code in the search.
	Code bool `yaml:"code"`
	// Blocks searches code blocks instead, where each line is a sentence.
	Blocks   bool     `yaml:"blocks"`
	Examples Examples `yaml:"examples"`

	phrases *pattern.Regexp // searches whole reports
	unless  *pattern.Regexp // searches single sentences
}

// Examples are sentences that a word list must and must not match; a test reads them.
type Examples struct {
	Firing []string `yaml:"firing"`
	Silent []string `yaml:"silent"`
}

// Compile compiles the list under key; an error names the phrase.
func (l *WordList) Compile(from pattern.Compiler, key string) (err error) {
	if len(l.Phrases) == 0 {
		return from.Fault(key, errors.New("no phrases"))
	}
	for _, phrase := range slices.Concat(l.Phrases, l.Unless) {
		if _, err := from.Go(key, phrase); err != nil {
			return from.Fault(key, fmt.Errorf("phrase %q: %w", phrase, err))
		}
	}
	if l.phrases, err = from.RE2(key+".phrases", joined(l.Phrases)); err != nil {
		return err
	}
	if len(l.Unless) > 0 {
		l.unless, err = from.Go(key+".unless", joined(l.Unless))
	}
	return err
}

// joined returns one pattern for several phrases that begin with a word.
func joined(phrases []string) string {
	return `(?im)(?:\b|^|\W)(?:` + strings.Join(phrases, "|") + `)`
}

// Sentences returns the matching sentences of a report, from a byte offset on.
func (l *WordList) Sentences(r *Report, from int) []string {
	if l.Blocks {
		return l.codeLines(r, from)
	}
	text := r.Document.Masked
	if l.Code {
		text = r.Document.Text
	}
	if !l.phrases.MatchString(text) {
		return nil // true of most texts: one search instead of one per sentence
	}
	var out []string
	for _, span := range r.Document.Sentences() {
		if _, length := r.Document.SourceSpan(span); r.Document.Source(span.From)+length <= from {
			continue
		}
		// Of a sentence that begins before the searched part, only the part inside
		// counts.
		start := span.From
		for start < span.To && r.Document.Source(start) < from {
			start++
		}
		if l.match(text[start:span.To]) {
			out = append(out, r.Document.Text[span.From:span.To])
		}
	}
	return out
}

// codeLines returns the matching lines of code blocks.
func (l *WordList) codeLines(r *Report, from int) []string {
	if !markdown.HasBlocks(r.Text) || !l.phrases.MatchString(r.Text) {
		return nil
	}
	var out []string
	for _, block := range blocks.Of(r.Text) {
		if block.Kind != markdown.Fence || block.End <= from {
			continue
		}
		for line := range strings.Lines(block.Body) {
			if l.match(line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// In reports whether any sentence of a short text matches.
func (l *WordList) In(text string) bool {
	if text == "" {
		return false
	}
	return len(l.Sentences(Read(text, len(text)), 0)) > 0
}

func (l *WordList) match(sentence string) bool {
	return l.phrases.MatchString(sentence) && (l.unless == nil || !l.unless.MatchString(sentence))
}

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
