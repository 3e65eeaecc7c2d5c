// Package registry is the context registry: it records what the primary read, built,
// decided and was asked, turn by turn and bounded (SW-10 … SW-14).
//
// [Registry.Digest] computes once what a turn adds, detectors see it separately from the
// registry before the turn (SW-11), and [Registry.Commit] folds it in. Every collection
// is bounded and evicts its oldest item first; lookups go through indexes, so that
// neither memory nor the cost of a turn grows with the session.
package registry

import (
	"fmt"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Registry is one session's context registry. The zero value is empty and can be read;
// use [New] for one to fold turns into.
type Registry struct {
	Baseline Baseline
	Counters Counters
	// Conventions are those of session.opened (A2).
	Conventions []sessionevents.Convention

	config    Config
	workspace string
	journal
	written
	symbols
}

// journal is what the session did, oldest first.
type journal struct {
	reads     collection[FileRead]
	fetched   collection[Fetched]
	decisions collection[Decision]
	diffs     collection[DiffRecord]
	plans     collection[PlanRecord]
	flags     collection[sessionevents.RedFlagHit]
}

// New returns the registry of a new session.
func New(config Config) *Registry {
	l := config.Limits
	return &Registry{
		config: config,
		journal: journal{
			reads:     newCollection(l.FilesRead, weighRead, func(r *FileRead) []string { return withStem(r.Path, r.Path) }),
			fetched:   newCollection(l.DataFetched, weighFetched, func(f *Fetched) []string { return []string{f.Key()} }),
			decisions: newCollection(l.Decisions, weighDecision, decisionKeys),
			diffs:     newCollection(l.Diffs, weighDiff, func(d *DiffRecord) []string { return []string{d.Path} }),
			plans:     newCollection(l.PlanSentences, weighPlan, nil),
			flags:     newCollection(l.RedFlags, weighFlag, func(f *sessionevents.RedFlagHit) []string { return []string{f.ID} }),
		},
		written: written{writes: newCollection(l.FilesWritten, weighWrite, func(w *FileWritten) []string { return withStem(path.Base(w.Path), w.Path) })},
		symbols: symbols{
			built:  newCollection(l.FunctionsBuilt, weighBuilt, symbolKeys),
			learnt: newCollection(l.SymbolsLearnt, weighBuilt, symbolKeys),
		},
	}
}

// Open applies session.opened; it may arrive late and more than once.
func (r *Registry) Open(s *sessionevents.SessionOpened) {
	if s.Workspace != "" {
		r.workspace = path.Clean(slashes(s.Workspace))
	}
	if len(s.Conventions) > 0 {
		r.Conventions = s.Conventions[:min(len(s.Conventions), r.config.Limits.Conventions)]
	}
	if s.Codebase != nil {
		r.codebase.load(s.Codebase, r.config.Limits)
		r.codebase.prepare()
	}
	r.Baseline = r.config.Scope.opened(r.Baseline, s)
}

// Inherit gives a subagent's session its parent's scope baseline, conventions and
// codebase symbols (SW-1). What the child already knows is kept.
func (r *Registry) Inherit(parent *Registry) {
	if !r.Baseline.Known {
		r.Baseline = parent.Baseline.clone()
	}
	if len(r.Conventions) == 0 {
		r.Conventions = parent.Conventions
	}
	if len(r.codebase.symbols) == 0 && len(r.codebase.files) == 0 {
		r.codebase = parent.codebase
	}
	if r.workspace == "" {
		r.workspace = parent.workspace
	}
}

// Path returns a path in the registry's form: forward slashes, clean, and relative to the
// session's workspace. URLs and "" are returned unchanged.
func (r *Registry) Path(p string) string {
	if p == "" || strings.Contains(p, "://") {
		return p
	}
	p = path.Clean(slashes(p))
	if r.workspace != "" && r.workspace != "/" && strings.HasPrefix(p, r.workspace+"/") {
		return p[len(r.workspace)+1:]
	}
	return p
}

func slashes(p string) string { return strings.ReplaceAll(p, "\\", "/") }

// Workspace returns the session's folder from session.opened, "" if unknown.
func (r *Registry) Workspace() string { return r.workspace }

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

// Bytes that an entry needs besides its text: the struct itself, and its share of the
// index.
const (
	smallEntry  = 220
	symbolEntry = 460
)

func weighRead(r *FileRead) int {
	return smallEntry + len(r.Path) + len(r.Hash) + len(r.InputHash)
}

func weighWrite(w *FileWritten) int { return smallEntry + len(w.Path) }

func weighBuilt(b *Built) int {
	s := &b.Symbol
	return symbolEntry + len(s.Name)*3 + len(s.Path) + len(s.Signature) + len(s.Container) + 4*(len(s.Shingles)+len(s.Calls))
}

func weighFetched(f *Fetched) int {
	return smallEntry + 2*(len(f.Target)+len(f.Query)) + len(f.Hash) + len(f.InputHash)
}

func weighDecision(d *Decision) int {
	return 2*smallEntry + 2*(len(d.Topic)+len(d.Choice)+len(d.Rejected)) + len(d.Sentence)
}

func weighDiff(d *DiffRecord) int {
	return smallEntry + len(d.Path) + 4*len(d.Shingles) + len(d.AddedHash) + len(d.RemovedHash)
}

func weighPlan(p *PlanRecord) int { return 48 + 4*len(p.Shingles) }

func weighFlag(f *sessionevents.RedFlagHit) int { return smallEntry + len(f.Sentence) }

// Size estimates the memory of the registry in bytes.
func (r *Registry) Size() int {
	n := 2048 + r.reads.bytes + r.writes.bytes + r.built.bytes + r.learnt.bytes + r.fetched.bytes +
		r.decisions.bytes + r.diffs.bytes + r.plans.bytes + r.flags.bytes + r.codebase.size()
	for _, c := range r.Conventions {
		n += 100 + len(c.ID) + len(c.Rule) + len(c.Wrapper)
		for _, b := range c.Bypass {
			n += 16 + len(b)
		}
	}
	return n + r.Baseline.size()
}

func (b *Baseline) size() int {
	n := len(b.Task) + 48*len(b.Terms)
	for _, list := range [][]string{b.Constraints, b.Paths, b.Identifiers} {
		for _, s := range list {
			n += 16 + len(s)
		}
	}
	for _, q := range b.Requests {
		n += 32 + len(q.Text)
	}
	return n
}

// Evicted returns the number of entries dropped so far per collection, without
// collections that dropped none; nil if none did.
func (r *Registry) Evicted() map[string]int {
	var out map[string]int
	for name, n := range map[string]int{
		"files_read": r.reads.evicted, "files_written": r.writes.evicted, "functions_built": r.built.evicted,
		"symbols_learnt": r.learnt.evicted, "data_fetched": r.fetched.evicted, "decisions_made": r.decisions.evicted,
		"diffs": r.diffs.evicted, "plan_shingles": r.plans.evicted, "red_flags_seen": r.flags.evicted,
		"codebase_symbols": r.codebase.droppedSymbols, "codebase_files": r.codebase.droppedFiles,
		"scope_baseline": r.Baseline.Evicted,
	} {
		if n > 0 {
			if out == nil {
				out = map[string]int{}
			}
			out[name] = n
		}
	}
	return out
}
