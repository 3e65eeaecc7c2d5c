package prose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"newlines are folded", "One sentence\nover lines. Two!", []string{"One sentence over lines.", "Two!"}},
		{"abbreviations join", "Ask Mr. Smith, e.g. Tuesday. Then go.", []string{"Ask Mr. Smith, e.g. Tuesday.", "Then go."}},
		{"list items are sentences", "Plan:\n- first thing\n- second\n1. third", []string{"Plan:", "first thing", "second", "third"}},
		{"headings and paragraphs", "# Title\nText here\n\nMore", []string{"Title", "Text here", "More"}},
		{"dots in names and code", "Open main.go now. Call `a. B` there.", []string{"Open main.go now.", "Call `a. B` there."}},
		{"curly quotes", "It’s “done”.", []string{`It's "done".`}},
		{"code is left out", "Before.\n```\nx = 1. Y\n```\nAfter.", []string{"Before.", "After."}},
		{"task list", "- [x] done it\n- [ ] open it", []string{"done it", "open it"}},
		{"nothing", " \n\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, s := range Sentences(c.text) {
				got = append(got, s.Text)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestSentenceOffsets(t *testing.T) {
	text := "  It’s **one**\n  sentence. And\u00a0another — here.\n* item “x”"
	var got []string
	for _, s := range Sentences(text) {
		got = append(got, text[s.Offset:s.Offset+s.Length])
	}
	require.Equal(t, []string{"It’s **one**\n  sentence.", "And\u00a0another — here.", "item “x”"}, got)
}

// Every byte of the folded text that is not white space or a quote stands at
// its source offset, and offsets never go back.
func TestSourceOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"word ", "It’s ", "`co de`", "\n", "\n\n", "- ", "**b** ", "“q” ", "é. ", "```\n", "1. ", "\t", "A. "}), 0, 40).Draw(t, "parts")
		text := strings.Join(parts, "")
		d := Parse(text)
		last := -1
		for i := range len(d.Text) {
			at := d.Source(i)
			require.GreaterOrEqual(t, at, last)
			last = at
			if c := d.Text[i]; c > ' ' && c != '\'' && c != '"' {
				require.Equal(t, c, text[at], "offset %d of %q in %q", i, d.Text, text)
			}
		}
	})
}

func TestTerms(t *testing.T) { // SW-14
	require.Equal(t, []string{"cach", "user", "session", "login", "handler", "pars", "id"},
		Terms("Please add caching of users' sessions to the login handler, see parseUserId; use 42 files."))
	require.Equal(t, "cach", Stem("Caching"))
}

func BenchmarkParseAndFlags(b *testing.B) {
	r := loadFlags(b)
	text := strings.Repeat("Let me look at the handler in `internal/x/y.go` first. It's what the tests call, e.g. on\nreload. Then the cache is read again.\n\n- the first item\n", 28)
	b.SetBytes(int64(len(text)))
	b.Run("flags", func(b *testing.B) {
		for b.Loop() {
			r.Find(Parse(text))
		}
	})
	b.Run("sentences", func(b *testing.B) {
		for b.Loop() {
			Parse(text).Sentences()
		}
	})
}

// Sentences that no space separates are two; a name with a dot is one (SW-3a).
func TestGluedSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"It is in the package.Actually, I was wrong.":                 {"It is in the package.", "Actually, I was wrong."},
		"We use `config.New()`.But wait, there is more?Let me see.":   {"We use `config.New()`.", "But wait, there is more?", "Let me see."},
		"It converts strategy.State to session.State via a function.": {"It converts strategy.State to session.State via a function."},
		"Set cmd.Stdout and call store.The here.":                     {"Set cmd.Stdout and call store.", "The here."},
		"Version 1.2.First is a name":                                 {"Version 1.2.", "First is a name"},
		"`a.But b`.":                                                  {"`a.But b`."},
	} {
		var got []string
		for _, s := range Sentences(text) {
			got = append(got, s.Text)
		}
		require.Equal(t, want, got)
	}
}
