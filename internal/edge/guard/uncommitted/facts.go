package uncommitted

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// Facts provides the facts by which a session's command is judged. It serves one call, from one goroutine:
// Git and the file system are asked only about what a command would destroy, and only once.
type Facts struct {
	desk      *Desk
	session   string
	run       string
	directory string
	precious  func(string) bool
	ctx       context.Context
	cancel    context.CancelFunc
	roots     []string
	works     map[string]guard.Work
	answers   map[string]string
	packs     guard.Packs // nil: not read yet
}

// Facts returns the facts for a call of a session in a folder; Close releases them. Precious reports
// whether a file that Git ignores cannot be recreated.
func (d *Desk) Facts(session, directory string, precious func(string) bool) *Facts {
	ctx, cancel := context.WithTimeout(context.Background(), d.Patience)
	return &Facts{desk: d, session: session, directory: filepath.ToSlash(directory), precious: precious, ctx: ctx, cancel: cancel, works: map[string]guard.Work{}, answers: map[string]string{}}
}

// Of sets the run of the session, "" for none.
func (f *Facts) Of(run string) *Facts {
	f.run = run
	return f
}

// Close cancels pending queries.
func (f *Facts) Close() { f.cancel() }

// Home returns the person's home directory.
func (f *Facts) Home() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return real(filepath.ToSlash(home))
}

// Roots returns the folder that the session began in, and its current worktree.
func (f *Facts) Roots() []string {
	if f.roots != nil || f.directory == "" {
		return f.roots
	}
	f.roots = []string{real(f.desk.Workspace(f.session, f.directory))}
	if w, err := f.desk.worktree(f.ctx, f.directory); err == nil {
		if root := real(w.root); root != f.roots[0] {
			f.roots = append(f.roots, root)
		}
	}
	for _, w := range f.desk.created(f.session).linked {
		if root := real(w); !slices.Contains(f.roots, root) {
			f.roots = append(f.roots, root)
		}
	}
	return f.roots
}

// Wave reports whether the session belongs to a run and works in a worktree of its own.
func (f *Facts) Wave() bool {
	if f.run == "" || len(f.Roots()) == 0 {
		return false
	}
	info, err := os.Lstat(path.Join(f.roots[len(f.roots)-1], ".git"))
	return err == nil && info.Mode().IsRegular() // in a linked worktree it is a file
}

// Packs returns the modes of packs that the workspace's own file asks for. If the file cannot be read it
// asks for none, and the operator's settings apply.
func (f *Facts) Packs() guard.Packs {
	if f.packs == nil {
		f.packs = guard.Packs{}
		for _, root := range f.Roots() {
			asked, err := strict.Read(root)
			for name, mode := range asked {
				if err == nil {
					f.packs[name] = f.packs.Over(name, mode)
				}
			}
		}
	}
	return f.packs
}

// Script returns the text of a file that the session wrote.
func (f *Facts) Script(name string) (string, bool) {
	if !f.desk.wrote(f.session, name) {
		return "", false
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", false
	}
	text, err := os.ReadFile(name) //nolint:gosec // a file that the session wrote
	return string(text), err == nil
}

// Knows reports whether the session wrote or created a file or folder, or something in it. Whether it
// looked inside is not known here.
func (f *Facts) Knows(name string) (made, looked bool) { return f.desk.touched(f.session, name), false }

// Has reports whether the session created something that is not a file.
func (f *Facts) Has(t destruct.Thing) bool {
	made := f.desk.created(f.session)
	return made.has(t)
}

// maxScript limits the size of a script that is read.
const maxScript = 64 << 10

// real returns a path with symbolic links resolved, or the path itself if that fails.
func real(name string) string {
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		return filepath.ToSlash(resolved)
	}
	return path.Clean(name)
}

// Entry describes what is at a path.
func (f *Facts) Entry(name string) destruct.Entry {
	e := destruct.Entry{Real: f.parents(name)}
	info, err := os.Lstat(name)
	switch {
	case err == nil:
		e.Known, e.Exists, e.Folder, e.File = true, true, info.IsDir(), info.Mode().IsRegular()
	case os.IsNotExist(err):
		e.Known = true
	}
	return e
}

// parents returns a path with the symbolic links of its folders resolved, as far as they exist.
func (f *Facts) parents(name string) string {
	rest := path.Base(name)
	for folder := path.Dir(name); ; folder = path.Dir(folder) {
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			return path.Join(filepath.ToSlash(resolved), rest)
		}
		if folder == "/" || folder == "." {
			return name
		}
		rest = path.Join(path.Base(folder), rest)
	}
}

// Work returns the uncommitted work in the worktree that a folder is in, as far as it is in some files and folders if
// any are given.
func (f *Facts) Work(folder string, only ...string) guard.Work {
	key := strings.Join(append([]string{folder}, only...), "\x00")
	for _, asked := range []string{folder, key} {
		if work, known := f.works[asked]; known {
			return work
		}
	}
	work := f.look(folder, only)
	f.works[key] = work
	return work
}

