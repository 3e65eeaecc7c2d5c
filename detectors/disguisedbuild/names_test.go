package disguisedbuild

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func newInstance(t testing.TB) *instance {
	t.Helper()
	d, err := compile(rules.Default())
	require.NoError(t, err)
	return d
}

// A3: marks in front of a name and behind it.
func TestMarks(t *testing.T) {
	d := newInstance(t)
	for name, want := range map[string]struct {
		base string
		how  mark
	}{
		"FooBarV2":         {"foo bar", strongMark},
		"foo_bar_enhanced": {"foo bar", strongMark},
		"improvedFooBar":   {"foo bar", strongMark},
		"new_foo":          {"foo", weakMark},
		"simple_foo":       {"foo", weakMark},
		"foo_fixed":        {"foo", weakMark},
		"foo copy":         {"foo", weakMark},
		"FooBar2":          {"foo bar", weakMark},
		"sha256":           {"", noMark},
		"v2":               {"", noMark},
		"new":              {"", noMark},
		"renew_foo":        {"", noMark},
		"load_async":       {"", noMark},
		"":                 {"", noMark},
	} {
		base, _, how := d.split(similarity.Words(name))
		require.Equal(t, want.how, how, name)
		require.Equal(t, want.base, strings.Join(base, " "), name)
	}
}

// A3: using the existing thing is no second version of it; speaking of it is no use.
func TestUsesIn(t *testing.T) {
	for line, want := range map[string]bool{
		"return load_user(id)":              true,
		"class CachedLoader(load_user):":    true,
		"from users import load_user":       true,
		"handlers = [load_user, save_user]": true,
		"# load_user(id) with retries":      false,
		"// like load_user, but faster":     false,
		`"""An improved load_user."""`:      false,
		"def load_user_v2(id):":             false,
		"value = reload_user(id)":           false,
	} {
		require.Equal(t, want, usesIn(line, "load_user", false), line)
	}
	require.False(t, usesIn("load_user(id)", "load_user", true), "a file is used by an import")
	require.True(t, usesIn("import { A } from './load_user'", "load_user", true))
}

func FuzzNames(f *testing.F) {
	d := newInstance(f)
	f.Add("FooV2", "return Foo(x)")
	f.Add("2", "")
	f.Add("_", "_(_")
	f.Fuzz(func(t *testing.T, name, line string) {
		words := similarity.Words(name)
		base, word, how := d.split(words)
		if how != noMark {
			require.NotEmpty(t, base)
			require.NotEmpty(t, word)
		}
		if d.special(words, base) && len(base) > 0 {
			d.sameHead(words, base)
		}
		usesIn(line, name, false)
	})
}
