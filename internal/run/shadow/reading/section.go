package reading

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown/blocks"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Section is a titled part of a report: from a heading, a line in bold or words
// before a colon.
type Section struct {
	Title    string
	Level    int // 1–6 of a heading, then bold lines, then labels
	From, To int // bytes, the title included
}

// Levels of titles other than headings.
const (
	boldLevel  = 7
	labelLevel = 8
)

var (
	heading  = pattern.Must(`^ {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$`)
	boldLine = pattern.Must(`^\s*(?:\d+[.)]\s+)?(?:\*\*|__)([^*_]{2,80}?):?(?:\*\*|__):?\s*$`)
	label    = pattern.Must(`^\s*(?:\*\*|__)?(\p{Lu}[\p{L}\d /&;'-]{1,40}?)(?:\*\*|__)?:(?:\*\*|__)?(?:\s|$)`)
)

// line is one line of a text outside code and quotes.
type line struct {
	text     string
	from, to int // to is the offset after the newline
}

// lines returns the lines outside code blocks and block quotes.
func lines(text string) []line {
	skip := coded(text)
	var out []line
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		next := at + end + 1
		if end < 0 {
			end, next = len(text)-at, len(text)
		}
		for len(skip) > 0 && skip[0].End <= at {
			skip = skip[1:]
		}
		if len(skip) == 0 || at < skip[0].Start {
			out = append(out, line{text: strings.TrimRight(text[at:at+end], "\r"), from: at, to: next})
		}
		at = next
	}
	return out
}

// coded returns the code blocks and quotes of a text.
func coded(text string) []markdown.Block {
	if !markdown.HasBlocks(text) && !strings.Contains(text, "\n>") && !strings.HasPrefix(text, ">") {
		return nil
	}
	var out []markdown.Block
	for _, b := range blocks.Of(text) {
		if b.Kind == markdown.Fence || b.Kind == markdown.Quote {
			out = append(out, b)
		}
	}
	return out
}

// sections returns the titled parts in order. Each ends at the next title of its own or a
// higher level, and a label's part ends with its paragraph.
func sections(text string) []Section {
	var out []Section
	for _, l := range lines(text) {
		if strings.TrimSpace(l.text) == "" {
			closeFrom(out, labelLevel, l.from)
			continue
		}
		title, level := titleOf(l.text)
		if level == 0 {
			continue
		}
		closeFrom(out, level, l.from)
		out = append(out, Section{Title: title, Level: level, From: l.from})
	}
	closeFrom(out, 1, len(text))
	return out
}

// closeFrom ends the open sections at a level and below.
func closeFrom(all []Section, level, at int) {
	for i := range all {
		if all[i].To == 0 && all[i].Level >= level {
			all[i].To = at
		}
	}
}

func titleOf(text string) (title string, level int) {
	if m := heading.FindStringSubmatch(text); m != nil {
		return strings.Trim(m[2], "*_: "), len(m[1])
	}
	if m := boldLine.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1]), boldLevel
	}
	if m := label.FindStringSubmatch(text); m != nil {
		return m[1], labelLevel
	}
	return "", 0
}

// Titles recognizes sections by their titles.
type Titles []*pattern.Regexp

// Match reports whether a title is one of these.
func (t Titles) Match(title string) bool {
	for _, one := range t {
		if one.MatchString(title) {
			return true
		}
	}
	return false
}

// Titled returns the sections of a report with one of these titles.
func (r *Report) Titled(t Titles) []Section {
	var out []Section
	for _, s := range r.Sections {
		if t.Match(s.Title) {
			out = append(out, s)
		}
	}
	return out
}
