// Package commands measures the guard on tables of shell commands: each is a fresh session of its
// own that asks the real hook endpoint in a repository, and nothing is executed.
package commands

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Place is a repository in the home of a person.
type Place struct {
	Home string
	Repo string // the primary clone, on the branch main
}

// Files of the full repository: what is committed, and what the person has changed since.
var (
	committed = []string{
		"README.md", "go.mod", "package.json", "Makefile", "src/app.go", "src/cart.go", "src/price.go", "src/lib.rs", "config/settings.yml", "docs/guide.md", "docs/terms.md",
		"db/schema.sql", "tests/cart_test.go", "bin/deploy", "data/orders.csv", "file.txt", "file1.txt", "file2.txt", "a.txt", "b.txt", ".env.example",
	}
	changed   = []string{"src/app.go", "config/settings.yml", "docs/guide.md", "file.txt", "file1.txt", "file2.txt", "a.txt", "b.txt", "src/lib.rs", "data/orders.csv"}
	untracked = []string{"notes.md", "out/thesis.md", "drafts/plan.md", "drafts/ideas.txt", "drafts/[id].md", "secret.txt", "paths.txt", "list.txt", "src/experiment.go", "old.tar", "build/notes.txt"}
	ignored   = []string{".env", ".env.local", "app.log", "node_modules/left-pad/index.js", "dist/app.js", "target/debug/app", "coverage/index.html", "src/__pycache__/cart.pyc"}
)

// ignores is the .gitignore of the repository.
const ignores = ".env\n.env.local\n*.log\nnode_modules/\n/dist/\n/target/\ncoverage/\n__pycache__/\n"

// Full makes a repository full of a person's uncommitted work: changed, new and ignored files, two
// stashes, branches that nothing else holds, and a second worktree with work in it.
func Full(root string) (*Place, error) {
	p, err := Clean(root)
	if err != nil {
		return nil, err
	}
	b := &builder{place: p}
	side := filepath.Join(filepath.Dir(p.Repo), "shop-fix")
	b.git("branch", "old/merged")
	for _, name := range []string{"wip/search", "feature", "topic/worktree-test"} {
		b.git("switch", "-qc", name)
		b.write("src/"+strings.ReplaceAll(name, "/", "-")+".go", "package src\n")
		b.git("add", "-A")
		b.git("commit", "-qm", name)
		b.git("switch", "-q", "main")
	}
	b.git("worktree", "add", "-q", side, "-b", "fix/tax")
	elsewhere := &builder{place: &Place{Repo: side}}
	elsewhere.write("src/price.go", "stashed\n")
	elsewhere.git("stash", "push", "-qm", "half of the tax")
	elsewhere.write("src/price.go", "package src // tax\n")
	elsewhere.write("todo.txt", "remember the tax\n")
	b.write("src/cart.go", "stashed\n")
	b.git("stash", "push", "-q")
	b.write("docs/terms.md", "staged by the person\n")
	b.git("add", "docs/terms.md")
	for _, name := range append([]string{"docs/terms.md"}, changed...) {
		b.write(name, "changed by the person: "+name+"\n")
	}
	for _, name := range untracked {
		b.write(name, "new work of the person: "+name+"\n")
	}
	for _, name := range ignored {
		b.write(name, "ignored: "+name+"\n")
	}
	b.err = errors.Join(b.err, elsewhere.err, os.Symlink("../shop-fix", filepath.Join(p.Repo, "shared")))
	return p, b.err
}

// Clean makes a repository in which everything is committed and pushed.
func Clean(root string) (*Place, error) {
	p := &Place{Home: filepath.Join(root, "ana"), Repo: filepath.Join(root, "ana", "shop")}
	b := &builder{place: p}
	for _, dir := range []string{p.Repo, filepath.Join(p.Home, "Documents"), filepath.Join(p.Home, "projects")} {
		b.err = errors.Join(b.err, os.MkdirAll(dir, 0o755))
	}
	b.write("../Documents/letter.txt", "a letter\n")
	b.git("init", "-q", "-b", "main")
	b.write(".gitignore", ignores)
	for _, name := range committed {
		b.write(name, "committed: "+name+"\n")
	}
	b.git("add", "-A")
	b.git("commit", "-qm", "first")
	remote := filepath.Join(root, "origin.git")
	b.git("init", "-q", "--bare", remote)
	b.git("remote", "add", "origin", remote)
	b.git("push", "-q", "-u", "origin", "main")
	return p, b.err
}

// builder makes a repository; the first error stays.
type builder struct {
	place *Place
	err   error
}

func (b *builder) git(args ...string) {
	if b.err != nil {
		return
	}
	command := exec.Command("git", append([]string{"-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	command.Dir = b.place.Repo
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := command.CombinedOutput(); err != nil {
		b.err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
}

func (b *builder) write(name, text string) {
	if b.err != nil {
		return
	}
	file := filepath.Join(b.place.Repo, name)
	if b.err = os.MkdirAll(filepath.Dir(file), 0o755); b.err == nil {
		b.err = os.WriteFile(file, []byte(text), 0o644)
	}
}
