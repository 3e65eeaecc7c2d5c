package patterncontradiction

import (
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
			t.newDependency(e.file, kind.Ecosystem, name, detect.At(e.segment, offset, len(line.Text)), e.segment.Diff.Op == sessionevents.DiffCreate)
		}
		offset += len(line.Text) + 1
	}
}

// newDependency judges one new entry: against "no new dependencies", then as a second library for a
// job. A new manifest only records what is in use.
func (t *turn) newDependency(file, ecosystem, name string, evidence sessionevents.Evidence, created bool) {
	if created {
		return
	}
	for _, r := range t.rulebook() {
		if r.kind == noDependencies {
			t.againstStatement(r, "constraint", name, "adds the dependency "+quote.Name(name)+" to "+quote.Path(path.Base(file)), "Remove it, or ask first.", evidence)
			return
		}
	}
	for _, m := range t.libraries.Packaged(ecosystem, name) {
		if t.present(m, file) {
			continue
		}
		if r, _ := t.ruledOut(only(m)); r != nil {
			t.againstStatement(r, r.origin, m.Spoken(), "adds the dependency "+quote.Name(name)+" to "+quote.Path(path.Base(file)), "Remove it, or ask first.", evidence)
			return
		}
		t.inferred(file, m, evidence, "adds")
	}
}

// installed judges the packages that a command adds to the manifest.
func (t *turn) installed(s *sessionevents.Segment) {
	if s.Result != nil && s.Result.IsError {
		return
	}
	command := s.Tool.Command
	for _, m := range t.Adds.FindAllStringSubmatchIndex(command, -1) {
		group := 2 * t.Adds.SubexpIndex("names")
		names := command[m[group]:m[group+1]]
		if t.AddsNot.MatchString(names) {
			continue
		}
		for _, name := range strings.Fields(names) {
			if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "$`") {
				continue
			}
			ecosystem, manifestFile := ecosystemOf(command[m[0]:m[group]])
			evidence := detect.At(s, m[0], m[1]-m[0])
			t.newDependency(manifestFile, ecosystem, withoutVersion(name), evidence, false)
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
