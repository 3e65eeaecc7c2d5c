package patterncontradiction

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// called learns from a call's result and judges the packages it adds.
func (t *turn) called(s *sessionevents.Segment) {
	t.circumvented(s)
	t.refused(s)
	if s.Rejected {
		return
	}
	t.ordered(s)
	t.breaks(s)
	if s.Tool != nil && s.Tool.Command != "" && slices.Contains(s.Tool.Effects, "install") {
		t.installed(s)
		t.managed(s)
	}
	t.lockFiles(s)
	if s.Path == "" {
		return
	}
	file := t.Before.Path(s.Path)
	if kind := manifest.Of(file); kind != nil {
		if len(s.Accesses) == 1 && s.Accesses[0].From <= 1 && s.Accesses[0].To == 0 { // of a part nobody knows what the rest names
			t.learnManifest(kind, file, s.Imports)
		}
		return
	}
	if path.Base(file) == t.ConventionFile && s.Result != nil && s.Result.Tail == "" {
		t.learnConventions(withoutNumbers(s.Result.Head))
	}
	t.learnImports(file, s)
	t.learnStructure(file, s)
}

// learnManifest notes the libraries a manifest names.
func (t *turn) learnManifest(kind *manifest.Kind, file string, names []string) {
	for _, name := range names {
		for _, m := range t.libraries.Packaged(kind.Ecosystem, name) {
			if u := t.memory.uses(m.Key(), t.Turn.Turn, t.Limits.Uses); u.Manifest == "" || len(file) < len(u.Manifest) {
				u.Manifest = file
			}
		}
	}
}

// learnImports notes the libraries and wrappers that a file read imports.
func (t *turn) learnImports(file string, s *sessionevents.Segment) {
	if len(s.Imports) == 0 {
		return
	}
	exempt, test := t.exempt(file), t.isTest(file)
	ecosystem := families.Ecosystem(s.Language)
	for _, module := range s.Imports {
		for _, m := range t.libraries.Imported(ecosystem, module) {
			if m.Family().InTests && test || !exempt {
				t.memory.uses(m.Key(), t.Turn.Turn, t.Limits.Uses).sawFile(file, t.Limits.FilesPerUse)
			}
		}
		for _, choice := range t.decisions.topics.Imported(module) {
			if !exempt {
				t.memory.uses(choice.Key(), t.Turn.Turn, t.Limits.Uses).sawFile(file, t.Limits.FilesPerUse)
			}
		}
		if f := t.wrapperFamily(ecosystem, module); f != nil && !exempt {
			t.memory.uses(wrapperKey(f, module), t.Turn.Turn, t.Limits.Uses).sawFile(file, t.Limits.FilesPerUse)
		}
	}
}

// wrapperKey names a project's own wrapper, however a file spells the way to it.
func wrapperKey(f *families.Family, module string) string {
	return f.ID + "/=" + families.LastPart(module)
}

// wrapperFamily is the family that a project's own module wraps, nil for others.
func (t *turn) wrapperFamily(ecosystem, module string) *families.Family {
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
	if !own || t.libraries.Imported(ecosystem, module) != nil {
		return nil
	}
	return t.libraries.Wraps(module)
}

// lockFiles notes the package manager whose lock file a listing shows.
func (t *turn) lockFiles(s *sessionevents.Segment) {
	if s.Result == nil || !slices.ContainsFunc(s.Accesses, func(a sessionevents.Access) bool { return a.Kind == sessionevents.AccessList }) {
		return
	}
	for _, word := range strings.Fields(s.Result.Head + " " + s.Result.Tail) {
		if m := t.libraries.ByFile(path.Base(word)); m != nil {
			t.memory.uses(m.Key(), t.Turn.Turn, t.Limits.Uses).Manifest = path.Base(word)
		}
	}
}

// learnConventions takes in the conventions and constraints of a conventions
// file. What is not such a file teaches nothing.
func (t *turn) learnConventions(text string) {
	var form struct {
		Constraints []string `yaml:"constraints"`
		Conventions []struct {
			ID        string   `yaml:"id"`
			Rule      string   `yaml:"rule"`
			Family    string   `yaml:"family"`
			Use       string   `yaml:"use"`
			Wrapper   string   `yaml:"wrapper"`
			InsteadOf []string `yaml:"instead_of"`
			Paths     []string `yaml:"paths"`
		} `yaml:"conventions"`
	}
	if err := yaml.Unmarshal([]byte(text), &form); err != nil {
		return
	}
	var out []sessionevents.Convention
	for _, c := range form.Conventions {
		out = append(out, sessionevents.Convention{ID: c.ID, Rule: c.Rule, Wrapper: cmp.Or(c.Wrapper, c.Use), Bypass: c.InsteadOf, Family: c.Family, Paths: c.Paths})
	}
	for _, c := range form.Constraints {
		out = append(out, sessionevents.Convention{Rule: c})
	}
	if out = out[:min(len(out), t.Limits.Conventions)]; len(out) > 0 {
		t.memory.Conventions, t.rulesRead = out, false
	}
}

// withoutNumbers drops the line numbers that read tools print before each line.
func withoutNumbers(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		digits := len(trimmed) - len(strings.TrimLeft(trimmed, "0123456789"))
		for _, separator := range []string{"→", "\t"} {
			if rest, ok := strings.CutPrefix(trimmed[digits:], separator); ok && digits > 0 {
				line = rest
				break
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
