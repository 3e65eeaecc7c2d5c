package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command that would destroy what the person has not committed is denied: the agent reads why, the person
// sees it, the agent continues in another way, and nothing is said twice (DP-24, E3).
func TestThePersonsWorkStays(t *testing.T) {
	for _, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			commandLines(t)
			s := start(t)
			b := prepare(t, a, saysDone("touch one", "git checkout .", "sleep 1", "git diff --stat > two"))
			for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"}} {
				write(t, filepath.Join(b.project, "a.txt"), "one\n")
				command := exec.Command("git", args...)
				command.Dir = b.project
				out, err := command.CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
			write(t, filepath.Join(b.project, "a.txt"), "the person's\n")
			b.install(s.url)
			if a.screen() {
				screen := b.open("do it").shows(done)
				t.Logf("the terminal:\n%s", screen)
				require.Equal(t, 1, lines(screen, "would destroy work"))
			} else {
				b.run()
			}

			text, err := os.ReadFile(filepath.Join(b.project, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "the person's\n", string(text))
			require.True(t, b.made("two"), "the agent goes on another way")
			requests := b.model.Requests()
			last := requests[len(requests)-1].Body
			require.Equal(t, 1, strings.Count(last, "would destroy work that this session did not do"), "the agent reads why, once")
			require.NotContains(t, last, headline)
		})
	}
}
