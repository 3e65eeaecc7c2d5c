package registry

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the registry's rule data, compiled. It is immutable and shared by
// all sessions.
type Config struct {
	Limits   Limits
	Sketches Sketches
	Effects  []string // kinds of shell effect that end research (D3)
	Flags    *prose.RedFlags
	Scope    *Scope
	choices  *choices
}

// Limits bound the collections (SW-10): entries, or bytes where noted.
type Limits struct {
	FilesRead        int `yaml:"files_read" range:"1..100000"`
	FilesWritten     int `yaml:"files_written" range:"1..100000"`
	FunctionsBuilt   int `yaml:"functions_built" range:"1..100000"`
	SymbolsLearnt    int `yaml:"symbols_learnt" range:"1..100000"`
	DataFetched      int `yaml:"data_fetched" range:"1..100000"`
	Decisions        int `yaml:"decisions_made" range:"1..100000"`
	Diffs            int `yaml:"diffs" range:"1..100000"`
	PlanSentences    int `yaml:"plan_shingles" range:"1..100000"`
	RedFlags         int `yaml:"red_flags_seen" range:"1..100000"`
	Conventions      int `yaml:"conventions" range:"0..10000"`
	CodebaseSymbols  int `yaml:"codebase_symbols" range:"0..1000000"`
	CodebaseFiles    int `yaml:"codebase_files" range:"0..1000000"`
	SymbolsPerTurn   int `yaml:"symbols_per_turn" range:"1..10000"`
	SentencesPerTurn int `yaml:"sentences_per_turn" range:"1..10000"`
	ItemsPerTurn     int `yaml:"items_per_turn" range:"1..10000"`
	TextBytes        int `yaml:"text_bytes" range:"16..4096"` // of a stored sentence or query
}

// Sketches are the sizes k of the stored bottom-k sketches.
type Sketches struct {
	Built    int `yaml:"functions_built" range:"0..64"`
	Learnt   int `yaml:"symbols_learnt" range:"0..64"`
	Diff     int `yaml:"diffs" range:"0..64"`
	Sentence int `yaml:"plan_shingles" range:"0..64"`
	Calls    int `yaml:"calls" range:"0..16"`
}

// Load compiles the sections registry, decisions and redflags of rule data.
func Load(set *rules.Set) (Config, error) {
	var section struct {
		Limits   Limits   `yaml:"limits"`
		Sketches Sketches `yaml:"sketches"`
		Effects  []string `yaml:"effects"`
		Scope    Scope    `yaml:"scope"`
	}
	if err := set.Decode("registry", &section); err != nil {
		return Config{}, fmt.Errorf("load registry rules: %w", err)
	}
	c := Config{Limits: section.Limits, Sketches: section.Sketches, Effects: section.Effects, Scope: &section.Scope}
	var err error
	if c.choices, err = loadChoices(set); err != nil {
		return Config{}, err
	}
	if c.Flags, err = prose.LoadRedFlags(set); err != nil {
		return Config{}, err
	}
	return c, nil
}
