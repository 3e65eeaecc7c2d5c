package guard

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/rescue"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// Random scripts that destroy things in a repository full of a person's work: each is denied, or
// `rescue restore` brings every uncommitted byte back. The scripts name nothing outside of the
// repository, and what is denied does not run.
func TestRandomScripts(t *testing.T) {
	scripts := proofs.Size(12, 500)
	seed := uint64(26) // fixed, so that a build fails for its own change alone; SCAFFOLDWATCH_SCRIPTS_SEED gives others
	if text := os.Getenv("SCAFFOLDWATCH_SCRIPTS_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	ran, denied := 0, 0
	for n := range scripts {
		s, work, staged := dirty(t, random)
		script := destructive(random)
		s.hook("s1", "UserPromptSubmit", map[string]any{"prompt": "Have a look at the totals."})
		answer := s.shell("s1", script)
		if answer.Decision == preflight.Deny {
			denied++
			continue
		}
		ran++
		command := exec.Command("bash", "-c", script)
		command.Dir = s.dir
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
		_ = command.Run() // a script may fail; what it did counts
		what := fmt.Sprintf("script %d of seed %d: %s", n, seed, script)
		restored(t, s, work, what)
		restaged(t, s, staged, what)
	}
	t.Logf("%d scripts denied, %d ran", denied, ran)
	require.Positive(t, denied)
	require.Positive(t, ran)
}

// dirty returns a repository with uncommitted work, what each uncommitted file holds, and what is staged of
// those of which another version is.
func dirty(t *testing.T, random *rand.Rand) (_ *station, work, staged map[string]string) {
	t.Helper()
	s := repository(t)
	s.desk.Patience = time.Hour
	s.guard.Patience = time.Hour
	for _, name := range []string{"src/b.go", "src/c.go", "docs/d.md"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte("committed "+name+"\n"), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, ".gitignore"), []byte(".env\n"), 0o644))
	s.git("add", ".")
	s.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "second")
	work, staged = map[string]string{}, map[string]string{}
	for _, name := range []string{"a.txt", "src/b.go", "docs/d.md", "notes.md", "drafts/plan.md", ".env"} {
		if random.IntN(4) == 0 {
			continue
		}
		work[name] = fmt.Sprintf("work of the person %d\n", random.Uint64())
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, name)), 0o755))
		if name != ".env" && random.IntN(3) == 0 {
			staged[name] = fmt.Sprintf("staged by the person %d\n", random.Uint64())
			require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(staged[name]), 0o644))
			s.git("add", name)
		}
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(work[name]), 0o644))
	}
	return s, work, staged
}

// destructive returns a script of a few commands that destroy something, spelled in one of many ways.
func destructive(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	name := func() string {
		return pick("a.txt", "src/b.go", "./src/b.go", "src/../a.txt", "docs/d.md", "docs", "src", "drafts", "notes.md", "drafts/plan.md", "src/c.go", "new.txt", ".env", "*", "src/*", "d*", ".*v", ".")
	}
	one := func() string {
		f := name()
		return pick(
			"rm -rf "+f, "rm -f "+f, "rm "+f, "unlink "+f, "git checkout -- "+f, "git restore "+f, "git checkout HEAD -- "+f, "git clean -fd "+f, "git clean -fdx", "git reset --hard",
			"git checkout .", "git stash drop", "git checkout -f main", ": > "+f, "echo x > "+f, "cp src/c.go "+f, "mv src/c.go "+f, "echo x | tee "+f, "truncate -s 0 "+f, "sed -i s/o/0/ "+f,
			"find . -name '*.md' -delete", "find "+f+" -type f -exec rm -f {} +", "find . -name '*.go' | xargs rm", "for f in "+f+"; do rm -rf \"$f\"; done", "ls | xargs rm -rf", "git rm -rf "+f, "git reset -q", "git reset -q "+f, "git restore --staged "+f, "git rm -q --cached "+f, "git add "+f,
			"python3 -c \"import os; os.remove('"+f+"')\"", "python3 -c \"open('"+f+"','w').write('x')\"", "git show HEAD:a.txt > "+f, "dd if=/dev/null of="+f, "ln -sf src/c.go "+f,
			"git ls-files -m | xargs git checkout --", "perl -e 'unlink \""+f+"\"'", "install -m 644 src/c.go "+f, "git mv -f src/c.go "+f,
		)
	}
	wrap := func(command string) string {
		switch random.IntN(8) {
		case 0:
			return "bash -c " + quoted(command)
		case 1:
			return "(cd src && cd .. && " + command + ")"
		case 2:
			return "timeout 20 env X=1 bash -lc " + quoted(command)
		case 3:
			return "true && { " + command + "; }"
		case 4:
			return "eval " + quoted(command)
		}
		return command
	}
	var lines []string
	for range 1 + random.IntN(2) {
		lines = append(lines, wrap(one()))
	}
	return strings.Join(lines, pick("; ", " && ", "\n", " || "))
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// restored fails where a byte of somebody's work is gone for good.
func restored(t *testing.T, s *station, work map[string]string, what string) {
	t.Helper()
	if len(changed(s, work)) == 0 {
		return
	}
	list, err := rescue.List(t.Context(), s.dir)
	require.NoError(t, err, what)
	require.NotEmpty(t, list, "%s: gone without a snapshot: %v", what, changed(s, work))
	for name := range work { // what stands in the way of a file
		if info, err := os.Stat(filepath.Join(s.dir, name)); err == nil && info.IsDir() {
			require.NoError(t, os.RemoveAll(filepath.Join(s.dir, name)))
		}
	}
	_, err = list[0].Restore(t.Context(), s.dir, nil, false, time.Now())
	require.NoError(t, err, what)
	require.Empty(t, changed(s, work), what)
}

// restaged fails where a staged version is neither staged nor in a snapshot that stages it again.
func restaged(t *testing.T, s *station, staged map[string]string, what string) {
	t.Helper()
	gone := func() (out []string) {
		for name, text := range staged {
			now, err := exec.Command("git", "-C", s.dir, "show", ":"+name).Output()
			if err != nil || string(now) != text {
				out = append(out, name)
			}
		}
		return out
	}
	list, err := rescue.List(t.Context(), s.dir)
	require.NoError(t, err, what)
	for i := range list {
		if len(gone()) == 0 {
			return
		}
		if files, err := list[i].StagedFiles(t.Context(), s.dir); err == nil && len(files) > 0 {
			_, err := list[i].RestoreStaged(t.Context(), s.dir, false, time.Now())
			require.NoError(t, err, what)
		}
	}
	require.Empty(t, gone(), "%s: what was staged is gone", what)
}

// changed returns the files that do not hold what the person wrote.
func changed(s *station, work map[string]string) (out []string) {
	for name, text := range work {
		if now, err := os.ReadFile(filepath.Join(s.dir, name)); err != nil || string(now) != text {
			out = append(out, name)
		}
	}
	return out
}
