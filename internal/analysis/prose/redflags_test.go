package prose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func loadFlags(t testing.TB) *RedFlags {
	t.Helper()
	r, err := LoadRedFlags(rules.Default())
	require.NoError(t, err)
	return r
}

func flagsIn(r *RedFlags, text string) []string {
	out := []string{}
	for _, h := range r.Find(Parse(text)) {
		out = append(out, h.ID)
	}
	return out
}

// Each entry of SW-20 fires on its phrase and its variants, and is silent on
// what only looks like it.
func TestRedFlagEntries(t *testing.T) {
	r := loadFlags(t)
	cases := map[string]struct{ firing, silent []string }{
		"RF01": {
			[]string{
				"I'll build a cache.", "I’ll create the handler.", "I will now implement it.", "Let me write a test.", "We'll add a new endpoint.",
				"Let's create a helper.", "I'm going to implement the parser.", "I'm now writing the migration.", "I've created the file.",
			},
			[]string{"The build failed.", "I'll run the build.", "You create a session.", "I will add a line.", "I'll rebuild the index."},
		},
		"RF02": {
			[]string{"I'll write the parser from scratch.", "Starting from\nscratch is easier."},
			[]string{"Copy it from scratchpad.", "Read from `from scratch` here.", `He said "from scratch" twice.`},
		},
		"RF03": {
			[]string{"I'll create a new service for users.", "Let me introduce a new caching layer.", "We will add a new utility module.", "I'm building a new abstraction over it."},
			[]string{"I'll create a new test.", "The service layer is new.", "I'll use the new service."},
		},
		"RF04": {
			[]string{"I'll use the database driver directly.", "I will call `requests.get` directly.", "Let's directly use sqlite3.", "We're using psycopg directly here."},
			[]string{"Users are sent directly home.", "I'll use the wrapper. It is called directly by main.", "Use it directly."},
		},
		"RF05": {
			[]string{"I'll create a new version of the parser.", "Let me add a separate handler for refunds.", "I will write a second implementation.", "We'll create a separate function for this case."},
			[]string{"I'll bump the version.", "A new version was released.", "The handler for refunds is separate."},
		},
		"RF06": {
			[]string{"I'll hardcode the URL.", "Let me just hard-code it.", "I'm hardcoding the port.", "I will hard code the value for now.", "I've hardcoded the id."},
			[]string{"Avoid hardcoded values.", "The hard code path is slow.", "I'll not touch it."},
		},
		"RF07": {
			[]string{"For now I'll use the key directly.", "For now, I will put the API key directly in.", "For now let me use the secret token inline.", "I'll embed the password directly for now."},
			[]string{"For now I'll use the keyboard directly.", "I'll use the key from the environment.", "For now I'll use the map directly."},
		},
		"RF08": {
			[]string{"The user sends the query directly.", "Users pass their id directly to the function.", "The client sent the SQL directly.", "A caller will directly provide the path."},
			[]string{"The user sends a form.", "The server sends it directly.", "Users log in. It goes directly home."},
		},
		"RF09": {
			[]string{"Let me reconsider.", "Let’s reconsider the approach.", "I should reconsider this.", "I'll reconsider the schema.", "I'm reconsidering the plan."},
			[]string{"You may reconsider it.", "The reviewers reconsider patches.", "Let me consider it."},
		},
		"RF10": {
			[]string{"Actually, let me rethink.", "Actually let me rethink this.", "Let me rethink the design.", "Wait, I need to think again.", "We should rethink this."},
			[]string{"Actually, it works.", "Let me think.", "They had to rethink it."},
		},
		"RF11": {
			[]string{"I'm not sure about the type.", "I am not entirely sure about this.", "I’m not really certain about that.", "We're not sure about the API."},
			[]string{"I'm sure about it.", "I'm not sure whether it works.", "He is not sure about it."},
		},
		"RF12": {
			[]string{"While I'm here, I'll clean up the imports.", "While I am at it, let me rename it.", "I'll tidy the imports while I'm here.", "While we're in this file, I might simplify it."},
			[]string{"While I'm waiting, the build runs.", "Stay here while I look.", "While you're at it, add a test."},
		},
		"RF13": {
			[]string{"I'll also refactor the loader.", "Let me tidy this up.", "I will also clean up the tests.", "Also, let me simplify the loop.", "I should also rename it.", "I've also refactored the store."},
			[]string{"I'll refactor the loader.", "It is also refactored upstream.", "The tests also clean up."},
		},
		"RF14": {
			[]string{"I'll also add a flag.", "I should also include an export.", "Let me add support for YAML.", "We might also add retries.", "Also, I'll add a command.", "I've also added dark mode."},
			[]string{"It also adds a flag.", "I'll add the flag.", "You should also include tests.", "I'll also run the tests."},
		},
		"RF15": {
			[]string{"Let me explore how routing works.", "Let me research the options.", "I'll explore the codebase.", "I need to research this.", "Let me look into how it is built."},
			[]string{"The research is done.", "Let me look at the file.", "Users explore how it works."},
		},
		"RF16": {
			[]string{
				"I want to understand how auth works before changing it.", "I need to first understand how the cache works before I edit.",
				"Let me understand how this works before going on.", "Before I change it, I want to understand how it is used.",
			},
			[]string{"I understand how it works.", "I want to understand the error.", "Before that, it worked."},
		},
	}
	require.Len(t, r.Entries(), 16)
	for _, e := range r.Entries() {
		c, ok := cases[e.ID]
		require.True(t, ok, "no cases for %s", e.ID)
		for _, text := range c.firing {
			require.Contains(t, flagsIn(r, text), e.ID, "%s must fire on %q", e.ID, text)
		}
		for _, text := range c.silent {
			require.NotContains(t, flagsIn(r, text), e.ID, "%s must be silent on %q", e.ID, text)
		}
	}
}

