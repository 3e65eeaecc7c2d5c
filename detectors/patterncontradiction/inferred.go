package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// evidence of use: who uses a thing, as far as a file is concerned.
type inUse struct {
	files    int
	path     string // of the first, or the manifest
	turn     int
	manifest string // above the file, "" for none
}

// use is what is known of a thing's use for a file: by what was read, and by the
// codebase index.
func (t *turn) use(key, file string) inUse {
	var out inUse
	if u := t.memory.Uses[key]; u != nil {
		out = inUse{files: len(u.Files), path: u.Path, turn: u.Turn}
		if t.speaksFor(u.Manifest, file) {
			out.manifest = u.Manifest
		}
	}
	t.rulebook() // reads the index
	if m := t.memory.indexed[key]; out.manifest == "" && t.speaksFor(m, file) {
		out.manifest = m
	}
	if out.path == "" {
		out.path = out.manifest
	}
	return out
}

// speaksFor reports whether a manifest is the one of a file: above it, and none
// of its kind is known to be nearer.
func (t *turn) speaksFor(manifest, file string) bool {
	if manifest == "" || !below(file, path.Dir(manifest)) {
		return false
	}
	return !slices.ContainsFunc(t.Before.FilesAlike(path.Base(manifest)), func(other registry.File) bool {
		dir := path.Dir(other.Path)
		return path.Base(other.Path) == path.Base(manifest) && len(dir) > len(path.Dir(manifest)) && dir != "." &&
			below(file, dir)
	})
}

// established reports whether enough says that a thing is in use: a manifest, or
// independent files.
func (t *turn) established(key, file string) (inUse, bool) {
	u := t.use(key, file)
	return u, u.manifest != "" || u.files >= t.IndependentFiles
}

// againstInferred reports an import of a second library for a job that another
// one, or the project's own wrapper, is established for.
func (t *turn) againstInferred(e *edit, m *families.Member, module string) {
	if e.exempt && !(m.Family().InTests && e.test) || strings.Contains(t.removed(), module) || t.present(m, e.file) {
		return
	}
	offset := max(strings.Index(e.text, module), 0)
	t.inferred(e.file, m, detect.At(e.segment, offset, len(module)), "imports")
}

// present reports whether a thing is in use already, so that one more file of it
// departs from nothing.
func (t *turn) present(m *families.Member, file string) bool {
	u := t.use(m.Key(), file)
	return u.files > 0 || u.manifest != ""
}

// inferred reports a thing against the member of its family that is established
// without anyone having said so.
func (t *turn) inferred(file string, m *families.Member, evidence sessionevents.Evidence, does string) {
	if m.Raw && m.Family().RawInferred == "" {
		return
	}
	act := at(&evidence) + " " + does
	if does == planned {
		act = "Your plan takes"
	}
	if name, u := t.wrapperOf(m, file); u != nil {
		evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: u.Turn, Path: u.Path, What: name}
		t.report(contradiction{
			subclass: "bypass", thing: m.Spoken(), established: name, cost: bypassCost, confidence: t.Confidence.Imports, known: true, inferred: true, evidence: evidence,
			logOnly: m.Raw && m.Family().RawInferred != "queue",
			message: fmt.Sprintf("%s %s, but %d files read go through %s (%s). Use %s there.", act, m.Spoken(),
				len(u.Files), quote.Name(name), quote.Path(u.Path), quote.Name(name)),
			reason: fmt.Sprintf("The project's own %s %s is in front of %s in the files read.", m.Family().Noun,
				quote.Name(name), m.Spoken()),
		})
		return
	}
	rival, u := t.rivalOf(m, file, does == planned && m.Raw)
	if rival == nil {
		return
	}
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: u.turn, Path: u.path, What: rival.Spoken()}
	c := contradiction{
		subclass: "alternative", thing: m.Spoken(), established: rival.Spoken(), cost: bypassCost, inferred: true, evidence: evidence,
		confidence: t.Confidence.Imports, known: u.files > 0 || t.knows(rival.Spoken()),
		// Nobody sees calls in the files that were read: some may do the same.
		logOnly: m.Raw && (m.Family().RawInferred != "queue" || does == "calls"),
	}
	if m.Raw {
		c.subclass = "bypass"
	}
	where := fmt.Sprintf("%d files read use it", u.files)
	if u.manifest != "" {
		c.confidence, where = t.Confidence.Manifest, quote.Path(u.manifest)+" has it"
	}
	c.message = fmt.Sprintf("%s %s, but %s is this project's %s (%s). Use %s there.", act, m.Spoken(),
		rival.Spoken(), m.Family().Noun, where, rival.Spoken())
	c.reason = fmt.Sprintf("%s is a second %s beside %s, which is established: %s.", m.Spoken(), m.Family().Noun,
		rival.Spoken(), where)
	t.report(c)
}

