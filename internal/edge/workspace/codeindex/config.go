package codeindex

import (
	"fmt"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section codeindex of the rule data.
type config struct {
	MaxFileBytes   int64    `yaml:"max_file_bytes" range:"1024..16777216"`
	SignatureBytes int      `yaml:"signature_bytes" range:"0..400"`
	DataBytes      int      `yaml:"data_bytes" range:"10000..4000000"`
	FilesShare     float64  `yaml:"files_share" range:"0..1"`
	Dependencies   int      `yaml:"dependencies" range:"0..200"`
	Vendored       []string `yaml:"vendored"`
	GeneratedNames []string `yaml:"generated_names"`
	GeneratedMarks []string `yaml:"generated_marks"`
	OwnNames       []string `yaml:"own_names"`
	Rank           rank     `yaml:"rank"`
	Asides         []string `yaml:"asides"`

	symbols, sources int // the registry's limits
	vendored, asides map[string]bool
	files            *files.Table
}

// rank holds the points that a symbol gets for its properties.
type rank struct {
	Kinds    map[string]int `yaml:"kinds"`
	Public   int            `yaml:"public"`
	Folder   int            `yaml:"folder"`
	Imported float64        `yaml:"imported"`
	Aside    int            `yaml:"aside"`
}

// Validate checks the file name patterns.
func (c *config) Validate() error {
	for _, pattern := range c.GeneratedNames {
		if _, err := path.Match(pattern, "x"); err != nil {
			return &rules.Invalid{Path: []string{"generated_names"}, Why: fmt.Sprintf("%q is not a pattern of file names, such as *.min.js", pattern)}
		}
	}
	return nil
}

func load(set *rules.Set) (*config, error) {
	c := &config{}
	if err := set.Decode("codeindex", c); err != nil {
		return nil, err
	}
	known, err := registry.Load(set)
	if err != nil {
		return nil, fmt.Errorf("load the registry's limits: %w", err)
	}
	c.symbols, c.sources = known.Limits.CodebaseSymbols, known.Limits.CodebaseFiles
	if c.files, err = files.Load(set); err != nil {
		return nil, err
	}
	c.vendored, c.asides = setOf(c.Vendored), setOf(c.Asides)
	return c, nil
}

func setOf(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

// foreign reports whether a file belongs to a folder of third-party code or is an index itself.
func (c *config) foreign(file string) bool {
	folder, name := path.Split(file)
	for _, part := range strings.Split(strings.Trim(folder, "/"), "/") {
		if c.vendored[part] {
			return true
		}
	}
	for _, own := range c.OwnNames {
		if name == own {
			return true
		}
	}
	return false
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, _ := path.Match(p, name); ok { // Validate has checked them
			return true
		}
	}
	return false
}

// markBytes is how far down a mark of generated code stands, in bytes.
const markBytes = 2048

func (c *config) generated(code string) bool {
	head := code[:min(len(code), markBytes)]
	for _, mark := range c.GeneratedMarks {
		if strings.Contains(head, mark) {
			return true
		}
	}
	return false
}
