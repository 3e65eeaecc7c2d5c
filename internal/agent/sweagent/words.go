package sweagent

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const maxWords = 16 << 10 // limit for the shell parser, in bytes

// words splits a line as the shell does, without expanding anything. It returns nil if the line is not
// valid shell.
func words(line string) []string {
	if len(line) > maxWords {
		return nil
	}
	var out []string
	for w, err := range syntax.NewParser().WordsSeq(strings.NewReader(line)) {
		if err != nil {
			return nil
		}
		var text strings.Builder
		write(&text, w.Parts, false)
		out = append(out, text.String())
	}
	return out
}

// write adds the text of a word's parts; an expansion stays as written.
func write(out *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out.WriteString(unescape(p.Value, quoted))
		case *syntax.SglQuoted:
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			write(out, p.Parts, true)
		default:
			_ = syntax.NewPrinter().Print(out, part) // a builder does not fail
		}
	}
}

// unescape removes backslashes: all of them outside quotes, in double quotes only those before a special
// character.
func unescape(s string, quoted bool) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("\"\\$`", s[i+1]) >= 0) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
