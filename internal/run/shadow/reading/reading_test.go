package reading

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func names() *FileNames {
	f := &FileNames{Endings: []string{"go", "py", "md", "c"}, Names: []string{"Makefile"}, Never: []string{"node.js", "three.c"}}
	f.Compile()
	return f
}

func reader(t testing.TB) *FindingReader {
	t.Helper()
	titles, err := compileTitles(pattern.Checked, "titles", []string{`^findings?\b`, `^concerns?\b`, `^issues?\b`})
	require.NoError(t, err)
	f := &FindingReader{Titles: titles, Files: names(), Most: 20, Bytes: 200, Severities: []SeverityWords{
		{runevents.SeverityCritical, []string{"critical", "major"}}, {runevents.SeverityWarning, []string{"warning", "minor"}}, {runevents.SeverityInfo, []string{"info", "nit"}},
	}}
	require.NoError(t, f.Compile(pattern.Checked))
	return f
}

func TestWordsAreCountedWithoutMarks(t *testing.T) {
	for text, want := range map[string]int{"": 0, " \n": 0, "a b": 2, "- a\n\n| b | — |\n***": 2, "## Über 1": 2, "don't stop-me": 2} {
		require.Equal(t, want, CountWords(text), text)
	}
}

func TestFinalPart(t *testing.T) {
	r := Read("a b c d e f g h", 100)
	require.Equal(t, "g h", r.Text[r.FinalPart(25):])
	require.Equal(t, "h", r.Text[r.FinalPart(12+1):])
	short := Read(strings.Repeat("word ", 50), 100)
	require.Equal(t, 50, short.Words)
	require.False(t, short.Complete())
	require.Equal(t, len(short.Text), short.FinalPart(25))
}

func TestSections(t *testing.T) {
	text := "Intro\n\n# Findings\n\na\n\n## Critical: x\n\nb\n\n**Notes**\n\nc\n\n# Recommendation #\n\nd\nSummary: e\nf\n\ng\n```\n# no title\n```\n> # no title\n"
	var got []string
	for _, s := range Read(text, 1000).Sections {
		got = append(got, fmt.Sprintf("%d %s %q", s.Level, s.Title, text[s.From:s.To]))
	}
	require.Equal(t, `1 Findings "# Findings\n\na\n\n## Critical: x\n\nb\n\n**Notes**\n\nc\n\n"`, got[0])
	require.Equal(t, []string{"Findings", "Critical: x", "Notes", "Recommendation", "Summary"}, titlesOf(text))
	require.Contains(t, got, `8 Summary "Summary: e\nf\n"`)
}

func titlesOf(text string) []string {
	var out []string
	for _, s := range Read(text, 1000).Sections {
		out = append(out, s.Title)
	}
	return out
}

func TestFileNames(t *testing.T) {
	for text, want := range map[string][]Place{
		"In `auth/session.go:12` and ./a.py, see docs/x.md.": {{"auth/session.go", 12}, {"a.py", 0}, {"docs/x.md", 0}},
		"It is e.g. fine, i.e. good.Then it ends.":           nil,
		"Node.js and three.c are no files":                   nil,
		"https://example.org/a.go is an address":             nil,
		"Makefile, a.go, a.go and .go":                       {{"Makefile", 0}, {"a.go", 0}},
		`windows\path\x.go`:                                  {{"windows/path/x.go", 0}},
		"a.go:99999999999999999999":                          {{"a.go", 0}},
		"U.S.C is no file, end.Go neither":                   nil,
	} {
		require.Equal(t, want, names().Find(text), text)
	}
}

func TestSameFileAndCovers(t *testing.T) {
	require.True(t, SameFile("a/b.go", "/w/repo/a/b.go"))
	require.True(t, SameFile("/w/repo/a/b.go", "a/b.go"))
	require.False(t, SameFile("b.go", "ab.go"))
	require.False(t, SameFile("b.go", "a/b.go"))
	require.False(t, SameFile("", ""))
	for _, one := range []struct {
		planned, file string
		want          bool
	}{
		{"a.go", "a.go", true},
		{"a.go", "b.go", false},
		{"lib/", "lib/x/y.go", true},
		{"lib", "lib/x.go", true},
		{"lib", "library.go", false},
		{"lib/**", "lib/x/y.go", true},
		{"*.go", "x/y.go", true},
		{"x/*.go", "x/y.go", true},
		{"x/*.go", "z/y.go", false},
		{".", "z/y.go", true},
		{"", "a.go", false},
		{"[", "a.go", false},
		{"lib", "/w/lib/x.go", true},
	} {
		require.Equal(t, one.want, Covers(one.planned, one.file), "%v", one)
	}
}