func TestRedFlagsAreSilentInCodeAndQuotes(t *testing.T) { // SW-20
	r := loadFlags(t)
	for _, text := range []string{
		"```go\n// let me reconsider this\n```",
		"Text:\n\n    let me reconsider\n",
		"> let me reconsider, he wrote",
		"The log says `let me reconsider` twice.",
		"The log says ``let me `x` reconsider`` twice.",
		`The message was "let me reconsider" again.`,
		"The message was “let me reconsider” again.",
		"The message was 'let me reconsider' again.",
	} {
		require.Empty(t, flagsIn(r, text), text)
	}
	require.Equal(t, []string{"RF09"}, flagsIn(r, "It's what users' tools do. Let me reconsider; it's late."))
	require.Equal(t, []string{"RF09"}, flagsIn(r, "**Let me\nreconsider** `this`."))
}

func TestRedFlagHitPointsIntoTheOriginal(t *testing.T) { // SW-20, SW-30
	text := "Done’s first.\n\n- I’ll also\n  add   retries. And `x`.\n"
	hits := loadFlags(t).Find(Parse(text))
	require.Len(t, hits, 1)
	require.Equal(t, "I’ll also\n  add", text[hits[0].Offset:hits[0].Offset+hits[0].Length])
	require.Equal(t, "I'll also add retries.", hits[0].Sentence)
}

func TestRedFlagsOncePerSentence(t *testing.T) {
	r := loadFlags(t)
	require.Equal(t, []string{"RF01"}, flagsIn(r, "I'll create it and I'll build it."))
	require.Equal(t, []string{"RF01", "RF01"}, flagsIn(r, "I'll create it. I'll build it."))
}

func FuzzRedFlags(f *testing.F) {
	r := loadFlags(f)
	for _, s := range []string{"I’ll build `x` \"y\". Mr. A", "- a\n```\n", strings.Repeat("*`'\"", 50), "\xff\xfe let me reconsider"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := Parse(text)
		require.Len(t, d.Masked, len(d.Text))
		for _, h := range r.Find(d) {
			require.GreaterOrEqual(t, h.Length, 0)
			require.LessOrEqual(t, h.Offset+h.Length, len(text))
		}
	})
}
