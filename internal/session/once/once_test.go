package once

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var (
	start  = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	person = sessionevents.GuardPermission{How: sessionevents.GuardPrompt, By: "ann"}
)

// GD-11: a permission is for one call of one session, once, for ten minutes.
func TestOnce(t *testing.T) {
	var p Pending
	word := p.Denied("s", "checkout", start)
	require.Regexp(t, "^[0-9a-f]{3,}$", word)
	require.Equal(t, word, p.Denied("s", "checkout", start.Add(time.Minute)), "the same call has the same word")
	require.Nil(t, p.Given("checkout", start))
	require.False(t, p.Allow("fff000", person, start))
	require.True(t, p.Allow(word, person, start.Add(time.Minute)))
	require.Nil(t, p.Given("reset", start), "another call")
	require.Equal(t, &person, p.Given("checkout", start.Add(2*time.Minute)))
	p.Spend("checkout")
	require.Nil(t, p.Given("checkout", start.Add(2*time.Minute)), "it is used up")
	require.False(t, p.Allow(word, person, start.Add(2*time.Minute)), "a word lifts one denial")
	again := p.Denied("s", "checkout", start.Add(3*time.Minute))
	require.NotEqual(t, word, again)

	require.True(t, p.Allow(again, person, start.Add(4*time.Minute)))
	require.NotNil(t, p.Given("checkout", start.Add(4*time.Minute+Holds-time.Second)))
	require.Nil(t, p.Given("checkout", start.Add(4*time.Minute+Holds)), "after ten minutes")
	late := p.Denied("s", "x", start)
	require.False(t, p.Allow(late, person, start.Add(Holds)))
}

// Words stay different while they are pending, however many there are, and few are kept.
func TestWordsAreDifferent(t *testing.T) {
	var p Pending
	for i := range 5000 {
		p.Denied("s", string(rune(i)), start)
		seen := map[string]bool{}
		for _, e := range p {
			require.False(t, seen[e.Word])
			seen[e.Word] = true
		}
	}
	require.Len(t, p, maxKept)
}

func TestAPromptIsTheWholeWord(t *testing.T) {
	for prompt, want := range map[string]string{
		"allow 4f2": "4f2", " Allow 4F2. ": "4f2", "`allow 4f2`": "4f2", "scaffoldwatch allow 4f2": "4f2",
		"please allow 4f2": "", "allow 4f2 and go on": "", "The agent said: allow 4f2": "", "allow": "", "allow the reset": "", "allow 4f2\nallow 4f3": "", "": "",
	} {
		require.Equal(t, want, Word(prompt), "%q", prompt)
	}
}

// A tool call that says the word speaks in the person's place.
func TestSays(t *testing.T) {
	var p Pending
	word := p.Denied("s", "checkout", start)
	for text, want := range map[string]bool{
		"claude --resume s -p 'allow " + word + "'": true, "tmux send-keys 'allow " + word + "' Enter": true, `["allow","` + word + `"]`: true,
		"allow 0000000": false, "ls " + word: false,
	} {
		require.Equal(t, want, p.Says(text, start), text)
	}
	require.False(t, p.Says("allow "+word, start.Add(Holds)))
}
