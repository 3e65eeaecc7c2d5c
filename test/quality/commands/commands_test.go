package commands

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// place returns a repository outside of the temporary folders, which excuse what is in them.
func place(t *testing.T, build func(string) (*Place, error)) *Place {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no folder outside of the temporary ones: ", err)
	}
	require.NoError(t, os.MkdirAll(cache, 0o755))
	dir, err := os.MkdirTemp(cache, "scaffoldwatch-commands-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p, err := build(dir)
	require.NoError(t, err)
	t.Setenv("HOME", p.Home)
	return p
}

// facts returns those of a session that begins in a repository.
func facts(t *testing.T, j *guard.Judge, p *Place) guard.Facts {
	t.Helper()
	desk := uncommitted.New()
	desk.Patience = 10 * time.Minute
	desk.Seen("s", p.Repo, uncommitted.Beginning)
	desk.Wait()
	f := desk.Facts("s", p.Repo, j.Reader().Precious)
	t.Cleanup(f.Close)
	return f
}

// Every kind of destruction, with harmless twins, in a repository full of a person's work (GD-1 to GD-9).
func TestOwnTables(t *testing.T) {
	p := place(t, Full)
	j, err := guard.New(rules.Default())
	require.NoError(t, err)
	known := facts(t, j, p)
	counts := map[string]int{}
	for _, name := range Tables {
		cases, err := Own(name, p.Home)
		require.NoError(t, err)
		for _, c := range cases {
			v := j.Judge(j.Effects(c.Command, p.Repo, known), known, nil)
			counts[c.Want]++
			if !assert.Equal(t, c.Want, string(v.Decision), "%s", c.Command) && v.Worst() != nil {
				t.Log(v.Worst().Effect.Rule + v.Worst().Says)
			}
		}
	}
	require.GreaterOrEqual(t, counts["deny"]+counts["warn"]+counts["keep"], 200)
	require.GreaterOrEqual(t, counts["allow"], 150)
}

// What is removed from a folder of links is a link, unless the disk shows a file there (GD-2).
func TestALinkIsNoLoss(t *testing.T) {
	p := place(t, Clean)
	enabled := filepath.Join(p.Home, "nginx", "sites-enabled")
	require.NoError(t, os.MkdirAll(enabled, 0o755))
	require.NoError(t, os.Symlink("../sites-available/shop.conf", filepath.Join(enabled, "linked.conf")))
	require.NoError(t, os.WriteFile(filepath.Join(enabled, "written.conf"), []byte("server {}\n"), 0o644))
	j, err := guard.New(rules.Default())
	require.NoError(t, err)
	known := facts(t, j, p)
	for name, want := range map[string]guard.Decision{"linked.conf": guard.Allow, "written.conf": guard.Deny} {
		command := "rm " + filepath.Join(enabled, name)
		require.Equal(t, want, j.Judge(j.Effects(command, p.Repo, known), known, nil).Decision, command)
	}
}

// In a repository in which everything is committed nothing that can be got back is spoken of.
func TestCleanRepository(t *testing.T) {
	p := place(t, Clean)
	j, err := guard.New(rules.Default())
	require.NoError(t, err)
	known := facts(t, j, p)
	for _, command := range []string{
		"git reset --hard", "git checkout .", "git restore .", "git clean -fdx", "git stash", "git stash drop", "git checkout -f main", "rm -rf src", "rm -rf *", "rm README.md",
		"echo x > README.md", "cp README.md src/app.go", "find . -name '*.go' -delete", "for f in src/*; do rm -f $f; done", "python3 -c \"import shutil; shutil.rmtree('src')\"",
		"git add -A", "git commit -am x", "sed -i s/a/b/ README.md", "rsync -a --delete /tmp/x/ src/", "cat list | xargs rm -rf",
	} {
		assert.Equal(t, guard.Allow, j.Judge(j.Effects(command, p.Repo, known), known, nil).Decision, "%s", command)
	}
}
