package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/registry"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// bypasses judges what an edit begins to use: against declared rules, against
// recorded decisions, against what the files read agree on.
func (t *turn) bypasses(e *edit) {
	if e.text == "" {
		return
	}
	declared := map[string]bool{} // things a rule has spoken of
	for _, r := range t.rulebook() {
		if r.kind == forbids {
			t.againstRule(e, r, declared)
		}
	}
	if e.rewritten {
		return
	}
	for _, module := range e.segment.Imports {
		for _, m := range t.libraries.Imported(e.ecosystem, module) {
			if !declared[m.Spoken()] && !t.againstDecision(e, m, module) {
				t.againstInferred(e, m, module)
			}
		}
	}
	if !e.exempt {
		t.rawCalls(e, declared)
	}
}

// againstRule reports the first thing an edit uses that a rule forbids. What
// stands in the wrapper itself goes around nothing.
func (t *turn) againstRule(e *edit, r *rule, declared map[string]bool) {
	for _, of := range r.targets {
		if declared[of.name()] || t.outOfReach(e, r, of) {
			continue
		}
		offset, length := t.uses(e, of)
		if length == 0 || t.usedBefore(e, of) {
			continue
		}
		declared[of.name()] = true
		evidence := detect.At(e.segment, offset, length)
		evidence.ConflictsWith = r.earlier()
		c := contradiction{
			rule: r.text, subclass: r.subclass(of), thing: of.name(), established: r.established, cost: r.cost(of), confidence: t.Confidence.Declared,
			known: t.knows(r.established), evidence: evidence,
			logOnly: r.origin == fromUser && (r.stale && r.wrapper || e.exempt) || r.local && of.member == nil,
			reason:  fmt.Sprintf("%s uses %s, which %s rules out: %s.", e.file, of.name(), r.said(), t.quoted(r.text)),
		}
		if r.established != "" {
			c.message = fmt.Sprintf("%s uses %s, but %s says: %s. Use %s there.", at(&evidence), of.name(), r.said(), t.quoted(r.text), t.short(r.established))
		} else {
			c.message = fmt.Sprintf("%s uses %s, but %s says: %s. Take it out, or ask first.", at(&evidence), of.name(), r.said(), t.quoted(r.text))
		}
		t.report(c)
		return
	}
}

// outOfReach reports whether a rule does not hold in a file: the wrapper's own
// module, and, unless the user forbade the thing outright, tests and scripts.
func (t *turn) outOfReach(e *edit, r *rule, of target) bool {
	if r.established != "" && r.wrapper && isWrapper(e.file, r.established) || !r.holdsIn(e.file) {
		return true
	}
	if of.member != nil && of.member.Family().InTests {
		return false
	}
	plain := r.origin == fromUser && !r.wrapper && r.established == ""
	return e.exempt && !plain || t.isScratch(e.file)
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

// usedBefore reports whether the file was seen using the thing already: its own
// practice, not a new departure.
func (t *turn) usedBefore(e *edit, of target) bool {
	return of.member != nil && t.memory.usedIn(of.member.Key(), e.file)
}

func (m *memory) usedIn(key, file string) bool {
	u := m.Uses[key]
	if u == nil {
		return false
	}
	for _, hash := range u.Files {
		if hash == hashOf(file) {
			return true
		}
	}
	return false
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
		return path.Base(other.Path) == path.Base(manifest) && len(dir) > len(path.Dir(manifest)) && dir != "." && below(file, dir)
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
	t.inferred(e.segment, e.file, m, detect.At(e.segment, offset, len(module)), "imports")
}

// present reports whether a thing is in use already, so that one more file of it
// departs from nothing.
func (t *turn) present(m *families.Member, file string) bool {
	u := t.use(m.Key(), file)
	return u.files > 0 || u.manifest != ""
}

// inferred reports a thing against the member of its family that is established
// without anyone having said so.
func (t *turn) inferred(s *events.Segment, file string, m *families.Member, evidence events.Evidence, does string) {
	if m.Raw && m.Family().RawInferred == "" {
		return
	}
	if name, u := t.wrapperOf(m, file); u != nil {
		evidence.ConflictsWith = &events.EarlierEvent{Turn: u.Turn, Path: u.Path, What: name}
		t.report(contradiction{
			subclass: "bypass", thing: m.Spoken(), established: name, cost: bypassCost, confidence: t.Confidence.Imports, known: true, inferred: true, evidence: evidence,
			logOnly: m.Raw && m.Family().RawInferred != "queue",
			message: fmt.Sprintf("%s %s %s, but %d files read go through %s (%s). Use %s there.", at(&evidence), does, m.Spoken(), len(u.Files), name, u.Path, name),
			reason:  fmt.Sprintf("The project's own %s %s stands before %s in the files read.", m.Family().Noun, name, m.Spoken()),
		})
		return
	}
	rival, u := t.rivalOf(m, file)
	if rival == nil {
		return
	}
	evidence.ConflictsWith = &events.EarlierEvent{Turn: u.turn, Path: u.path, What: rival.Spoken()}
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
		c.confidence, where = t.Confidence.Manifest, u.manifest+" has it"
	}
	c.message = fmt.Sprintf("%s %s %s, but %s is this project's %s (%s). Use %s there.", at(&evidence), does, m.Spoken(), rival.Spoken(), m.Family().Noun, where, rival.Spoken())
	c.reason = fmt.Sprintf("%s is a second %s beside %s, which is established: %s.", m.Spoken(), m.Family().Noun, rival.Spoken(), where)
	t.report(c)
}

