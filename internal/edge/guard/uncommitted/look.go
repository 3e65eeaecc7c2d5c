package uncommitted

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// owners determines who wrote each file.
func (d *Desk) owners(id, root string, files []guard.WorkFile, committed map[string]time.Time) guard.Work {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := d.at(id)
	work := guard.Work{Unseen: own.before == nil}
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
				f.Own = false // both did: the caller must not destroy it
			}
		}
		f.Before = f.Session == "" && own.before[f.Path]
		f.Own = f.Own && !f.Before
		f.Kept = own.kept[f.Path]
		work.Files = append(work.Files, f)
	}
	return work
}

func within(name, folder string) bool {
	return name != "" && folder != "" && (name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/"))
}

// Kept records files of somebody else that are in a snapshot which was reported to a session.
func (d *Desk) Kept(id string, files []guard.WorkFile) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	if s.kept == nil || len(s.kept)+len(files) > maxBefore {
		s.kept = map[string]bool{}
	}
	for _, f := range files {
		s.kept[f.Path] = true
	}
}
