package page

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

var hostile = []string{
	"# heading", "- item", "1. one", "> quote", "+ plus", "=== line", "*bold* _it_ `code`", "[a](http://b.example)", "![i](x)",
	"<script>alert(1)</script>", "a | b", "~~x~~", "https://evil.example/x", "www.evil.example", "WWW.evil.example", "mail me@evil.example",
	"&lt;b&gt;", "two\nlines\n\n# and a heading", "tab\there", "\x1b[31mred\x1b[0m", "right\u202eleft", "\\", "\\\\*", "@someone", "$x$",
	"ftp://a.b", "[ ] task", "12) twelve", "***", "---", "‹secret:rule:0123456789ab›", "ends with \\", "a@b.c", "{{x}}", "[x]: http://y.example",
}

func TestEscapeStandsAsItIs(t *testing.T) {
	for _, input := range hostile {
		checkEscape(t, input)
	}
}

func FuzzEscape(f *testing.F) {
	for _, input := range hostile {
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input string) {
		if utf8.ValidString(input) {
			checkEscape(t, input)
		}
	})
}

// checkEscape renders the text as an item and as a paragraph of GitHub's
// Markdown: only text comes out, the same text that went in.
func checkEscape(t *testing.T, input string) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))
	want := Plain(input)
	for _, frame := range []string{"- ", "", "URGENCY 2.0 — "} {
		source := []byte(frame + Escape(input) + "\n")
		doc := md.Parser().Parse(text.NewReader(source))
		var got bytes.Buffer
		require.NoError(t, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.List, *ast.ListItem:
			case *ast.Text:
				got.Write(unescape(n.Segment.Value(source)))
			default:
				t.Fatalf("%q became a %s in %q", input, n.Kind(), source)
			}
			return ast.WalkContinue, nil
		}))
		require.Equal(t, strings.TrimSpace(strings.TrimPrefix(frame, "- ")+want), strings.TrimSpace(got.String()), "source %q", source)
	}
}

// unescape drops the backslashes that Markdown does.
func unescape(source []byte) []byte {
	var out []byte
	for i := 0; i < len(source); i++ {
		if source[i] == '\\' && i+1 < len(source) && unicode.In(rune(source[i+1]), unicode.Punct, unicode.Symbol) && source[i+1] < utf8.RuneSelf {
			i++
		}
		out = append(out, source[i])
	}
	return out
}
