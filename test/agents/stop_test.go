package agents

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// claimed is what the model says although its tests fail; insists is what it says after it was interrupted.
const (
	claimed = "All tests pass now."
	insists = "I looked again: all tests pass."
)

// overclaims writes a file, sees its tests fail, and says that they pass; once interrupted, it says so
// again.
func overclaims() mockmodel.Plan {
	work := mockmodel.Commands("echo 'exports.add = 1' > add.js", "npm test")
	return func(r mockmodel.Request) mockmodel.Step {
		step := work(r)
		switch {
		case step.Run != "":
		case strings.Contains(r.Body, headline):
			step.Say = insists + " " + done
		default:
			step.Say = claimed
		}
		return step
	}
}

// An interrupt at the end of a turn is said once to the model and once to the person, however often the
// claim is repeated, and a session has as many turns live as its transcript has (DP-20, CO-4).
func TestAStopIsSaidOnce(t *testing.T) {
	inTerminal(t, func(t *testing.T, _ int, a agent) {
		commandLines(t)
		s := start(t, patient)
		b := prepare(t, a, overclaims())
		write(
			t,
			filepath.Join(b.project, "package.json"),
			`{"name":"shop","scripts":{"test":"echo '1 failing' && exit 1"}}`,
		)
		b.install(s.url)
		screen := b.open("make add work").shows(done)
		time.Sleep(2 * time.Second) // long enough for a second one to arrive
		t.Logf("the terminal:\n%s", screen)
		told := tellings(b.model.Requests())
		t.Logf("interrupts in the conversation of each request: %v", told)
		require.Equal(t, 1, told[len(told)-1], "the model is told once")
		require.Equal(t, 1, lines(screen, headline), "the person sees it once")
		require.Equal(t, b.scanned(), s.turns(), "live and scan count the same turns")
	})
}

// turns returns how many turns of the agent's session the system counts.
func (s *system) turns() int {
	s.t.Helper()
	answer, err := http.Get(s.url + "/v1/sessions/" + s.session() + "/report")
	require.NoError(s.t, err)
	defer answer.Body.Close()
	var report struct {
		Turns int `json:"turns"`
	}
	require.NoError(s.t, json.NewDecoder(answer.Body).Decode(&report))
	return report.Turns
}

// scanned returns how many turns scan reads in the transcript that the agent wrote.
func (b *bench) scanned() int {
	b.t.Helper()
	path := b.transcript()
	command := exec.Command(
		filepath.Join(b.path, "scaffoldwatch"),
		"scan",
		"--no-workspace",
		"--output",
		"json",
		path,
	)
	command.Env, command.Dir = b.environment(), b.project
	out, err := command.Output()
	require.NoError(b.t, err)
	var found []struct {
		Turns int `json:"turns"`
	}
	require.NoError(b.t, json.Unmarshal(out, &found), "%s", out)
	require.Len(b.t, found, 1)
	return found[0].Turns
}

// transcript returns the file with the session that the agent wrote.
func (b *bench) transcript() string {
	b.t.Helper()
	if b.name == "opencode" { // in a database
		return b.exported()
	}
	var path string
	require.NoError(b.t, filepath.WalkDir(b.home, func(name string, e fs.DirEntry, err error) error {
		in := map[string]string{
			"claude-code": "/.claude/projects/", "codex": "/.codex/sessions/",
			"gemini": "/.gemini/tmp/",
		}[b.name]
		if err == nil && !e.IsDir() && strings.Contains(name, in) &&
			(strings.HasSuffix(name, ".jsonl") || strings.Contains(name, "/chats/")) {
			path = name
		}
		return err
	}))
	require.NotEmpty(b.t, path, "the agent's transcript")
	return path
}
