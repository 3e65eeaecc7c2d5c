package patterncontradiction

import (
	"fmt"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// packages finds new dependencies, in manifests and by commands, and package managers that are
// not the project's.
type packages struct {
	*turn
	book     *book
	practice *practice
	choices  *choices
}

// dependencies judges what an edit adds to a manifest.
func (k *packages) dependencies(e *edit, kind *manifest.Kind) {
	removed := map[string]bool{}
	for _, line := range e.segment.Diff.Removed() {
		removed[kind.Name(line.Text)] = true
	}
	offset := 0
	for _, line := range e.segment.Diff.Added() {
		name := kind.Name(line.Text)
		if name != "" && !removed[name] {
			k.newDependency(e.file, kind.Ecosystem, name, detect.At(e.segment, offset, len(line.Text)), e.segment.Diff.Op == sessionevents.DiffCreate)
		}
		offset += len(line.Text) + 1
	}
}

// newDependency judges one new entry: against "no new dependencies", then as a second library for a
// job. A new manifest only records what is in use.
func (k *packages) newDependency(file, ecosystem, name string, evidence sessionevents.Evidence, created bool) {
	if created {
		return
	}
	for _, r := range k.book.rulebook() {
		if r.kind == noDependencies {
			k.againstStatement(r, "constraint", name, "adds the dependency "+quote.Name(name)+" to "+quote.Path(path.Base(file)), "Remove it, or ask first.", evidence)
			return
		}
	}
	for _, m := range k.libraries.Packaged(ecosystem, name) {
		if k.practice.present(m, file) {
			continue
		}
		if r, _ := k.book.ruledOut(only(m)); r != nil {
			k.againstStatement(r, r.origin, m.Spoken(), "adds the dependency "+quote.Name(name)+" to "+quote.Path(path.Base(file)), "Remove it, or ask first.", evidence)
			return
		}
		k.practice.inferred(file, m, evidence, "adds")
	}
}

// againstStatement reports an act against what was stated in words.
func (k *packages) againstStatement(r *rule, subclass, thing, act, advice string, evidence sessionevents.Evidence) {
	evidence.ConflictsWith = r.earlier()
	k.report(contradiction{
		rule: r.text, subclass: subclass, thing: thing, established: r.established, cost: contraryCost, confidence: k.Confidence.Declared,
		known: k.knows(r.established), evidence: evidence,
		message: fmt.Sprintf("The turn %s, but %s. %s", act, k.says(r), advice),
		reason:  fmt.Sprintf("The turn %s, but %s.", act, k.states(r)),
	})
}

// installed judges the packages that a command adds to the manifest.
func (k *packages) installed(s *sessionevents.Segment) {
	if s.Result != nil && s.Result.IsError {
		return
	}
	command := s.Tool.Command
	for _, m := range k.Adds.FindAllStringSubmatchIndex(command, -1) {
		group := 2 * k.Adds.SubexpIndex("names")
		names := command[m[group]:m[group+1]]
		if k.AddsNot.MatchString(names) {
			continue
		}
		for _, name := range strings.Fields(names) {
			if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "$`") {
				continue
			}
			ecosystem, manifestFile := ecosystemOf(command[m[0]:m[group]])
			evidence := detect.At(s, m[0], m[1]-m[0])
			k.newDependency(manifestFile, ecosystem, withoutVersion(name), evidence, false)
		}
	}
}

// ecosystemOf is the language and manifest that a command adds to.
func ecosystemOf(command string) (ecosystem, file string) {
	for _, c := range []struct{ word, ecosystem, file string }{
		{"cargo", "rust", "Cargo.toml"},
		{"go ", "go", "go.mod"},
		{"bundle", "ruby", "Gemfile"},
		{"composer", "php", "composer.json"},
		{"poetry", "python", "pyproject.toml"},
		{"uv ", "python", "pyproject.toml"},
		{"pdm", "python", "pyproject.toml"},
		{"pipenv", "python", "Pipfile"},
	} {
		if strings.Contains(command, c.word) {
			return c.ecosystem, c.file
		}
	}
	return "javascript", "package.json"
}

// withoutVersion drops the version after a package's name: "axios@1", "httpx>=0.2".
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

// managed judges a command of another package manager than the project's: one
// that a rule names, or, which is logged only, one whose lock file was listed.
func (k *packages) managed(s *sessionevents.Segment) {
	f := k.libraries.Family("package-manager")
	if f == nil {
		return
	}
	for _, m := range f.Members {
		at, length := commandOf(s.Tool.Command, m)
		if length == 0 {
			continue
		}
		evidence := detect.At(s, at, length)
		if k.managedByRule(m, evidence) || k.choices.commandAgainst(m, evidence) || k.practice.present(m, "") {
			return
		}
		for _, other := range f.Members {
			if u := k.memory.Uses[other.Key()]; !m.Raw && u != nil && u.Manifest != "" && m.Rivals(other) {
				evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: u.Turn, Path: u.Manifest, What: other.Name}
				k.report(contradiction{
					subclass: "alternative", thing: m.Name, established: other.Name, cost: bypassCost, confidence: k.Confidence.Manifest,
					inferred: true, logOnly: true, known: true, evidence: evidence,
					message: fmt.Sprintf("The turn runs %s, but %s says that this project uses %s. Use %s.", m.Name, quote.Path(u.Manifest), other.Name, other.Name),
					reason:  fmt.Sprintf("%s is a second package manager beside %s, whose lock file is %s.", m.Name, other.Name, u.Manifest),
				})
				return
			}
		}
	}
}

// managedByRule reports a command of a package manager that a rule rules out.
func (k *packages) managedByRule(m *families.Member, evidence sessionevents.Evidence) bool {
	r, _ := k.book.ruledOut(only(m))
	if r != nil {
		k.againstStatement(r, r.origin, m.Name, "runs "+m.Name, k.advice(r, "Ask first."), evidence)
	}
	return r != nil
}

// commandOf is where a command line runs a package manager; a length of 0 where
// it does not.
func commandOf(line string, m *families.Member) (at, length int) {
	for _, command := range m.Commands {
		at := strings.Index(line, command)
		if at < 0 {
			continue
		}
		end := at + len(command)
		starts := at == 0 || strings.ContainsAny(line[at-1:at], " ;&|(\n")
		if starts && (end == len(line) || strings.ContainsAny(line[end:end+1], " ;&|)\n")) && !strings.Contains(line[at:], " -g") {
			return at, len(command)
		}
	}
	return 0, 0
}
