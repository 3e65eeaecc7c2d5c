// Package manifest reads the names of dependencies from the files that declare them
// (package.json, go.mod, requirements.txt …), in full or in part: line by line, so a part
// of a file or the lines of a hunk are sufficient. rules/manifest.yaml lists the formats.
package manifest

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// maxNames bounds the names read from one file.
const maxNames = 400

// Kind is one form of manifest.
type Kind struct {
	ID string `yaml:"id"`
	// Ecosystem is the language whose packages it names: python, javascript, go,
	// rust, ruby, php, java.
	Ecosystem string            `yaml:"ecosystem"`
	Files     []string          `yaml:"files"`
	Lines     []*pattern.Regexp `yaml:"lines"`
	Not       []string          `yaml:"not"`
}

var load = sync.OnceValue(func() []*Kind {
	kinds, err := read(rules.Default())
	if err != nil {
		panic(err) // this package's tests check the embedded data
	}
	return kinds
})

func read(set *rules.Set) ([]*Kind, error) {
	var c struct {
		Kinds []*Kind `yaml:"kinds"`
	}
	if err := set.Decode("manifest", &c); err != nil {
		return nil, err
	}
	return c.Kinds, nil
}

// Of returns the kind of manifest of a file by its name; nil if it is none.
func Of(file string) *Kind {
	file = strings.ReplaceAll(file, "\\", "/")
	base := path.Base(file)
	for _, k := range load() {
		for _, pattern := range k.Files {
			name := base
			if strings.Contains(pattern, "/") {
				name = path.Join(path.Base(path.Dir(file)), base)
			}
			if ok, _ := path.Match(pattern, name); ok {
				return k
			}
		}
	}
	return nil
}

// Name returns the dependency that one line declares, as written; "" for none.
func (k *Kind) Name(line string) string {
	for _, re := range k.Lines {
		if m := re.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && !slices.Contains(k.Not, m[1]) {
			return m[1]
		}
	}
	return ""
}

// Names returns the dependencies declared in text, in order, each once.
func (k *Kind) Names(text string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if name := k.Name(line); name != "" && !seen[name] && len(out) < maxNames {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}
