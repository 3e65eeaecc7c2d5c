package githook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// WP-18: an existing hook is kept, still runs, and is restored.
func TestHooksThatWereThereComeBack(t *testing.T) {
	f := newFixture(t)
	const theirs = "#!/bin/sh\necho theirs\n"
	path := f.path(".git/hooks/pre-commit")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(theirs), 0o755))

	r, i, facts := f.install()
	require.Equal(t, []string{"hook.installed"}, told(facts))
	require.Equal(t, "main", i.Main)
	require.FileExists(t, path+backupSuffix)
	require.Equal(t, []string{"pre-commit"}, i.Kept)

	again, err := Install(t.Context(), r, Installation{Run: "r1", Binary: "/bin/false"})
	require.NoError(t, err)
	require.Empty(t, again, "installing again only changes the settings")
	_, err = Install(t.Context(), r, Installation{Run: "r2", Binary: "/bin/true"})
	require.ErrorContains(t, err, "the hooks of run r1 are installed here")

	facts, left, err := Remove(t.Context(), r)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, []string{"hook.removed"}, told(facts))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, theirs, string(text))
	require.NoFileExists(t, f.path(".git/hooks/post-commit"))
	_, _, err = Remove(t.Context(), r)
	require.ErrorIs(t, err, ErrNotInstalled)
}

// A hook that somebody has changed since belongs to them.
func TestAChangedHookStays(t *testing.T) {
	f := newFixture(t)
	r, _, _ := f.install()
	path := filepath.Join(r.Hooks, "post-merge")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n# mine now\n"), 0o755))
	_, left, err := Remove(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, []string{path + " was changed by somebody else and stays"}, left)
	require.FileExists(t, path)
}

func TestInstallRefuses(t *testing.T) {
	f := newFixture(t)
	r := f.open()
	_, err := Install(t.Context(), r, Installation{Run: "a b"})
	require.ErrorContains(t, err, "not a run id")
	_, err = Install(t.Context(), r, Installation{Run: "r", Main: "trunk"})
	require.ErrorContains(t, err, "no branch trunk")
	f.git("", "checkout", "-q", "--detach")
	_, err = Install(t.Context(), r, Installation{Run: "r"})
	require.ErrorContains(t, err, "--main")
	require.NoError(t, os.MkdirAll(r.folder(), 0o755))
	require.NoError(t, os.WriteFile(r.settings(), []byte("{"), 0o600))
	_, err = r.Installation()
	require.ErrorContains(t, err, "git-hook install")
}

// If the program is gone, a hook says what to do; only main stays guarded.
func TestAHookWithoutItsProgram(t *testing.T) {
	f := newFixture(t)
	_, err := Install(t.Context(), f.open(), Installation{Run: "r1", Binary: "/srv/gone/scaffoldwatch"})
	require.NoError(t, err)
	f.write("a.go", "package a\n")
	f.git("", "add", ".")
	text, err := f.try("", "commit", "-m", "a")
	require.Error(t, err)
	require.Contains(t, text, "/srv/gone/scaffoldwatch is gone")
	f.git("", "commit", "-q", "--no-verify", "-m", "a")
}
