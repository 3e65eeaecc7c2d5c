package doc

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// saying has a text wherever a document can have one.
func saying(say string) Document {
	all := []Block{
		&Paragraph{Text: say}, &Paragraph{Label: "Task", Text: say}, &Paragraph{Form: "[Turn %s] %s", Args: []any{1, say}},
		&Paragraph{Text: say, Tone: Bad},
		Figures{{Name: "Figure", Value: say, Small: say}},
		&List{Items: []Entry{{Text: say, Command: say, Link: "x", Anchor: "x"}}}, &List{Bare: true, Items: []Entry{{Text: say}}},
		&Card{
			Title: say, Mark: say, Class: "A", Lines: []Entry{{Text: say}},
			Quotes: []Quote{{
				Place: say, Against: say, Brief: say, Lines: []QuoteLine{{Number: 1, Pieces: []Piece{{Text: say, Marked: true}}}},
				Flow: []Step{{Role: say, Code: say}},
			}},
		},
		&Table{Caption: say, Columns: []string{"Name", "Value"}, Rows: [][]Cell{{{Text: say, Link: "x"}, {Text: say}}}},
		&Timeline{Groups: []Moment{{Name: say, Note: say, Badges: []Badge{{"fire", say}}, Items: []Entry{{Text: say}}}}},
		&Picture{Legend: []Segment{{Class: "fired", Words: say}}, Words: say},
	}
	return Document{
		Of: "a test", Heading: "HEADING", Name: say, Brief: say, Lead: all, Tail: say,
		Parts: []Part{{Title: "Part", Blocks: all}, {Title: say, Empty: say}, {Title: "How", Explain: true, Blocks: all}},
	}
}

func forms(t testing.TB, d Document, s Screen) (screen, markdown, page string) {
	var a, b, c bytes.Buffer
	require.NoError(t, WriteText(&a, d, s))
	require.NoError(t, WriteMarkdown(&b, d))
	require.NoError(t, WriteHTML(&c, Page{Of: "a test", Heading: "HEADING", Documents: []Document{d, d}}))
	return a.String(), b.String(), c.String()
}

// What agents and people wrote is text in every form, wherever it comes.
func TestHostileTextIsText(t *testing.T) {
	for _, say := range []string{
		"<script>alert(1)</script>", "# heading", "- item", "| a | b |", "[a](http://b.example)", "![i](x)", "`code` ``x``",
		"\x1b[31mred\x1b[0m", "right\u202eleft", "two\nlines\n\n# heading", "https://evil.example/x", "***", "&lt;b&gt;",
		"{{.}}", `" onclick="x`, "</details></main>", "100% %s %d",
	} {
		screen, markdown, page := forms(t, saying(say), Screen{Width: 60, Explain: true})
		for _, r := range screen + page {
			require.False(t, r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%q in %q", r, say)
		}
		require.NotContains(t, screen+markdown, "%!", "a text is no format")
		root, err := html.Parse(strings.NewReader(page))
		require.NoError(t, err)
		for n := range root.Descendants() {
			require.NotContains(t, []string{"script", "img", "b.example"}, n.Data, say)
			for _, a := range n.Attr {
				require.False(t, strings.HasPrefix(a.Key, "on"), "%s in %q", a.Key, say)
				require.False(t, a.Key == "href" && !strings.HasPrefix(a.Val, "#"), a.Val)
			}
		}
		tree := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(markdown)))
		require.NoError(t, ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n.Kind() {
			case ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock, ast.KindFencedCodeBlock,
				ast.KindBlockquote, ast.KindThematicBreak:
				t.Errorf("%q became a %s", say, n.Kind())
			}
			return ast.WalkContinue, nil
		}))
	}
}

// CO-9b: how it was decided is behind --explain in text, behind one click on a page, and a
// document with several others is folded where it has nothing to say.
func TestHowItWasDecidedIsOneStepFurther(t *testing.T) {
	d := Document{Of: "x", Heading: "H", Name: "N", Tail: "more with --explain", Parts: []Part{
		{Title: "What happened", Blocks: []Block{Lines([]string{"It failed."})}},
		{Title: "Arithmetic", Explain: true, Blocks: []Block{Lines([]string{"urgency 4.0"})}},
	}}
	short, _, page := forms(t, d, Screen{})
	require.Contains(t, short, "It failed.")
	require.Contains(t, short, "more with --explain")
	require.NotContains(t, short, "urgency")
	long, _, _ := forms(t, d, Screen{Explain: true})
	require.Contains(t, long, "urgency 4.0")
	require.NotContains(t, long, "more with --explain")
	fold := strings.Index(page, `<details class="explain">`)
	require.Greater(t, fold, strings.Index(page, "It failed."))
	require.Greater(t, strings.Index(page, "urgency 4.0"), fold)
	d.Quiet = true
	_, _, folded := forms(t, d, Screen{})
	require.Contains(t, folded, `<details class="session">`)
}

