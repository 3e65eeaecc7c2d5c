package deployment

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func mute(subject string) budget.Mute {
	return budget.Mute{
		Scope: runevents.MuteSubject, Detector: "E1", Subject: subject, Reason: "a fixture: 'quoted'", By: "ann",
		Until: time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC),
	}
}

// CO-7: mutes are added to what a person wrote, whose comments stay, and are read back.
func TestAddMute(t *testing.T) {
	for name, before := range map[string]string{
		"no file": "", "empty": "\n", "comment only": "# mine\n",
		"other sections": "# mine\ndispatch:\n  interrupt: {max_words: 50} # longer\n",
		"mutes":          "dispatch:\n  mutes:\n    - {scope: detector, detector: C1, reason: r, by: bob}\n",
	} {
		path := filepath.Join(t.TempDir(), "deep", "rules.yaml")
		if name != "no file" {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(before), 0o640))
		}
		require.NoError(t, AddMute(path, mute("npm test")), name)
		require.NoError(t, AddMute(path, mute("a: b # c")), name)
		set, err := LoadRules(path)
		require.NoError(t, err, name)
		config, err := budget.LoadConfig(set)
		require.NoError(t, err, name)
		n := len(config.Mutes)
		require.GreaterOrEqual(t, n, 2, name)
		require.Equal(t, []budget.Mute{mute("npm test"), mute("a: b # c")}, config.Mutes[n-2:], name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		switch name {
		case "mutes":
			require.Equal(t, 3, n)
		case "comment only":
			require.Contains(t, string(text), "# mine")
		case "other sections":
			require.Contains(t, string(text), "# mine")
			require.Contains(t, string(text), "# longer")
			require.Equal(t, 50, config.Interrupt.MaxWords)
		}
	}
}

// A file that does not load is left as it is.
func TestAddMuteChangesNoBrokenFile(t *testing.T) {
	for _, before := range []string{"dispatch: [", "- a\n", "dispatch: {mutes: {a: b}}\n", "nonsense: 1\n"} {
		path := filepath.Join(t.TempDir(), "rules.yaml")
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		require.ErrorContains(t, AddMute(path, mute("x")), "rules.yaml", before)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, string(text))
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	wrong := mute("x")
	wrong.Reason = ""
	require.ErrorContains(t, AddMute(path, wrong), "reason")
	require.NoFileExists(t, path)
}
