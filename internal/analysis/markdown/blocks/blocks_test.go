package blocks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
)

func describe(source string) []string {
	names := map[markdown.Kind]string{
		markdown.Prose: "prose", markdown.Fence: "fence", markdown.Indented: "indented", markdown.List: "list", markdown.TaskList: "tasks", markdown.Quote: "quote",
	}
	var out []string
	for _, b := range Of(source) {
		out = append(out, names[b.Kind]+" "+source[b.Start:b.End])
	}
	return out
}

func TestBlocksCoverTheSource(t *testing.T) {
	cases := []struct {
		name, source string
		want         []string
	}{
		{"prose only", "# Title\n\nfirst\nline\n\nsecond", []string{"prose # Title", "prose first\nline", "prose second"}},
		{"fence between prose", "before\n\n```go\nx := 1\n```\nafter", []string{"prose before", "fence ```go\nx := 1\n```", "prose after"}},
		{"fence interrupts a paragraph", "before\n~~~\ncode\n~~~\n", []string{"prose before", "fence ~~~\ncode\n~~~"}},
		{"unclosed fence", "a\n\n```py\nx = 1\ny", []string{"prose a", "fence ```py\nx = 1\ny"}},
		{"empty fence", "```\n```\nz", []string{"fence ```\n```", "prose z"}},
		{"longer fence holds a shorter one", "````md\n```go\n```\n````\n", []string{"fence ````md\n```go\n```\n````"}},
		{"fence in a list", "- one\n  ```js\n  f()\n  ```\n- two\n", []string{"list - one", "fence   ```js\n  f()\n  ```", "list - two"}},
		{"fence in a quote", "> said\n> ```\n> x\n> ```\n", []string{"quote > said", "fence > ```\n> x\n> ```"}},
		{"tasks", "- [ ] a\n- [x] b\n", []string{"tasks - [ ] a\n- [x] b"}},
		{"indented code", "text\n\n    code\n\nend", []string{"prose text", "indented     code", "prose end"}},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |\n", []string{"prose | a | b |\n|---|---|\n| 1 | 2 |"}},
		{"setext heading", "Title\n=====\n\ntext", []string{"prose Title\n=====", "prose text"}},
		{"empty", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, describe(c.source)) })
	}
}

func TestFenceParts(t *testing.T) {
	b := Of("- x\n\n  ```Python title=\"a.py\"\n  def f():\n      pass\n  ```\n")[1]
	require.Equal(t, "python", b.Language)
	require.Equal(t, `Python title="a.py"`, b.Info)
	require.Equal(t, "def f():\n    pass\n", b.Body)
}

func TestTasks(t *testing.T) {
	b := Of("1. [X] done **well**\n2. [ ] open\n   - [ ] inner\n3. plain\n")[0]
	require.Equal(t, markdown.TaskList, b.Kind)
	require.Equal(t, []markdown.Task{{Text: "done **well**", Done: true}, {Text: "open"}, {Text: "inner"}}, b.Tasks)
}

func FuzzBlocks(f *testing.F) {
	f.Add("# a\n\n- [ ] b\n  ```go\n  x\n  ```\n> q\n> ~~~\n\n    code\n[ref]: /x\n<div>\n|a|\n|-|\n")
	f.Add("~~~\n\n```\r\n\ttab\n- - - ```")
	f.Fuzz(func(t *testing.T, source string) {
		at := 0
		for _, b := range Of(source) {
			require.GreaterOrEqual(t, b.Start, at)
			require.Greater(t, b.End, b.Start)
			require.LessOrEqual(t, b.End, len(source))
			at = b.End
		}
	})
}

// sample is about 4 KB of the Markdown an agent writes.
var sample = strings.Repeat("I will **change** the `handler` so that it [reads](x) the config first.\nThen tests.\n\n- one\n- two\n\n```go\nfunc f() int {\n\treturn 1\n}\n```\n\n", 26)

func BenchmarkBlocks(b *testing.B) {
	b.SetBytes(int64(len(sample)))
	for b.Loop() {
		Of(sample)
	}
}

func BenchmarkGoldmarkWithInlines(b *testing.B) {
	p := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	b.SetBytes(int64(len(sample)))
	for b.Loop() {
		p.Parse(text.NewReader([]byte(sample)))
	}
}
