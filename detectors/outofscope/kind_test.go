package outofscope

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func hunk(lines ...string) *sessionevents.Diff {
	return &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: lines}}}
}

func TestKindOfAnEdit(t *testing.T) {
	d, err := compile(rules.Default())
	require.NoError(t, err)
	cases := []struct {
		name    string
		diff    *sessionevents.Diff
		kind    kind
		renamed string
	}{
		{"quotes and wrapping", hunk(`-a = f('x', 1)`, `+a = f(`, `+    "x",`, `+    1,`, `+)`), kindReformat, ""},
		{"indentation", hunk("-  return x", "+    return x"), kindReformat, ""},
		{"blank lines", hunk("+", "+"), kindComments, ""},
		{"comments", hunk("-# old", "+# new", "+# more"), kindComments, ""},
		{"comment beside the same code", hunk("-// counts", "-n++", "+// Counts the rows.", "+n++"), kindComments, ""},
		{"a preprocessor line is code", hunk("-#include <a.h>", "+#include <b.h>"), kindRename, "a → b"},
		{"order of imports", hunk("-import b", "-import a", "+import a", "+import b"), kindMove, ""},
		{"a line moved over others", hunk("-a()", " b()", "+a()"), kindMove, ""},
		{"identifier", hunk("-tot = sum(xs)", "-return tot", "+total = sum(xs)", "+return total"), kindRename, "tot → total"},
		{"identifier that stays elsewhere", hunk("-tot = tot2 + tot", "+total = tot2 + tot"), kindEdit, ""},
		{"two identifiers", hunk("-a = b", "+c = d"), kindEdit, ""},
		{"keyword", hunk("-return True", "+return False"), kindEdit, ""},
		{"number", hunk("-n = 1", "+n = 2"), kindEdit, ""},
		{"more code", hunk("-n = 1", "+n = 1", "+m = 2"), kindEdit, ""},
		{"nothing known", &sessionevents.Diff{Op: sessionevents.DiffUpdate}, kindEdit, ""},
		{"cut", &sessionevents.Diff{Op: sessionevents.DiffUpdate, Truncated: 3, Hunks: hunk("-# a", "+# b").Hunks}, kindEdit, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			kind, renamed := d.kindOf(c.diff)
			require.Equal(t, c.kind, kind)
			require.Equal(t, c.renamed, renamed)
		})
	}
}

func TestStem(t *testing.T) {
	for file, want := range map[string]string{
		"src/auth/session.py": "session", "web/login-view.tsx": "login_view", "shop/index.ts": "shop", "pkg/__init__.py": "pkg",
		"./util": "util", "a/b.test.ts": "b", "": "",
	} {
		require.Equal(t, want, stem(file), file)
	}
	for name, want := range map[string]string{"app.auth.tokens": "tokens", "./auth/session": "session", "std::fmt": "fmt", "github.com/x/y": "y"} {
		require.Equal(t, want, module(name), name)
	}
}

func TestCodeNames(t *testing.T) {
	var got []string
	for name := range codeNames("Error in billing/invoice.py: Cannot find totalOf or the_sum. Expected Something.") {
		got = append(got, name)
	}
	require.Equal(t, []string{"invoice", "totalof", "the_sum"}, got)
}

// No edit makes it panic, and a rename replaces every occurrence.
func FuzzKindOf(f *testing.F) {
	f.Add("a = b\nreturn a", "c = b\nreturn c")
	f.Add("", "# x")
	f.Add("\x00é((", "'\"")
	d, err := compile(rules.Default())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, before, after string) {
		var lines []string
		for _, l := range strings.Split(before, "\n") {
			lines = append(lines, "-"+l)
		}
		for _, l := range strings.Split(after, "\n") {
			lines = append(lines, "+"+l)
		}
		kind, renamed := d.kindOf(hunk(lines...))
		require.NotEmpty(t, kind)
		if renamed != "" {
			require.Equal(t, kindRename, kind)
			from, to, _ := strings.Cut(renamed, " → ")
			require.NotEqual(t, from, to)
		}
		_ = stem(before)
		_ = module(after)
	})
}
