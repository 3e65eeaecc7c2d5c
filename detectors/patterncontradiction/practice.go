package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// practice is what the project does without anyone having said so, by its manifests, the files
// read and the codebase index; it finds a second library or a way around a wrapper.
type practice struct {
	*turn
	book *book
}

// evidence of use: who uses a thing, as far as a file is concerned.
type inUse struct {
	files    int
	path     string // of the first, or the manifest
	turn     int
	manifest string // above the file, "" for none
}

// use is what is known of a thing's use for a file: by what was read, and by the
// codebase index.
func (k *practice) use(key, file string) inUse {
	var out inUse
	if u := k.memory.Uses[key]; u != nil {
		out = inUse{files: len(u.Files), path: u.Path, turn: u.Turn}
		if k.speaksFor(u.Manifest, file) {
			out.manifest = u.Manifest
		}
	}
	k.book.rulebook() // reads the index
	if m := k.memory.indexed[key]; out.manifest == "" && k.speaksFor(m, file) {
		out.manifest = m
	}
	if out.path == "" {
		out.path = out.manifest
	}
	return out
}

// speaksFor reports whether a manifest is the one of a file: above it, and none
// of its kind is known to be nearer.
func (k *practice) speaksFor(manifest, file string) bool {
	if manifest == "" || !below(file, path.Dir(manifest)) {
		return false
	}
	return !slices.ContainsFunc(k.Before.FilesAlike(path.Base(manifest)), func(other registry.File) bool {
		dir := path.Dir(other.Path)
		return path.Base(other.Path) == path.Base(manifest) && len(dir) > len(path.Dir(manifest)) && dir != "." &&
			below(file, dir)
	})
}

// established reports whether enough says that a thing is in use: a manifest, or
// independent files.
func (k *practice) established(key, file string) (inUse, bool) {
	u := k.use(key, file)
	return u, u.manifest != "" || u.files >= k.IndependentFiles
}

// present reports whether a thing is in use already, so that one more file of it
// departs from nothing.
func (k *practice) present(m *families.Member, file string) bool {
	u := k.use(m.Key(), file)
	return u.files > 0 || u.manifest != ""
}

// againstInferred reports an import of a second library for a job that another
// one, or the project's own wrapper, is established for.
func (k *practice) againstInferred(e *edit, m *families.Member, module string) {
	if e.exempt && !(m.Family().InTests && e.test) || strings.Contains(k.removed(), module) || k.present(m, e.file) {
		return
	}
	offset := max(strings.Index(e.text, module), 0)
	k.inferred(e.file, m, detect.At(e.segment, offset, len(module)), "imports")
}

// inferred reports a thing against the member of its family that is established
// without anyone having said so.
func (k *practice) inferred(file string, m *families.Member, evidence sessionevents.Evidence, does string) {
	if m.Raw && m.Family().RawInferred == "" {
		return
	}
	act := at(&evidence) + " " + does
	if does == planned {
		act = "Your plan takes"
	}
	if name, u := k.wrapperOf(m, file); u != nil {
		evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: u.Turn, Path: u.Path, What: name}
		k.report(contradiction{
			subclass: "bypass", thing: m.Spoken(), established: name, cost: bypassCost, confidence: k.Confidence.Imports, known: true, inferred: true, evidence: evidence,
			logOnly: m.Raw && m.Family().RawInferred != "queue",
			message: fmt.Sprintf("%s %s, but %d files read go through %s (%s). Use %s there.", act, m.Spoken(),
				len(u.Files), quote.Name(name), quote.Path(u.Path), quote.Name(name)),
			reason: fmt.Sprintf("The project's own %s %s is in front of %s in the files read.", m.Family().Noun,
				quote.Name(name), m.Spoken()),
		})
		return
	}
	rival, u := k.rivalOf(m, file, does == planned && m.Raw)
	if rival == nil {
		return
	}
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: u.turn, Path: u.path, What: rival.Spoken()}
	c := contradiction{
		subclass: "alternative", thing: m.Spoken(), established: rival.Spoken(), cost: bypassCost, inferred: true, evidence: evidence,
		confidence: k.Confidence.Imports, known: u.files > 0 || k.knows(rival.Spoken()),
		// Nobody sees calls in the files that were read: some may do the same.
		logOnly: m.Raw && (m.Family().RawInferred != "queue" || does == "calls"),
	}
	if m.Raw {
		c.subclass = "bypass"
	}
	where := fmt.Sprintf("%d files read use it", u.files)
	if u.manifest != "" {
		c.confidence, where = k.Confidence.Manifest, quote.Path(u.manifest)+" has it"
	}
	c.message = fmt.Sprintf("%s %s, but %s is this project's %s (%s). Use %s there.", act, m.Spoken(),
		rival.Spoken(), m.Family().Noun, where, rival.Spoken())
	c.reason = fmt.Sprintf("%s is a second %s beside %s, which is established: %s.", m.Spoken(), m.Family().Noun,
		rival.Spoken(), where)
	k.report(c)
}

// planned is what an inferred contradiction does that is only said: "I'll use X directly" (RF04).
const planned = "plans to use"

