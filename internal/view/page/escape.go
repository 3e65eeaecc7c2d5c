package page

import (
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// Plain returns untrusted text on one line without control characters and invisible format characters, so
// that it can mislead neither a terminal nor a reader.
func Plain(text string) string {
	return quote.Visible(strings.ReplaceAll(strings.ToValidUTF8(text, ""), string(unicode.ReplacementChar), ""))
}

// markup are the characters with a meaning in Markdown or GitHub's extensions of it: emphasis, code, links,
// images, HTML, entities, tables, strikethrough, mentions, mathematics.
const markup = "\\`*_[]<>&|~@$!{}"

var (
	// Text that GitHub turns into links.
	scheme = pattern.Must(`://`)
	www    = pattern.Must(`(?i)\bwww\.`)
	// Text that opens a block at the beginning of an item or a paragraph.
	opener = pattern.Must(`^([-+#=]|\d+[.)])`)
)

// Inline escapes untrusted text so that it appears unchanged within a line of Markdown.
func Inline(text string) string {
	var b strings.Builder
	for _, r := range Plain(text) {
		if strings.ContainsRune(markup, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	text = scheme.ReplaceAllString(b.String(), `:\//`)
	return www.ReplaceAllStringFunc(text, func(m string) string { return m[:3] + `\.` })
}

// Escape is [Inline] for text that begins a line.
func Escape(text string) string {
	return opener.ReplaceAllStringFunc(Inline(text), func(m string) string { return m[:len(m)-1] + `\` + m[len(m)-1:] })
}

// turnMark matches our own mark before an item; the space after it keeps it from being a link.
var turnMark = pattern.Must(`^\\\[Turn (\d+)\\\] `)

// Item is [Escape] for an item that may begin with "[Turn N] ".
func Item(text string) string {
	return turnMark.ReplaceAllString(Escape(text), "[Turn $1] ")
}
