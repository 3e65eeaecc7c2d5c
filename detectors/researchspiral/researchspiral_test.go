package researchspiral

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestResearchSpiral(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"Add a button.", "Why?", "cat a.py", "cat b.py", "sed -n 3,5p c.py", "rg foo src", "git show abc1234", "ls", "curl https://example.org", "git log",
		"Let me explore how it works.", "Let me research \u2019\xff.", "The cause is a.py.", "I need to change `a()` now", "func.*Foo|barBaz -i x=1",
	})
}

// Hashes of names survive a snapshot, and a damaged one is refused.
func TestHashesSurviveTheirText(t *testing.T) {
	for _, want := range []hashes{nil, {0}, {hash("auth"), 1<<24 - 1, 7}} {
		data, err := json.Marshal(want)
		require.NoError(t, err)
		var got hashes
		require.NoError(t, json.Unmarshal(data, &got))
		require.Equal(t, want, got)
	}
	var got hashes
	require.Error(t, json.Unmarshal([]byte(`"abc"`), &got), "two bytes are no hash")
	require.Error(t, json.Unmarshal([]byte(`"?"`), &got), "no base 64")
}

// Names in code, with what can only be a reference marked.
func TestNames(t *testing.T) {
	for text, want := range map[string][]string{
		"from src.auth import loadUser":     {"from", "src!", "auth", "import", "loadUser!"},
		"see lib/store.py:12 and a1":        {"see", "store!", "and"},
		"commit 4f2a9c1 fixes #12":          {"commit", "4f2a9c1!", "fixes"},
		"worktree\\.(Add|Reset) get_staged": {"worktree", "Add", "Reset", "get_staged!"},
		"":                                  nil,
	} {
		var got []string
		eachName(text, func(name string, sure bool) {
			if sure {
				name += "!"
			}
			got = append(got, name)
		})
		require.Equal(t, want, got, text)
	}
}

// What a canonical query asks for, without its flags.
func TestPlainQuery(t *testing.T) {
	for query, want := range map[string]string{
		"-i glob=*.go output_mode=content func getStaged": "func getStaged",
		"-n foo | head -20":         "foo",
		"--files -g *.go | rg auth": "*.go auth",
		"foo | grep -v bar":         "foo bar",
		"retries=3":                 "", "a.b=c": "a.b=c", "": "",
	} {
		require.Equal(t, want, plainQuery(query), query)
	}
}

// Any query and any snapshot: no panic, names stand in their text, and a list of
// hashes that is accepted is written as it was read.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"-n foo | rg bar", "src/a.b_c.go:12", "glob=*.go | | grep", "AAAA", "....//--__"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		eachName(plainQuery(text), func(name string, _ bool) { require.Contains(t, text, name) })
		var got hashes
		if got.UnmarshalText([]byte(text)) == nil {
			again, err := got.MarshalText()
			require.NoError(t, err)
			var same hashes
			require.NoError(t, same.UnmarshalText(again))
			require.Equal(t, got, same)
		}
	})
}

// What a message asks for: a report of what the person did asks for nothing.
func TestWhatAMessageAsksFor(t *testing.T) {
	d, err := compile(rules.Default())
	require.NoError(t, err)
	for text, want := range map[string][2]bool{
		"Add a logout button.":                                            {false, true},
		"in agentv what happens when both are defined":                    {true, false},
		"uh oh - it just happened again\nI did a git read-tree to fix it": {false, false},
		"I tried to run gc. Please fix the index.":                        {false, true},
		"Review the parser, then fix what is wrong.":                      {true, true},
		"we see it on the hook, that is all":                              {false, false},
	} {
		studies, builds := d.asksFor(text)
		require.Equal(t, want, [2]bool{studies, builds}, text)
	}
}