func TestFindingsOfAClearList(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
		listed     bool
	}{
		{"prose", "It is CRITICAL that this works. Critical: no. A WARNING is logged.", nil, false},
		{"a list of something else", "## Steps\n\n- read\n- critical thinking\n- Warning signs are there", nil, false},
		{"tags anywhere", "- [CRITICAL] a in x.go:3\n- **Warning**: b\n- `nit` c\n- MINOR - d", []string{"CRITICAL a in x.go:3 @x.go:3", "WARNING b", "INFO c", "WARNING d"}, true},
		{"a list under a title", "## Findings\n\n1. a\n2. b\n\n## Next\n\n- c", []string{" a", " b"}, true},
		{"severity titles", "# Findings\n\n## Critical (1)\n\n- a\n\n## Warning\n\n- b\n\n# Done\n\n- c", []string{"CRITICAL a", "WARNING b"}, true},
		{"severity titles alone", "## Major issues\n- a\n## Critical path\n- b", []string{"CRITICAL a"}, true},
		{"details", "Findings:\n- [CRITICAL] a. Fix: close it.\n  Repro: run it\n  - Category: security\n- b\n  more", []string{"CRITICAL a. Fix: close it. fix=close it. repro=run it category=security", " b more"}, true},
		{"an empty list", "## Findings\n\nNone.", nil, true},
		{"a table", "| Severity | File | Finding | Fix |\n|---|---|---|---|\n| critical | a.go | open | close |\n| ? | b.go | x | y |", []string{"CRITICAL a.go open fix=close @a.go"}, true},
		{"another table", "| Name | Value |\n|---|---|\n| critical | 1 |", nil, false},
		{"code", "```\n- [CRITICAL] a\n```", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, listed := reader(t).Findings(Read(test.text, 10_000))
			var got []string
			for _, f := range found {
				got = append(got, shown(f))
			}
			require.Equal(t, test.want, got)
			require.Equal(t, test.listed, listed)
		})
	}
}

func shown(f runevents.Finding) string {
	out := string(f.Severity) + " " + strings.Join(strings.Fields(strings.Split(f.Text, "\n  ")[0]), " ")
	if i := strings.Index(out, " Repro:"); i > 0 {
		out = out[:i]
	}
	for _, one := range [][2]string{{" fix=", f.Fix}, {" repro=", f.Repro}, {" category=", f.Category}, {" @", f.File}} {
		if one[1] != "" {
			out += one[0] + one[1]
		}
	}
	if f.Line > 0 {
		out += fmt.Sprint(":", f.Line)
	}
	return out
}

func TestSentencesOfTheEndOnly(t *testing.T) {
	l := &WordList{Phrases: []string{"overall", "to sum up"}, Unless: []string{"not overall"}}
	require.NoError(t, l.Compile(pattern.Checked, "words"))
	text := "Overall it is fine. It reads. It writes. To sum up, it works."
	require.Len(t, l.Sentences(Read(text, 100), 0), 2)
	require.Len(t, l.Sentences(Read(text, 100), 30), 1)
	require.Empty(t, l.Sentences(Read("It is not overall fine. \"Overall\" is a word. `overall`", 100), 0))
	require.False(t, l.In(""))
	require.ErrorContains(t, (&WordList{Phrases: []string{"("}}).Compile(pattern.Checked, "words"), `"("`)
	require.ErrorContains(t, (&WordList{Phrases: []string{"a"}, Unless: []string{"("}}).Compile(pattern.Checked, "words"), `"("`)
	require.Error(t, (&WordList{}).Compile(pattern.Checked, "words"))
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "# a\n- [CRITICAL] b", "| severity |\n|-|\n|critical|", "**x**\n\xff", "> a\n```\nb", "Findings:\n1. x\n   Fix: y", "a.go:1:2 ../.go"} {
		f.Add(seed)
	}
	find := reader(f)
	f.Fuzz(func(t *testing.T, text string) {
		r := Read(text, 1<<16)
		for _, s := range r.Sections {
			require.LessOrEqual(t, s.From, s.To)
			require.LessOrEqual(t, s.To, len(r.Text))
		}
		found, _ := find.Findings(r)
		require.LessOrEqual(t, len(found), find.Most)
		for _, one := range found {
			require.LessOrEqual(t, len(one.Text), find.Bytes)
			require.GreaterOrEqual(t, one.Line, 0)
		}
		require.LessOrEqual(t, r.FinalPart(25), len(r.Text))
	})
}

// compileTitles compiles the patterns of titles under key, ignoring case.
func compileTitles(from pattern.Compiler, key string, patterns []string) (Titles, error) {
	out := make(Titles, 0, len(patterns))
	for _, p := range patterns {
		one, err := from.Go(key, "(?i)"+p)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}