// Parts with nothing are left out of text, and replaced by their word elsewhere.
func TestEmptyParts(t *testing.T) {
	d := Document{Of: "x", Heading: "H", Parts: []Part{
		{Title: "Gone", Blocks: []Block{Lines(nil), &Paragraph{}, &Table{}}},
		{Title: "Said", Empty: "None."},
		{Title: "Kept", Empty: "None.", Always: true},
		{Title: "Page alone", Not: Text | Markdown, Blocks: []Block{&Paragraph{Text: "drawn"}}},
		{Title: "Prescribed", Prescribed: true, Empty: "None."},
	}}
	screen, markdown, page := forms(t, d, Screen{})
	require.Equal(t, "H\n\nKept\n  None.\n", screen)
	require.Equal(t, "## H\n\n### Said\n\nNone.\n\n### Kept\n\nNone.\n\n**Prescribed:**\n\nNone.\n", markdown)
	require.NotContains(t, page, "Gone")
	require.Contains(t, page, "drawn")
}

// A table shows no zeros, and no column of them (CO-9b); too wide for the terminal, it is a line for each row.
func TestWideTables(t *testing.T) {
	p := FiguresPart("T", "name", "first", "second", "third")
	p.Row("a long name", "1", "0", "–")
	p.Row("b", "10", "2", "")
	d := Document{Of: "x", Heading: "H", Parts: []Part{p}}
	wide, markdown, page := forms(t, d, Screen{Width: 80})
	require.Contains(t, wide, "  name         first  second\n  a long name      1\n  b               10       2\n")
	require.NotContains(t, page, "third")
	require.Contains(t, page, `<td data-name="second"></td>`)
	require.Contains(t, markdown, "|---|---:|---:|---:|\n| a long name | 1 | 0 | – |")
	narrow, _, _ := forms(t, d, Screen{Width: 25})
	require.Contains(t, narrow, "  • a long name: first 1\n  • b: first 10, second 2\n")
}

// What names a row is shown whatever it is: a setting of 0 is a setting.
func TestNamedByZero(t *testing.T) {
	p := FiguresPart("T", "fire", "queue", "interrupts", "breaks")
	p.NamedBy(2)
	p.Row("0", "0", "3", "0")
	screen, _, page := forms(t, Document{Of: "x", Heading: "H", Parts: []Part{p}}, Screen{Width: 80})
	require.Contains(t, screen, "  fire  queue  interrupts\n  0         0           3\n")
	require.Contains(t, page, `<th scope="row">0</th><td data-name="queue">0</td><td data-name="interrupts">3</td></tr>`)
}

func TestExcept(t *testing.T) {
	d := Document{Of: "x", Heading: "H", Lead: []Block{
		Except(Text, &Paragraph{Text: "one"}), Except(Markdown, &Paragraph{Text: "two"}), Except(HTML, &Paragraph{Text: "three"}),
	}}
	screen, markdown, page := forms(t, d, Screen{})
	for _, c := range []struct{ form, not string }{{screen, "one"}, {markdown, "two"}, {page, "three"}} {
		for _, word := range []string{"one", "two", "three"} {
			require.Equal(t, word != c.not, strings.Contains(c.form, word), "%s in %s", word, c.form)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestReportNamesItselfInErrors(t *testing.T) {
	r := Report{
		Of: "run shop", Model: 1, Screen: func() Document { return Document{Of: "run shop"} },
		Page: func() Page { return Page{Of: "run shop"} },
	}
	for _, form := range []string{"text", "md", "html", "json"} {
		require.NoError(t, r.Write(&bytes.Buffer{}, form, Screen{}))
		require.ErrorContains(t, r.Write(failing{}, form, Screen{}), "run shop")
	}
	require.ErrorContains(t, r.Write(&bytes.Buffer{}, "pdf", Screen{}), `no form "pdf"`)
}

func FuzzDocument(f *testing.F) {
	f.Add("a *text*\n<b>", 40)
	f.Fuzz(func(t *testing.T, say string, width int) {
		forms(t, saying(say), Screen{Width: width % 200, Explain: true})
	})
}
