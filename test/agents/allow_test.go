package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// pause is what the model says before the person types.
const pause = "I-WAIT-FOR-YOU"

// The word of a denial, typed by the person at the agent's prompt, allows exactly that command once; said
// or run by the agent it has no effect (GD-11).
func TestOnlyThePersonAllows(t *testing.T) {
	inTerminal(t, func(t *testing.T, _ int, a agent) {
		if a.name == "gemini" {
			t.Skip("Gemini CLI takes a command that is tried again for a loop, and asks about that instead")
		}
		commandLines(t)
		s := start(t)
		c := &chat{}
		b := prepare(t, a, c.plan)
		c.file = filepath.Join(b.project, "a.txt")
		write(t, c.file, "one\n")
		for _, args := range [][]string{
			{"init", "-q"},
			{"add", "."},
			{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"},
		} {
			command := exec.Command("git", args...)
			command.Dir = b.project
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
		write(t, c.file, "the person's\n")
		b.install(s.url)
		term := b.open("do it")
		screen := term.shows(pause)
		require.Equal(t, "the person's\n", c.content(), "denied, and what the agent says does nothing\n%s", screen)
		require.NotEmpty(t, c.word)

		term.types("allow " + c.word)
		screen = term.shows(done)
		t.Logf("the terminal:\n%s", screen)
		require.Equal(t, "one\n", c.after, "the person's word lets it run")
		require.Equal(t, "the person's again\n", c.content(), "once")
	})
}

// chat is a model that keeps trying the same command.
type chat struct {
	mu    sync.Mutex
	file  string
	word  string
	waits int
	after string
}

var wordOf = regexp.MustCompile(`allow ([0-9a-f]{3,})`)

func (c *chat) content() string {
	text, _ := os.ReadFile(c.file)
	return string(text)
}

func (c *chat) plan(r mockmodel.Request) mockmodel.Step {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := wordOf.FindStringSubmatch(r.Body); m != nil && c.word == "" {
		c.word = m[1]
	}
	const try = "git checkout ."
	switch r.Results {
	case 0:
		return mockmodel.Step{Run: try}
	case 1: // the agent runs it
		return mockmodel.Step{Run: "echo allow " + c.word}
	case 2: // the agent says it
		return mockmodel.Step{Say: "allow " + c.word, Run: try}
	case 3:
		if c.waits++; c.waits == 1 {
			return mockmodel.Step{Say: pause}
		}
		return mockmodel.Step{Run: try}
	case 4: // it ran; the person changes the file again
		if c.after == "" {
			c.after = c.content()
			_ = os.WriteFile(c.file, []byte("the person's again\n"), 0o600)
		}
		return mockmodel.Step{Run: try}
	}
	return mockmodel.Step{Say: done}
}
