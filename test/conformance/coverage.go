package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// root is the repository's, seen from this package.
const root = "../.."

// rule is a rule that scenarios show: one of the specification, or a detector's.
type rule struct {
	ID    string
	Title string
	// Cases are the validators and special cases beside firing and silent.
	Cases []string
}

// catalogue returns every rule that scenarios must show: those of the
// specification, then the detectors'. Rules that are planned, that other tests
// hold or that only group codes are left out.
func catalogue() []rule {
	var list []rule
	for _, r := range spec.Rules() {
		if r.Kind == spec.KindRule && !r.Planned && len(r.Tests) == 0 {
			list = append(list, rule{ID: r.ID, Title: r.Title, Cases: r.Cases})
		}
	}
	for _, d := range all.Detectors() {
		list = append(list, rule{ID: d.ID, Title: d.Title, Cases: slugs(d.Doc)})
	}
	return list
}

var slug = regexp.MustCompile("(?m)^- `([a-z0-9][a-z0-9_-]*)`: ")

// slugs returns the named cases of a detector's doc.md.
func slugs(doc string) []string {
	var out []string
	for _, m := range slug.FindAllStringSubmatch(doc, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// unnamed returns the bullets of a doc's Validators section without a slug.
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
	for _, pattern := range []string{"test/conformance/testdata/*.txt", "detectors/*/testdata/*.txt", "internal/stage/dispatch/testdata/*.txt", "internal/session/budget/testdata/*.txt", "internal/session/preflight/testdata/*.txt", "internal/view/runreport/testdata/*.txt", "internal/notify/notice/testdata/*.txt"} {
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

// demands returns the things a rule needs a scenario for.
func (r *rule) demands() []string {
	out := []string{r.ID + " firing", r.ID + " silent"}
	for _, c := range r.Cases {
		out = append(out, r.ID+"/"+c)
	}
	return out
}