// planned is what an inferred contradiction does that is only said: "I'll use X directly" (RF04).
const planned = "plans to use"

// rivalOf returns the established member that a new one would compete with, nil if none is
// established or the two coexist. A raw thing that a plan takes directly bypasses what it
// otherwise goes with: Prisma needs no pg beside it, and "I'll use pg directly" is the bypass.
func (t *turn) rivalOf(m *families.Member, file string, around bool) (rival *families.Member, u inUse) {
	for _, other := range m.Family().Members {
		if other.Raw || other == m || other.Language != m.Language {
			continue
		}
		found, ok := t.established(other.Key(), file)
		if !ok {
			continue
		}
		if m.Beside(other) && !(around && found.manifest != "" && !t.present(m, file)) {
			return nil, inUse{}
		}
		if rival == nil {
			rival, u = other, found
		}
	}
	return rival, u
}

// wrapperOf is the project's own wrapper of a thing's job that enough files use;
// nil where other files use the thing itself too.
func (t *turn) wrapperOf(m *families.Member, file string) (string, *use) {
	prefix := m.Family().ID + "/="
	best := ""
	for key, u := range t.memory.Uses {
		if strings.HasPrefix(key, prefix) && len(u.Files) >= t.IndependentFiles && (best == "" || key < best) {
			best = key
		}
	}
	name := strings.TrimPrefix(best, prefix)
	if own := t.memory.Uses[m.Key()]; best == "" || own != nil && len(own.Files) > 1 || isWrapper(file, name) {
		return "", nil
	}
	return name, t.memory.Uses[best]
}

// rawCalls finds calls of raw things for which the project has an established wrapper.
func (t *turn) rawCalls(e *edit, declared map[string]bool) {
	seen := map[string]bool{} // families of which something is in use
	for key := range t.memory.Uses {
		seen[familyOf(key)] = true
	}
	for key := range t.memory.indexed {
		seen[familyOf(key)] = true
	}
	for _, f := range t.libraries.Families {
		if !seen[f.ID] || f.RawInferred != "queue" {
			continue
		}
		for _, m := range f.Members {
			if !m.Raw || len(m.Calls) == 0 || m.Language != e.ecosystem || declared[m.Spoken()] || t.present(m, e.file) {
				continue
			}
			if offset, length := t.uses(e, target{member: m}); length > 0 && !t.isItself(e, m) {
				t.inferred(e.file, m, detect.At(e.segment, offset, length), "calls")
			}
		}
	}
}

func familyOf(key string) string {
	id, _, _ := strings.Cut(key, "/")
	return id
}

// isItself reports whether an edit uses another member of the raw thing's family
// that lies above it: then its calls are that one's.
func (t *turn) isItself(e *edit, m *families.Member) bool {
	for _, module := range e.segment.Imports {
		for _, other := range t.libraries.Imported(e.ecosystem, module) {
			if other.Family() == m.Family() {
				return true
			}
		}
	}
	return false
}
