package observe

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Patience limits how long an inspection may take while an agent waits.
const Patience = 50 * time.Millisecond

// Limits of what is read of a settings file.
const maxSettings = 256 << 10

// slack is how much later than a response a change may be and still belong to it.
const slack = 2 * time.Second

// Look is the inspection of one workspace.
type Look struct {
	// Workspace is the folder that the session began in, Folder its current one; "" means the same.
	Workspace, Folder string
	// Wrote are the files that the session wrote, absolute or relative to the workspace, latest last.
	Wrote []string
	// AsOf is when the response was complete; later changes say nothing about it and are left out. Zero
	// means now.
	AsOf time.Time
	// Limit limits the inspection when nobody waits for an answer; 0 means Patience.
	Limit time.Duration
	// Sets reports whether a line of a file sets a key.
	Sets func(line, key string) bool
}

// At answers questions about the claims of a response; nil if there is nothing to ask or no workspace.
func (l Look) At(ctx context.Context, q ledger.Questions) *sessionevents.WorkspaceObserved {
	if q.None() || !l.open() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(l.Limit, Patience))
	defer cancel()
	o := &sessionevents.WorkspaceObserved{}
	l.paths(q.Paths, o)
	l.keys(q.Keys, o)
	if q.Commits || q.Pushes {
		l.git(ctx, q, o)
	}
	return o
}

// open reports whether the workspace is a folder on this machine, and resolves its paths.
func (l *Look) open() bool {
	if !filepath.IsAbs(l.Workspace) {
		return false
	}
	root, err := filepath.EvalSymlinks(l.Workspace)
	if err != nil {
		return false
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return false
	}
	wrote := make([]string, 0, len(l.Wrote))
	for _, f := range l.Wrote {
		if !filepath.IsAbs(f) {
			f = filepath.Join(root, f)
		}
		if inside, err := filepath.Rel(l.Workspace, f); err == nil && !strings.HasPrefix(inside, "..") {
			f = filepath.Join(root, inside)
		}
		wrote = append(wrote, filepath.Clean(f))
	}
	l.Wrote, l.Workspace = wrote, root
	if folder, err := filepath.EvalSymlinks(l.Folder); err == nil && filepath.IsAbs(folder) {
		l.Folder = folder
	} else {
		l.Folder = root
	}
	return true
}

// named returns a path as it is recorded: relative to the workspace if it is inside.
func (l *Look) named(file string) string {
	if inside, err := filepath.Rel(l.Workspace, file); err == nil && !strings.HasPrefix(inside, "..") {
		return filepath.ToSlash(inside)
	}
	return filepath.ToSlash(file)
}

// paths looks for the files that are mentioned.
func (l *Look) paths(names []string, o *sessionevents.WorkspaceObserved) {
	if len(names) == 0 {
		return
	}
	o.Asked = append(o.Asked, sessionevents.AskedPaths)
	for _, name := range names {
		if len(o.Paths) < sessionevents.MaxObserved {
			if p, known := l.path(name); known {
				o.Paths = append(o.Paths, p)
			}
		}
	}
}

// path finds the file that a name means: in the workspace, in the agent's current folder, or one that the
// session wrote. Its absence is known only if the name says where it would be.
func (l *Look) path(name string) (p sessionevents.ObservedPath, known bool) {
	places, certain := l.places(name)
	for _, file := range places {
		if _, err := os.Lstat(file); err == nil {
			return sessionevents.ObservedPath{Path: l.named(file), Exists: true}, l.inTime(file)
		}
	}
	for _, file := range places {
		if !l.inTime(file) {
			return p, false
		}
	}
	if certain == "" {
		return p, false
	}
	return sessionevents.ObservedPath{Path: l.named(certain)}, true
}

// places returns the places that a name can refer to, and the one that it certainly means, "" for none.
func (l *Look) places(name string) (places []string, certain string) {
	switch {
	case filepath.IsAbs(name):
		return []string{filepath.Clean(name)}, filepath.Clean(name)
	case strings.HasPrefix(name, "~"):
		return nil, ""
	}
	for _, file := range l.Wrote {
		if strings.HasSuffix(filepath.ToSlash(file), "/"+path.Clean(name)) {
			places = append(places, file)
			certain = file
		}
	}
	for _, folder := range []string{l.Workspace, l.Folder} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if !slices.Contains(places, file) {
			places = append(places, file)
		}
		if info, err := os.Stat(filepath.Dir(file)); certain == "" && strings.Contains(name, "/") && err == nil && info.IsDir() {
			certain = file
		}
	}
	return places, certain
}

// inTime reports whether the observation of a file holds for the time of the response: nothing wrote to it
// since or, if it is gone, nothing changed the innermost existing folder of its path.
func (l *Look) inTime(file string) bool {
	if l.AsOf.IsZero() {
		return true
	}
	for {
		if info, err := os.Lstat(file); err == nil {
			return !info.ModTime().After(l.AsOf.Add(slack))
		}
		up := filepath.Dir(file)
		if up == file {
			return false
		}
		file = up
	}
}

// keys looks for keys in the settings files that should have them. It reads only regular files of the
// workspace.
func (l *Look) keys(asked []sessionevents.ObservedKey, o *sessionevents.WorkspaceObserved) {
	if len(asked) == 0 || l.Sets == nil {
		return
	}
	o.Asked = append(o.Asked, sessionevents.AskedKeys)
	for _, k := range asked[:min(len(asked), sessionevents.MaxObserved)] {
		p, known := l.path(k.Path)
		if !known || !p.Exists || path.IsAbs(p.Path) {
			continue
		}
		if set, read := l.sets(filepath.Join(l.Workspace, filepath.FromSlash(p.Path)), k.Key); read {
			o.Keys = append(o.Keys, sessionevents.ObservedKey{Path: p.Path, Key: k.Key, Set: set})
		}
	}
}

func (l *Look) sets(file, key string) (set, read bool) {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return false, false
	}
	in, err := os.Open(file)
	if err != nil {
		return false, false
	}
	defer in.Close()
	lines := bufio.NewScanner(io.LimitReader(in, maxSettings))
	lines.Buffer(nil, maxSettings)
	for lines.Scan() {
		if l.Sets(lines.Text(), key) {
			return true, true
		}
	}
	return false, lines.Err() == nil
}
