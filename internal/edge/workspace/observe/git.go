package observe

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// git determines what is committed and pushed.
func (l *Look) git(ctx context.Context, q ledger.Questions, o *sessionevents.WorkspaceObserved) {
	top, dir := l.repository()
	if top == "" {
		return
	}
	quiet, filtered, err := gitrun.Looking(ctx, top)
	if err != nil {
		return
	}
	o.Asked = append(o.Asked, sessionevents.AskedCommit)
	moved := l.later(filepath.Join(dir, "logs", "HEAD"), filepath.Join(dir, "HEAD"))
	if out, err := quiet.Run(ctx, "rev-parse", "--verify", "-q", "HEAD^{commit}"); err == nil && !moved {
		o.Commit = strings.TrimSpace(out)
	}
	if q.Commits && !moved && !l.later(filepath.Join(dir, "index")) {
		l.status(ctx, quiet, filtered, top, o)
	}
	if q.Pushes && o.Commit != "" {
		l.unpushed(ctx, quiet, o)
	}
}

// repository returns the worktree around the workspace and its Git directory, "" if there is none.
func (l *Look) repository() (top, dir string) {
	for top = l.Workspace; ; top = filepath.Dir(top) {
		dir = filepath.Join(top, ".git")
		info, err := os.Lstat(dir)
		switch {
		case err == nil && info.IsDir():
			return top, dir
		case err == nil && info.Mode().IsRegular() && info.Size() < 4096:
			text, err := os.ReadFile(dir)
			where, is := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if err != nil || !is {
				return "", ""
			}
			if !filepath.IsAbs(where) {
				where = filepath.Join(top, where)
			}
			return top, where
		case top == filepath.Dir(top):
			return "", ""
		}
	}
}

// later reports whether any of the files changed after the response.
func (l *Look) later(files ...string) bool {
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !l.AsOf.IsZero() && info.ModTime().After(l.AsOf.Add(slack)) {
			return true
		}
	}
	return false
}

// status asks about the files that the session wrote. Files that differ only because a filter of the
// repository was not run are left out.
func (l *Look) status(ctx context.Context, quiet gitrun.Command, filtered bool, top string, o *sessionevents.WorkspaceObserved) {
	var files []string
	for i := len(l.Wrote) - 1; i >= 0 && len(files)+len(o.Paths) < sessionevents.MaxObserved; i-- {
		inside, err := filepath.Rel(top, l.Wrote[i])
		if err == nil && !strings.HasPrefix(inside, "..") && l.inTime(l.Wrote[i]) {
			files = append(files, filepath.ToSlash(inside))
		}
	}
	if len(files) == 0 {
		return
	}
	o.Asked = append(o.Asked, sessionevents.AskedStatus)
	args := []string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames", "--ignore-submodules=all", "--"}
	out, err := quiet.Run(ctx, append(args, files...)...)
	if err != nil {
		return
	}
	marks := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			marks[entry[3:]] = entry[:2]
		}
	}
	for _, f := range files {
		whole := filepath.Join(top, filepath.FromSlash(f))
		p := sessionevents.ObservedPath{Path: l.named(whole)}
		_, err := os.Lstat(whole)
		p.Exists = err == nil
		switch mark := markOf(marks, f); {
		case mark == "!!", mark != "" && mark != "??" && filtered && l.isFiltered(ctx, quiet, f):
		default:
			tracked, changed := mark != "??" && (p.Exists || mark != ""), mark != ""
			p.Tracked, p.Changed = &tracked, &changed
		}
		l.note(p, o)
	}
}

// markOf returns Git's status of a file, or of a folder around it.
func markOf(marks map[string]string, file string) string {
	if mark, is := marks[file]; is {
		return mark
	}
	for folder := file; ; {
		at := strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')
		if at < 0 {
			return ""
		}
		folder = folder[:at+1]
		if mark, is := marks[folder]; is {
			return mark
		}
	}
}

func (l *Look) isFiltered(ctx context.Context, quiet gitrun.Command, file string) bool {
	out, err := quiet.Run(ctx, "check-attr", "-z", "filter", "--", file)
	parts := strings.Split(out, "\x00")
	return err != nil || len(parts) < 3 || parts[2] != "unspecified" && parts[2] != "unset"
}

// note adds Git's status of a path to what was observed of it.
func (l *Look) note(p sessionevents.ObservedPath, o *sessionevents.WorkspaceObserved) {
	for i := range o.Paths {
		if o.Paths[i].Path == p.Path {
			o.Paths[i] = p
			return
		}
	}
	o.Paths = append(o.Paths, p)
}

// unpushed counts the commits that no remote is known to have. It reports nothing without a remote, nor a
// count of zero for a past response: the commits may have been pushed since.
func (l *Look) unpushed(ctx context.Context, quiet gitrun.Command, o *sessionevents.WorkspaceObserved) {
	o.Asked = append(o.Asked, sessionevents.AskedUnpushed)
	remotes, err := quiet.Run(ctx, "for-each-ref", "--count=1", "--format=x", "refs/remotes")
	if err != nil || strings.TrimSpace(remotes) == "" {
		return
	}
	out, err := quiet.Run(ctx, "rev-list", "--count", o.Commit, "--not", "--remotes")
	if err != nil {
		return
	}
	if n, err := strconv.Atoi(strings.TrimSpace(out)); err == nil && (n > 0 || l.AsOf.IsZero()) {
		o.Unpushed = &n
	}
}
