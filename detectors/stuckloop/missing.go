package stuckloop

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
)

const effectInstall = "install"

// missing counts, over the session, the turns in which one thing was missing that no edit brings:
// a module, a program, a library. An installation, or a file of that name, does.
func (w *watch) missing(a *act, now *step) {
	m := w.memory
	if a.failure == nil {
		if a.has([]string{effectInstall}) {
			for _, id := range m.seenIDs(kindMissing) {
				m.unsee(kindMissing, id)
			}
		}
		return
	}
	name := w.lacks(a)
	if name == "" || w.own(name) {
		return
	}
	id := hash("missing", name)
	length, first := w.sight(kindMissing, id, 0)
	w.grow(loop{
		kind: kindMissing, id: uint64(id), subject: name, length: length, first: first, limits: w.Missing,
		marks: []uint32{now.Key}, job: now.Label,
	}, a.segment)
}

// lacks is the name of what a failed call says is missing. Its last line is what ended it.
func (d *instance) lacks(a *act) string {
	lines := strings.Split(a.output(), "\n")
	for _, p := range d.environment {
		if found := p.FindStringSubmatch(lines[len(lines)-1]); found != nil {
			return strings.Join(found[1:], "")
		}
	}
	return ""
}

// own reports whether the session wrote a file of that name.
func (w *watch) own(name string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), ".")
	return slices.ContainsFunc(w.pass.Before.FilesWritten(), func(file registry.FileWritten) bool {
		base, _, _ := strings.Cut(path.Base(file.Path), ".")
		return base == first || strings.Contains("/"+path.Dir(file.Path)+"/", "/"+first+"/")
	})
}