func (f *Facts) look(folder string, only []string) guard.Work {
	if folder == "" {
		return guard.Work{Unknown: "the folder is not known"}
	}
	f.desk.looked(f.ctx, f.session)
	files, root, err := f.desk.status(f.ctx, folder, only...)
	switch {
	case f.ctx.Err() != nil:
		return guard.Work{Unknown: "git status took too long", Late: true}
	case err != nil:
		return guard.Work{Unknown: "Git gives no status there"}
	}
	files = slices.DeleteFunc(files, func(w guard.WorkFile) bool { return w.Ignored && !f.precious(w.Path) })
	work := f.desk.owners(f.session, root, files, f.desk.committed(f.ctx, f.session, folder, files))
	work.Root = real(root)
	for i := range work.Files {
		work.Files[i].Path = f.parents(work.Files[i].Path)
	}
	return work
}

// git returns the output of Git, which is asked only once; "" if it fails.
func (f *Facts) git(folder string, args ...string) (string, bool) {
	key := folder + "\x00" + strings.Join(args, "\x00")
	if out, asked := f.answers[key]; asked {
		return out, out != unanswered
	}
	out, err := gitrun.Command{Dir: folder}.Run(f.ctx, args...)
	if err != nil {
		out = unanswered
	}
	f.answers[key] = out
	return out, err == nil
}

const unanswered = "\x00"

// Current returns the branch that is checked out in a folder.
func (f *Facts) Current(folder string) string {
	out, _ := f.git(folder, "symbolic-ref", "--short", "-q", "HEAD")
	return strings.Trim(out, "\x00 \n")
}

// Branch returns what is known of a branch, HEAD for the one that is checked out.
func (f *Facts) Branch(folder, name string) guard.Branch {
	if name == "HEAD" {
		if name = f.Current(folder); name == "" {
			return guard.Branch{}
		}
	}
	b := guard.Branch{Own: slices.Contains(f.desk.created(f.session).branches, name)}
	if _, inside := f.git(folder, "rev-parse", "--git-dir"); !inside || strings.HasPrefix(name, "-") {
		return b
	}
	b.Known = true
	if _, b.Exists = f.git(folder, "rev-parse", "--verify", "-q", "refs/heads/"+name); !b.Exists {
		b.Known = false
		return b
	}
	out, counted := f.git(folder, "rev-list", "--count", "refs/heads/"+name, "--not", "--exclude="+name, "--branches", "--remotes", "--tags", "--")
	b.Alone = counted && strings.TrimSpace(out) != "0"
	b.Known = counted
	return b
}

// Stashes returns the stashes of the repository, newest first.
func (f *Facts) Stashes(folder string) ([]guard.Stash, bool) {
	out, known := f.git(folder, "stash", "list", "--format=%H %gs")
	if !known {
		return nil, false
	}
	here, own := f.Current(folder), f.desk.created(f.session).stashes
	var list []guard.Stash
	for line := range strings.Lines(out) {
		commit, message, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, about, _ := strings.Cut(message, "n ") // "WIP on BRANCH: …", "On BRANCH: …"
		branch, _, _ := strings.Cut(about, ":")
		list = append(list, guard.Stash{
			Branch: branch, Own: own[commit], Elsewhere: branch != here && slices.Contains(f.branches(folder), branch),
		})
	}
	return list, true
}

// Worktrees returns the other worktrees of the repository.
func (f *Facts) Worktrees(folder string) (out []string) {
	listed, _ := f.git(folder, "worktree", "list", "--porcelain")
	for line := range strings.Lines(listed) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "worktree "); is && !slices.Contains(f.Roots(), real(name)) {
			out = append(out, real(name))
		}
	}
	return out
}

// branches returns those that are checked out in any worktree.
func (f *Facts) branches(folder string) (out []string) {
	listed, _ := f.git(folder, "worktree", "list", "--porcelain")
	for line := range strings.Lines(listed) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "branch refs/heads/"); is {
			out = append(out, name)
		}
	}
	return out
}

// Started reports whether the session ran a program with this name.
func (f *Facts) Started(name string) bool {
	made := f.desk.created(f.session)
	return made.ran(name)
}

// Patience limits how long Git may take to report what is uncommitted. Only a call that would destroy
// something waits for it, and on a machine where other agents compile Git needs many times as long as at
// rest. Together with a snapshot it stays below what an agent waits for its hook.
const Patience = 1500 * time.Millisecond

// maxAsked limits the files whose last commit is looked up.
const maxAsked = 8

// committed returns when files that another session wrote were last committed: what was written before that
// is not lost.
func (d *Desk) committed(ctx context.Context, id, dir string, files []guard.WorkFile) map[string]time.Time {
	var claimed []string
	d.mu.Lock()
	for _, f := range files {
		for e := d.recent.Front(); e != nil && !f.Untracked && !f.Ignored; e = e.Next() {
			s := e.Value.(*session)
			if _, wrote := s.written[f.Path]; wrote && s.id != id {
				claimed = append(claimed, f.Path)
				break
			}
		}
	}
	d.mu.Unlock()
	out := map[string]time.Time{}
	for _, f := range claimed[:min(len(claimed), maxAsked)] {
		text, err := gitrun.Command{Dir: dir}.Run(ctx, "log", "-1", "--format=%ct", "--", f)
		if err != nil {
			break
		}
		if seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
			out[f] = time.Unix(seconds, 0)
		}
	}
	return out
}
