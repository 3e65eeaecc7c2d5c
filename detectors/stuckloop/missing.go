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
func (n newest) missing() {
	a := n.a
	name := ""
	if a.failure != nil {
		name = n.lacks(a)
	}
	switch {
	case name != "" && !n.own(name):
		n.lacking(name, "")
	case a.has([]string{effectInstall}):
		n.installs()
	}
}

// lacking counts one more turn in which a thing was missing.
func (n newest) lacking(name string, how mishap) {
	a, now := n.a, n.now
	id := hash("missing", name)
	length, first := n.sight(kindMissing, id, 0)
	at := slices.IndexFunc(n.memory.Sightings, func(s sightings) bool { return s.Kind == kindMissing && s.ID == id })
	n.memory.Sightings[at].Name = name
	n.grow(loop{
		kind: kindMissing, id: uint64(id), subject: name, length: length, first: first, limits: n.Missing,
		marks: []uint32{now.Key}, job: now.Label, mishap: how,
	}, a.segment)
}

// mishapInstall says that the last call was to install the thing, and failed.
const mishapInstall mishap = "install"

// installs takes an installation into account for what it names: another one does not bring it.
func (n newest) installs() {
	command := strings.ToLower(n.a.command())
	for _, s := range slices.Clone(n.memory.Sightings) {
		if s.Kind != kindMissing || !strings.Contains(command, strings.ToLower(stem(s.Name))) {
			continue
		}
		if n.a.failure == nil {
			n.memory.unsee(kindMissing, s.ID)
		} else {
			n.lacking(s.Name, mishapInstall)
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
