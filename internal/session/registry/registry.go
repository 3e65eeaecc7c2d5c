// Package registry is the context registry: it records what the primary read, built,
// decided and was asked, turn by turn and bounded (SW-10 … SW-14).
//
// [Registry.Digest] computes once what a turn adds, detectors see it separately from the
// registry before the turn (SW-11), and [Registry.Commit] folds it in. Every collection
// is bounded and evicts its oldest item first; lookups go through indexes, so that
// neither memory nor the cost of a turn grows with the session.
package registry

import (
	"path"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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
