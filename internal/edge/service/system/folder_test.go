package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDataFolderIsTheUsers(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	got, err := DataFolder(get)
	require.NoError(t, err)
	if runtime.GOOS == "linux" {
		require.Equal(t, filepath.Join(home, ".local", "share", "scaffoldwatch"), got)
	}
	env["XDG_DATA_HOME"] = filepath.Join(home, "data")
	got, err = DataFolder(get)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, "data", "scaffoldwatch"), got)
	env["XDG_DATA_HOME"] = "relative" // not allowed by the XDG specification: ignored
	got, err = DataFolder(get)
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(got))
}

// `git add -A` takes nothing of a data folder inside the work tree; outside of one no
// file is written.
func TestGitTakesNoData(t *testing.T) {
	repository := t.TempDir()
	git := func(arguments ...string) string {
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", repository}, arguments...)...)
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	git("init", "-q")
	data := filepath.Join(repository, "below", "data")
	require.NoError(t, KeepFromGit(data))
	require.NoError(t, KeepFromGit(data), "a second start")
	require.NoError(t, os.WriteFile(filepath.Join(data, "1.blk"), []byte("recorded"), 0o600))
	git("add", "-A")
	require.Empty(t, git("status", "--porcelain"))

	own := filepath.Join(data, ".gitignore")
	require.NoError(t, os.WriteFile(own, []byte("*.blk\n"), 0o600))
	require.NoError(t, KeepFromGit(data))
	kept, err := os.ReadFile(own)
	require.NoError(t, err)
	require.Equal(t, "*.blk\n", string(kept), "the user's own file is left alone")

	outside := filepath.Join(t.TempDir(), "data")
	require.NoError(t, KeepFromGit(outside))
	require.NoFileExists(t, filepath.Join(outside, ".gitignore"))
}
