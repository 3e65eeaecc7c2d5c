package sessionreport

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

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var hostile = []string{
	"# heading", "- item", "1. one", "> quote", "+ plus", "=== line", "*bold* _it_ `code`", "[a](http://b.example)", "![i](x)",
	"<script>alert(1)</script>", "a | b", "~~x~~", "https://evil.example/x", "www.evil.example", "WWW.evil.example", "mail me@evil.example",
	"&lt;b&gt;", "two\nlines\n\n# and a heading", "tab\there", "\x1b[31mred\x1b[0m", "right\u202eleft", "\\", "\\\\*", "@someone", "$x$",
	"ftp://a.b", "[ ] task", "12) twelve", "***", "---", "‹secret:rule:0123456789ab›", "ends with \\", "a@b.c", "{{x}}", "[x]: http://y.example",
}

// The whole page contains only our own markup.
func TestHostileTextMakesNoMarkup(t *testing.T) {
	m := hostileScenario(t).model()
	var out bytes.Buffer
	require.NoError(t, RenderMarkdown(&out, m))
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(out.Bytes()))
	headings := 0
	require.NoError(t, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock, ast.KindCodeSpan, ast.KindCodeBlock,
			ast.KindFencedCodeBlock, ast.KindBlockquote, ast.KindThematicBreak:
			t.Errorf("%s in the report", n.Kind())
		case ast.KindHeading:
			headings++
		case ast.KindEmphasis:
			require.Equal(t, 2, n.(*ast.Emphasis).Level, "only our bold titles")
		case ast.KindList:
			require.Equal(t, doc, n.Parent(), "no list in a list")
		}
		return ast.WalkContinue, nil
	}))
	require.Equal(t, 8, headings)
}

func hostileScenario(t *testing.T) *scenario {
	s := newScenario(t, "s")
	s.feed(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: "s", Task: strings.Join(hostile, " ")})
	var flags []sessionevents.RedFlagHit
	for i, input := range hostile {
		s.signal("A2", input+strings.Repeat("x", i), 5, 0.1, func(g *sessionevents.Signal) { g.Message = input })
		s.signal("D2", input, 5, 0.1, func(g *sessionevents.Signal) { g.Message, g.Suppressed = input, input })
		flags = append(flags, sessionevents.RedFlagHit{ID: "RF01", Sentence: input})
	}
	s.close(true, &sessionevents.Observations{RedFlags: flags, Unsupported: hostile}, nil)
	s.fail(strings.Join(hostile, "\n"))
	s.close(true, nil, nil)
	s.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s", Reason: hostile[0]})
	return s
}

// A terminal sees no control character, whatever a session said.
func TestTextIsPlain(t *testing.T) {
	var out bytes.Buffer
	m := hostileScenario(t).model()
	require.NoError(t, RenderText(&out, m, 60, nil))
	for _, r := range out.String() {
		require.False(t, r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%q", r)
	}
	require.NotContains(t, Summary(m), "\n")
}

func TestTextIsWrapped(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, RenderText(&out, busy(t).model(), 50, nil))
	for _, line := range strings.Split(out.String(), "\n") {
		if utf8.RuneCountInString(line) > 50 {
			require.Len(t, strings.Fields(line), 1, "only a single long word stands over: %q", line)
		}
	}
}

// marked shows where a style was put.
type marked struct{ page.PlainStyle }

func (marked) Urgent(text string) string { return "<!" + text + "!>" }

func (marked) Good(text string) string { return "<+" + text + "+>" }

func TestTextTakesAStyle(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, RenderText(&out, busy(t).model(), 0, marked{}))
	require.Contains(t, out.String(), "<![Turn 1] CLASS-B | URGENCY: B1-ESCALATE!>")
	out.Reset()
	require.NoError(t, RenderText(&out, quiet(t).model(), 0, marked{}))
	require.Contains(t, out.String(), "<+Codebase health is improved.")
}
