package conformance

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
)

// root is the repository's, seen from this package.
const root = "../.."

//go:embed rules*.yaml
var rulesFiles embed.FS

// rule is a rule of the specification, or a detector's, with what must be shown.
type rule struct {
	ID    string `yaml:"id"`
	Title string `yaml:"title"`
	// Cases are the validators and special cases beside firing and silent.
	Cases []string `yaml:"cases"`
	// Detector is the package of a detector's rule.
	Detector string `yaml:"-"`
}

// catalogue is every rule that must be covered: the files', then the detectors'.
func catalogue() ([]rule, error) {
	var list []rule
	for _, name := range []string{"rules.yaml", "rules_run.yaml", "rules_wave.yaml", "rules_pipeline.yaml"} {
		data, err := rulesFiles.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		var some []rule
		if err := yaml.Unmarshal(data, &some); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		list = append(list, some...)
	}
	for _, d := range all.Detectors() {
		list = append(list, rule{ID: d.ID, Title: d.Title, Cases: slugs(d.Doc), Detector: d.Name})
	}
	return list, nil
}

var slug = regexp.MustCompile("(?m)^- `([a-z0-9][a-z0-9_-]*)`: ")

// slugs are the named cases of a detector's doc.md.
func slugs(doc string) []string {
	var out []string
	for _, m := range slug.FindAllStringSubmatch(doc, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// unnamed are the bullets of a doc's Validators section without a slug.
func unnamed(doc string) []string {
	_, rest, _ := strings.Cut(doc, "\n## Validators\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	var out []string
	for _, line := range strings.Split(section, "\n") {
		if strings.HasPrefix(line, "- ") && !slug.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

// covered maps "SW-40 firing" and "B1/placeholder" to the files that show it.
func covered() (map[string][]string, error) {
	out := map[string][]string{}
	for _, pattern := range []string{"test/conformance/testdata/*.txt", "detectors/*/testdata/*.txt", "internal/run/dispatch/testdata/*.txt", "internal/session/budget/testdata/*.txt", "internal/session/preflight/testdata/*.txt", "internal/view/runreport/testdata/*.txt", "internal/notify/notice/testdata/*.txt"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, fmt.Errorf("list scenarios: %w", err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("read a scenario: %w", err)
			}
			name, _ := filepath.Rel(root, path)
			for _, what := range coversOf(string(data)) {
				out[what] = append(out[what], filepath.ToSlash(name))
			}
		}
	}
	return out, nil
}

// coversOf reads the "# covers:" lines, also of files in another script language.
func coversOf(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "# covers: "); ok {
			for _, one := range strings.Split(rest, ",") {
				out = append(out, strings.TrimSpace(one))
			}
		}
	}
	return out
}

// demands are the things a rule needs a scenario for.
func (r *rule) demands() []string {
	out := []string{r.ID + " firing", r.ID + " silent"}
	for _, c := range r.Cases {
		out = append(out, r.ID+"/"+c)
	}
	return out
}
