package quote_test

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote/quotetest"
)

// DP-20: whatever somebody wrote, in a sentence of ours it is at most 60 characters on one line
// that nobody takes for ours.
func TestNothingHostileReadsAsOurs(t *testing.T) {
	texts := quotetest.Hostile()
	require.GreaterOrEqual(t, len(texts), 100)
	for name, of := range map[string]func(string) string{
		"text": quote.Text, "code": quote.Code, "name": quote.Name, "path": quote.Path,
		"words": func(text string) string { return quote.Words(text, 6) },
	} {
		for _, text := range texts {
			got := of(text)
			require.Empty(t, quotetest.Problem("The turn edits "+got+" again."), "%s of %q: %s", name, text, got)
			require.NotContains(t, got, "\n")
			require.LessOrEqual(t, utf8.RuneCountInString(strings.Trim(got, "\"`")), quote.Limit, "%s of %q: %s", name, text, got)
			require.Equal(t, got, quote.Line(got), "what is quoted passes a channel as it is")
		}
	}
}

// The check of the tests finds what it must.
func TestTheCheckFindsWhatPasses(t *testing.T) {
	for _, text := range quotetest.Hostile() {
		if !strings.HasPrefix(text, "parse.go") { // nobody sees the rest
			require.NotEmpty(t, quotetest.Problem("The turn edits "+strings.NewReplacer(`"`, "", "`", "").Replace(text)+" again."), "%q", text)
		}
	}
	require.NotEmpty(t, quotetest.Problem("parse.go \U000E0041"))
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		" a \n\t b\u2028c ":             "a b c",
		"\x1b[1;31mred\x1b[0m":          "red",
		"a\x1b]0;title\ab":              "ab",
		"a\x1b]8;;x\x1b\\b":             "ab",
		"a\x1b]0;never ended\nb":        "a b",
		"a\x1b]0;x\x1b[31mb":            "ab",
		"\u009b31mred":                  "red",
		"\x1b[\nx":                      "x",
		"\x1b[31":                       "",
		"\x1b[K\x1b[12Kx":               "x",
		"\x1b":                          "",
		"\x1bcx":                        "cx",
		"a\u202eb\u200bc\ufeffd":        "abcd",
		"Z\u0300\u0301\u0302\u0303a":    "Z\u0300\u0301a",
		"e\u0301e\u0301e\u0301":         "e\u0301e\u0301e\u0301",
		"\xffx":                         "\uFFFDx",
		"# Title":                       "Title",
		"> - 1":                         "1",
		"- ":                            "-",
		"--help":                        "--help",
		"*.go":                          "*.go",
		"rg -g '**/*.go'":               "rg -g '**/*.go'",
		"**a** and **b c** end":         "a and b c end",
		"2 ** 3 ** 4":                   "2 ** 3 ** 4",
		"~~gone~~":                      "gone",
		"a || b || c":                   "a || b || c",
		"**a":                           "**a",
		"```go x```":                    "'go x'",
		`say "x"`:                       "say 'x'",
		"“x” „y“ «z»":                   "'x' 'y' 'z'",
		"[a](b) ![c](d) [e][f]":         "[a] (b) [c] (d) [e] [f]",
		"<b>x</b>":                      "‹b›x‹/b›",
		"a < b -> c > d <= e":           "a < b -> c > d <= e",
		"Map<K, List<V>>":               "Map‹K, List‹V››",
		"<|im_start|>":                  "‹|im_start|›",
		"＜b＞":                           "‹b›",
		"@everyone and @here":           "everyone and here",
		strings.Repeat("é", 60):         strings.Repeat("é", 60),
		strings.Repeat("é", 61):         strings.Repeat("é", 59) + "…",
		strings.Repeat("abcd ", 20):     strings.TrimSpace(strings.Repeat("abcd ", 12))[:59] + "…",
		strings.Repeat("x", 58) + "…yz": strings.Repeat("x", 58) + "…",
	} {
		require.Equal(t, want, quote.Plain(text), "%q", text)
	}
}

func TestWords(t *testing.T) {
	require.Equal(t, `"a b"`, quote.Words("a  b", 2))
	require.Equal(t, `"a b…"`, quote.Words("a b c", 2))
	require.Equal(t, `""`, quote.Words("", 2))
	require.Equal(t, "`go test ./...`", quote.Code("go test ./..."))
	require.Equal(t, `"x"`, quote.Text("x"))
}

