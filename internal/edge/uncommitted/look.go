package uncommitted

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
)

// Patience bounds how long Git may take to say what is uncommitted. Only a call that
// would destroy something waits for it.
const Patience = 400 * time.Millisecond

// Look is what is not committed where acts of a session would run.
func (d *Desk) Look(id, directory string, acts []destruct.Act, precious func(string) bool) preflight.Work {
	dir := Folder(directory, acts)
	if dir == "" {
		return preflight.Work{Unknown: "the folder is not known"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	files, root, err := d.status(ctx, dir)
	switch {
	case ctx.Err() != nil:
		return preflight.Work{Unknown: "git status took too long"}
	case err != nil:
		return preflight.Work{Unknown: "Git gives no status there"}
	}
	files = slices.DeleteFunc(files, func(f preflight.WorkFile) bool { return f.Ignored && !precious(f.Path) })
	return d.owners(id, root, files, d.committed(ctx, id, dir, files))
}

// maxAsked bounds the files whose last commit is asked for.
const maxAsked = 8

// committed is when files that another session wrote were committed last: what it wrote
// before is not lost.
func (d *Desk) committed(ctx context.Context, id, dir string, files []preflight.WorkFile) map[string]time.Time {
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

// Folder is where acts run, as far as the line says; "" if unknown.
func Folder(directory string, acts []destruct.Act) string {
	for _, a := range acts {
		switch {
		case a.Lost || strings.HasPrefix(a.Directory, "~") || strings.Contains(a.Directory, "$"):
			return ""
		case a.Directory != "" && path.IsAbs(a.Directory):
			return a.Directory
		case a.Directory != "" && directory != "":
			return path.Join(directory, a.Directory)
		}
	}
	return directory
}

// owners says of each file who wrote it.
func (d *Desk) owners(id, root string, files []preflight.WorkFile, committed map[string]time.Time) preflight.Work {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := d.at(id)
	work := preflight.Work{Unseen: own.before == nil}
	var others []*session
	for e := d.recent.Front(); e != nil; e = e.Next() {
		s := e.Value.(*session)
		if s != own && (within(s.workspace, root) || within(root, s.workspace)) {
			others = append(others, s)
			if !s.ended && d.now().Sub(s.last) < live {
				work.Others = append(work.Others, s.id)
			}
		}
	}
	slices.SortFunc(others, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	for _, f := range files {
		_, f.Own = own.written[f.Path]
		for _, s := range others {
			if at, wrote := s.written[f.Path]; wrote && !committed[f.Path].After(at) {
				f.Session = s.id
				f.Own = false // both did: it is not the caller's to destroy
			}
		}
		f.Before = f.Session == "" && own.before[f.Path]
		f.Own = f.Own && !f.Before
		work.Files = append(work.Files, f)
	}
	return work
}

func within(name, folder string) bool {
	return name != "" && folder != "" && (name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/"))
}
