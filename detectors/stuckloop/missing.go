package stuckloop

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
)

const effectInstall = "install"

// missing counts, over the session, the turns in which one thing was missing that no edit brings: a
// module, a program, a library. A failed installation of it counts as well; one that works, or a
// file of that name, ends it.
func (w *watch) missing(a *act, now *step) {
	name := ""
	if a.failure != nil {
		name = w.lacks(a)
	}
	switch {
	case name != "" && !w.own(name):
		w.lacking(a, now, name, "")
	case a.has([]string{effectInstall}):
		w.installs(a, now)
	}
}

// lacking counts one more turn in which a thing was missing.
func (w *watch) lacking(a *act, now *step, name string, how mishap) {
	id := hash("missing", name)
	length, first := w.sight(kindMissing, id, 0)
	at := slices.IndexFunc(w.memory.Sightings, func(s sightings) bool { return s.Kind == kindMissing && s.ID == id })
	w.memory.Sightings[at].Name = name
	w.grow(loop{
		kind: kindMissing, id: uint64(id), subject: name, length: length, first: first, limits: w.Missing,
		marks: []uint32{now.Key}, job: now.Label, mishap: how,
	}, a.segment)
}

// mishapInstall says that the last call was to install the thing, and failed.
const mishapInstall mishap = "install"

// installs takes an installation into account for what it names: another one does not bring it.
func (w *watch) installs(a *act, now *step) {
	command := strings.ToLower(a.command())
	for _, s := range slices.Clone(w.memory.Sightings) {
		if s.Kind != kindMissing || !strings.Contains(command, strings.ToLower(stem(s.Name))) {
			continue
		}
		if a.failure == nil {
			w.memory.unsee(kindMissing, s.ID)
		} else {
			w.lacking(a, now, s.Name, mishapInstall)
		}
	}
}

// lacks is the name of what a failed call says is missing. Its last line is what ended it.
func (d *instance) lacks(a *act) string {
	lines := strings.Split(a.output(), "\n")
	for _, p := range d.Environment {
		if found := p.FindStringSubmatch(lines[len(lines)-1]); found != nil {
			return strings.Join(found[1:], "")
		}
	}
	return ""
}

// stem is a module's name without its parts.
func stem(name string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), ".")
	return first
}

// own reports whether the session wrote a file of that name.
func (w *watch) own(name string) bool {
	first := stem(name)
	return slices.ContainsFunc(w.pass.Before.FilesWritten(), func(file registry.FileWritten) bool {
		return stem(path.Base(file.Path)) == first || strings.Contains("/"+path.Dir(file.Path)+"/", "/"+first+"/")
	})
}
