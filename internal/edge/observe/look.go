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

// Patience bounds how long a look may take while an agent waits.
const Patience = 50 * time.Millisecond

// Bounds of what is read of a file of settings.
const maxSettings = 256 << 10

// slack is how much later than a response a change may be that still belongs to it.
const slack = 2 * time.Second

// Look is a look at one workspace.
type Look struct {
	// Workspace is the folder that the session began in, Folder the one it is in now; "" for the same.
	Workspace, Folder string
	// Wrote are files that the session wrote, absolute or relative to the workspace, the latest last.
	Wrote []string
	// AsOf is when the response was complete; what changed later says nothing of it, and is left out.
	// Zero: just now.
	AsOf time.Time
	// Limit bounds the look where nobody waits for an answer; 0 is Patience.
	Limit time.Duration
	// Sets reports whether a line of a file sets a key.
	Sets func(line, key string) bool
}

// At answers questions about the claims of a response; nil where there is nothing to ask or no
// workspace to look at.
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

// open reports whether the workspace is a folder here, and makes its paths plain.
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

// named is a path as the record has it: of the workspace relative to it.
func (l *Look) named(file string) string {
	if inside, err := filepath.Rel(l.Workspace, file); err == nil && !strings.HasPrefix(inside, "..") {
		return filepath.ToSlash(inside)
	}
	return filepath.ToSlash(file)
}

// paths looks for the files that are spoken of.
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

// path finds the file that a name means: in the workspace, in the folder that the agent is in, or one that
// the session wrote. That it is nowhere is known only where the name says where it would be.
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

// places are where a name can lead, and the one that is meant for certain, "" for none.
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

// inTime reports whether what is seen of a file was so when the response was complete: nothing wrote it
// since, or, where it is gone, nothing changed the folder that is left of its place.
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

// keys looks for settings in the files that are to have them. Of a file that is not a plain one of the
// workspace nothing is read.
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