// rivalOf returns the established member that a new one would compete with, nil if none is
// established or the two coexist. A raw thing that a plan takes directly bypasses what it
// otherwise goes with, also where the manifest has it for the one above: "I'll use pg directly"
// beside Drizzle.
func (k *practice) rivalOf(m *families.Member, file string, around bool) (rival *families.Member, u inUse) {
	for _, other := range m.Family().Members {
		if other.Raw || other == m || other.Language != m.Language {
			continue
		}
		found, ok := k.established(other.Key(), file)
		if !ok {
			continue
		}
		if m.Beside(other) && !(around && found.manifest != "" && k.use(m.Key(), file).files == 0) {
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
func (k *practice) wrapperOf(m *families.Member, file string) (string, *use) {
	prefix := m.Family().ID + "/="
	best := ""
	for key, u := range k.memory.Uses {
		if strings.HasPrefix(key, prefix) && len(u.Files) >= k.IndependentFiles && (best == "" || key < best) {
			best = key
		}
	}
	name := strings.TrimPrefix(best, prefix)
	if own := k.memory.Uses[m.Key()]; best == "" || own != nil && len(own.Files) > 1 || isWrapper(file, name) {
		return "", nil
	}
	return name, k.memory.Uses[best]
}

// rawCalls finds calls of raw things for which the project has an established wrapper.
func (k *practice) rawCalls(e *edit, declared map[string]bool) {
	seen := map[string]bool{} // families of which something is in use
	for key := range k.memory.Uses {
		seen[familyOf(key)] = true
	}
	for key := range k.memory.indexed {
		seen[familyOf(key)] = true
	}
	for _, f := range k.libraries.Families {
		if !seen[f.ID] || f.RawInferred != "queue" {
			continue
		}
		for _, m := range f.Members {
			if !m.Raw || len(m.Calls) == 0 || m.Language != e.ecosystem || declared[m.Spoken()] || k.present(m, e.file) {
				continue
			}
			if offset, length := e.uses(target{member: m}); length > 0 && !e.isItself(m) {
				k.inferred(e.file, m, detect.At(e.segment, offset, length), "calls")
			}
		}
	}
}

func familyOf(key string) string {
	id, _, _ := strings.Cut(key, "/")
	return id
}

// learnManifest notes the libraries a manifest names.
func (k *practice) learnManifest(kind *manifest.Kind, file string, names []string) {
	for _, name := range names {
		for _, m := range k.libraries.Packaged(kind.Ecosystem, name) {
			if u := k.memory.uses(m.Key(), k.Turn.Turn, k.Limits.Uses); u.Manifest == "" || len(file) < len(u.Manifest) {
				u.Manifest = file
			}
		}
	}
}

// learnImports notes the libraries and wrappers that a file read imports.
func (k *practice) learnImports(file string, s *sessionevents.Segment) {
	if len(s.Imports) == 0 {
		return
	}
	exempt, test := k.exempt(file), k.isTest(file)
	ecosystem := families.Ecosystem(s.Language)
	for _, module := range s.Imports {
		for _, m := range k.libraries.Imported(ecosystem, module) {
			if m.Family().InTests && test || !exempt {
				k.memory.uses(m.Key(), k.Turn.Turn, k.Limits.Uses).sawFile(file, k.Limits.FilesPerUse)
			}
		}
		for _, choice := range k.decisions.topics.Imported(module) {
			if !exempt {
				k.memory.uses(choice.Key(), k.Turn.Turn, k.Limits.Uses).sawFile(file, k.Limits.FilesPerUse)
			}
		}
		if f := k.wrapperFamily(ecosystem, module); f != nil && !exempt {
			k.memory.uses(wrapperKey(f, module), k.Turn.Turn, k.Limits.Uses).sawFile(file, k.Limits.FilesPerUse)
		}
	}
}

// wrapperKey names a project's own wrapper, however a file spells the way to it.
func wrapperKey(f *families.Family, module string) string {
	return f.ID + "/=" + families.LastPart(module)
}

// wrapperFamily is the family that a project's own module wraps, nil for others.
func (k *practice) wrapperFamily(ecosystem, module string) *families.Family {
	own := false
	switch ecosystem {
	case "javascript":
		own = strings.HasPrefix(module, ".") || strings.HasPrefix(module, "@/") || strings.HasPrefix(module, "~/") || strings.HasPrefix(module, "#")
	case "python":
		own = strings.HasPrefix(module, ".") || strings.Contains(module, ".")
	case "go":
		own = strings.Contains(module, "/internal/") || strings.Contains(module, "/pkg/")
	case "ruby":
		own = strings.HasPrefix(module, ".") || strings.Contains(module, "/")
	case "rust":
		own = strings.HasPrefix(module, "crate::") || strings.HasPrefix(module, "super::")
	case "php":
		own = strings.HasPrefix(module, `App\`)
	}
	if !own || k.libraries.Imported(ecosystem, module) != nil {
		return nil
	}
	return k.libraries.Wraps(module)
}

// lockFiles notes the package manager whose lock file a listing shows.
func (k *practice) lockFiles(s *sessionevents.Segment) {
	if s.Result == nil || !slices.ContainsFunc(s.Accesses, func(a sessionevents.Access) bool { return a.Kind == sessionevents.AccessList }) {
		return
	}
	for _, word := range strings.Fields(s.Result.Head + " " + s.Result.Tail) {
		if m := k.libraries.ByFile(path.Base(word)); m != nil {
			k.memory.uses(m.Key(), k.Turn.Turn, k.Limits.Uses).Manifest = path.Base(word)
		}
	}
}

// isWrapper reports whether a file is the wrapper's own module.
func isWrapper(file, wrapper string) bool {
	wrapper = strings.TrimLeft(strings.TrimPrefix(wrapper, "@/"), "./~")
	stem := strings.TrimSuffix(file, path.Ext(file))
	if strings.Contains("/"+file+"/", "/"+wrapper+"/") || strings.HasSuffix("/"+stem, "/"+wrapper) {
		return true
	}
	return sameName(lastPart(file), lastPart(wrapper)) || sameName(path.Base(path.Dir(file)), lastPart(wrapper))
}

// sameName compares names by their words: apiClient, api_client, api-client.
func sameName(a, b string) bool {
	return strings.Join(stemmed(a), " ") == strings.Join(stemmed(b), " ")
}