// rivalOf is the established member that another one would stand beside, nil if
// there is none or the two live together.
func (t *turn) rivalOf(m *families.Member, file string) (rival *families.Member, u inUse) {
	for _, other := range m.Family().Members {
		if other.Raw || other == m || other.Language != m.Language {
			continue
		}
		found, ok := t.established(other.Key(), file)
		if !ok {
			continue
		}
		if m.Beside(other) {
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

// rawCalls looks for calls of raw things where something established stands
// before them.
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
				t.inferred(e.segment, e.file, m, detect.At(e.segment, offset, length), "calls")
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

// dependencies judges what an edit adds to a manifest.
func (t *turn) dependencies(e *edit, kind *manifest.Kind) {
	removed := map[string]bool{}
	for _, line := range e.segment.Diff.Removed() {
		removed[kind.Name(line.Text)] = true
	}
	offset := 0
	for _, line := range e.segment.Diff.Added() {
		name := kind.Name(line.Text)
		if name != "" && !removed[name] {
			t.newDependency(e.segment, e.file, kind.Ecosystem, name, detect.At(e.segment, offset, len(line.Text)), e.segment.Diff.Op == events.DiffCreate)
		}
		offset += len(line.Text) + 1
	}
}

// newDependency judges one new entry: against "no new dependencies", then as a
// second library for a job. A manifest that is made anew only lays down what is.
func (t *turn) newDependency(s *events.Segment, file, ecosystem, name string, evidence events.Evidence, created bool) {
	if created {
		return
	}
	for _, r := range t.rulebook() {
		if r.kind == noDependencies {
			t.againstStatement(r, "constraint", name, "adds the dependency "+name+" to "+path.Base(file), "Remove it, or ask first.", evidence)
			return
		}
	}
	for _, m := range t.libraries.Packaged(ecosystem, name) {
		for _, r := range t.rulebook() {
			for _, of := range r.targets {
				if r.kind == forbids && of.member == m && !t.present(m, file) {
					t.againstStatement(r, r.origin, m.Spoken(), "adds the dependency "+name+" to "+path.Base(file), "Remove it, or ask first.", evidence)
					return
				}
			}
		}
		if !t.present(m, file) {
			t.inferred(s, file, m, evidence, "adds")
		}
	}
}

// installed judges the packages that a command adds to the manifest.
func (t *turn) installed(s *events.Segment) {
	if s.Result != nil && s.Result.IsError {
		return
	}
	command := s.Tool.Command
	for _, m := range t.adds.FindAllStringSubmatchIndex(command, -1) {
		group := 2 * t.adds.SubexpIndex("names")
		names := command[m[group]:m[group+1]]
		if t.addsNot.MatchString(names) {
			continue
		}
		for _, name := range strings.Fields(names) {
			if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "$`") {
				continue
			}
			ecosystem, manifestFile := ecosystemOf(command[m[0]:m[group]])
			evidence := detect.At(s, m[0], m[1]-m[0])
			t.newDependency(s, manifestFile, ecosystem, withoutVersion(name), evidence, false)
		}
	}
}

// ecosystemOf is the language and manifest that a command adds to.
func ecosystemOf(command string) (ecosystem, file string) {
	for _, c := range []struct{ word, ecosystem, file string }{
		{"cargo", "rust", "Cargo.toml"}, {"go ", "go", "go.mod"}, {"bundle", "ruby", "Gemfile"}, {"composer", "php", "composer.json"},
		{"poetry", "python", "pyproject.toml"}, {"uv ", "python", "pyproject.toml"}, {"pdm", "python", "pyproject.toml"}, {"pipenv", "python", "Pipfile"},
	} {
		if strings.Contains(command, c.word) {
			return c.ecosystem, c.file
		}
	}
	return "javascript", "package.json"
}

// withoutVersion drops a version behind a package's name: "axios@1", "httpx>=0.2".
func withoutVersion(name string) string {
	name = strings.Trim(name, `"'`)
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	if at := strings.IndexAny(name, "=<>~^["); at > 0 {
		name = name[:at]
	}
	return name
}