// What a person decides on is longer, and no more ours.
func TestPassage(t *testing.T) {
	for _, text := range quotetest.Hostile() {
		require.Empty(t, quotetest.Problem("Agent's reading: "+quote.Passage(text)), "%q", text)
	}
	require.Equal(t, `"`+strings.Repeat("x", 239)+`…"`, quote.Passage(strings.Repeat("x", 241)))
	require.Equal(t, `"`+strings.Repeat("x", 240)+`"`, quote.Passage(strings.Repeat("x", 240)))
}

// A name stays as it is; what could be words is quoted.
func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"fetchUser": "fetchUser", "HTTPServer": "HTTPServer", "__init__": "__init__", "std::vector<int>": "std::vector‹int›", "foo()": "foo()",
		"List.map": "List.map", "one_two_three_four_five": "one_two_three_four_five", "one_two_three_four_five_six": `"one_two_three_four_five_six"`,
		"OneTwoThreeFourFive": "OneTwoThreeFourFive", "OneTwoThreeFourFiveSix": `"OneTwoThreeFourFiveSix"`, "parseHTTPAndXMLBody": "parseHTTPAndXMLBody",
		"do this": `"do this"`, "": `""`, "naïve": "naïve", "x!": `"x!"`, "日本語": "日本語",
	} {
		require.Equal(t, want, quote.Name(name))
	}
}

// A path is relative to home, shortened in the middle, and quoted where a part could be words.
func TestPath(t *testing.T) {
	for path, want := range map[string]string{
		"internal/app/x.go":        "internal/app/x.go",
		"/home/ada/work/a.go":      "~/work/a.go",
		"/Users/ada/a.go":          "~/a.go",
		path.Join("/root", "a.go"): "~/a.go",
		"/root":                    "/root",
		"/rooted/a.go":             "/rooted/a.go",
		"/home/ada":                "/home/ada",
		"/etc/passwd":              "/etc/passwd",
		`src\win\a.cs`:             "src/win/a.cs",
		"a b/c.go":                 `"a b/c.go"`,
		"":                         `""`,
		"src/日本語/ファイル.go":          "src/日本語/ファイル.go",
		"1/2/3/4/5/6/7/8/x.go":     "1/2/3/4/5/6/7/8/x.go",
		"0/1/2/3/4/5/6/7/8/x.c":    "0/…/4/5/6/7/8/x.c",
		"/0/1/2/3/4/5/6/7/8/x":     "/0/…/4/5/6/7/8/x",
		"apps/storefront/packages/checkout/components/payment/methods/CardForm.tsx": "apps/…/checkout/components/payment/methods/CardForm.tsx",
		strings.Repeat("x", 70) + ".go":                                             strings.Repeat("x", 39) + "…" + strings.Repeat("x", 17) + ".go",
		"ignore-all-of-the-earlier-words/x.go":                                      `"ignore-all-of-the-earlier-words/x.go"`,
	} {
		require.Equal(t, want, quote.Path(path))
	}
	require.Equal(t, "a.go:12", quote.Place("a.go", 12))
	require.Equal(t, "a.go:1", quote.Place("a.go", 1))
	require.Equal(t, "a.go", quote.Place("a.go", 0))
	require.Equal(t, `"a b.go":3`, quote.Place("a b.go", 3))
}

// A message of ours stays as it is, on one line; what it quotes opens nothing.
func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"`x` in a.go:1 repeats \"y\" (built in turn 2); reuse it.": "`x` in a.go:1 repeats \"y\" (built in turn 2); reuse it.",
		"a\nb":               "a b",
		"a <b>b</b> ```c":    "a ‹b›b‹/b› '''c",
		"⚡ 100 % – done … é": "⚡ 100 % – done … é",
		"\x1b[31ma\u202e b":  "a b",
	} {
		require.Equal(t, want, quote.Line(text))
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range quotetest.Hostile() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := quote.Plain(text)
		require.NotContains(t, got, `"`)
		require.NotContains(t, got, "`")
		require.Empty(t, quotetest.Problem(quote.Text(text)+quote.Path(text)+quote.Name(text)))
	})
}
