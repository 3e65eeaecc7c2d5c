package codeindex

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// FileName is where an index is kept below its folder.
const FileName = ".scaffoldwatch-index.json"

// version is the schema version of the file; any other is rejected.
const version = 1

// Index is the content of the file: what session.opened is filled with, and the counts.
type Index struct {
	Version     int                        `json:"scaffoldwatch_index"`
	Codebase    sessionevents.Codebase     `json:"codebase"`
	Conventions []sessionevents.Convention `json:"conventions,omitempty"`
	Counts      Counts                     `json:"counts"`
}

// Counts holds how much there was and how much of it is in the index.
type Counts struct {
	Files       int            `json:"files"`        // listed, without vendored and ignored ones
	CodeFiles   int            `json:"code_files"`   // read for symbols
	Skipped     map[string]int `json:"skipped"`      // not read: large, binary, generated, unreadable
	Symbols     int            `json:"symbols"`      // those found
	FilesOut    int            `json:"files_out"`    // left out of the index
	SymbolsOut  int            `json:"symbols_out"`  // left out of the index
	Manifests   int            `json:"manifests"`    // those that name dependencies
	Depend      int            `json:"dependencies"` // dependencies that they name
	Conventions int            `json:"conventions"`
}

// Options configure how an index is built.
type Options struct {
	Rules *rules.Set
	// Conventions are the declared ones; those from manifests follow them.
	Conventions []sessionevents.Convention
	// Progress is called once with the number of files; done is called after each file. It may be nil.
	Progress func(total int) (done func())
	// Workers is how many workers read files; 0 means 2.
	Workers int
}

// Build indexes a folder. The same files give the same index.
func Build(ctx context.Context, folder string, o Options) (*Index, error) {
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = errNoFolder
	}
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", folder, err)
	}
	c, err := load(o.Rules)
	if err != nil {
		return nil, err
	}
	files, err := c.list(ctx, folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", folder, err)
	}
	defer func() { _ = root.Close() }()
	b := &builder{config: c, keeper: &keeper{config: c, imported: map[string]int{}}, code: map[string]bool{}}
	b.index = &Index{Version: version, Conventions: o.Conventions, Counts: Counts{Files: len(files), Skipped: map[string]int{}}}
	done := func() {}
	if o.Progress != nil {
		done = o.Progress(len(files))
	}
	if err := c.readAll(ctx, root, files, max(o.Workers, 0)+2*number(o.Workers <= 0), func(r reading) { b.take(r); done() }); err != nil {
		return nil, fmt.Errorf("index %s: %w", folder, err)
	}
	return b.finish(files), nil
}

// builder assembles an index from files that arrive in order.
type builder struct {
	*config
	keeper       *keeper
	code         map[string]bool
	dependencies []dependency
	index        *Index
}

func (b *builder) take(r reading) {
	counts := &b.index.Counts
	if r.state != "" {
		counts.Skipped[r.state]++
		return
	}
	if syntax.Reads(syntax.LanguageOf(r.file)) {
		counts.CodeFiles++
		b.code[r.file] = true
	}
	if len(r.dependencies) > 0 {
		counts.Manifests++
	}
	for _, name := range r.dependencies {
		b.dependencies = append(b.dependencies, dependency{strings.Clone(name), r.file})
	}
	b.keeper.add(r)
}

// finish selects what fits into one session.opened.
func (b *builder) finish(files []string) *Index {
	i := b.index
	inferred := b.conventions(i.Conventions)
	i.Counts.Depend = len(inferred)
	i.Conventions = append(i.Conventions[:len(i.Conventions):len(i.Conventions)], inferred...)
	i.Counts.Conventions = len(i.Conventions)
	room := b.DataBytes
	if data, err := json.Marshal(i.Conventions); err == nil {
		room -= len(data)
	}
	i.Codebase.Files = b.bestFiles(files, b.code, int(b.FilesShare*float64(room)))
	for _, file := range i.Codebase.Files {
		room -= len(file) + 3
	}
	i.Codebase.Symbols = b.keeper.best(room)
	i.Counts.Symbols = b.keeper.seen
	i.Counts.FilesOut = len(files) - len(i.Codebase.Files)
	i.Counts.SymbolsOut = b.keeper.seen - len(i.Codebase.Symbols)
	return i
}

// dependency is a name that a manifest declares.
type dependency struct{ name, manifest string }

// conventions returns what manifests say about the codebase: each dependency once, from the manifest
// nearest the top, as an inferred convention (A2). Names that a declared convention mentions are left out.
func (b *builder) conventions(declared []sessionevents.Convention) []sessionevents.Convention {
	list := slices.Clone(b.dependencies)
	slices.SortStableFunc(list, func(x, y dependency) int {
		return cmp.Or(cmp.Compare(strings.Count(x.manifest, "/"), strings.Count(y.manifest, "/")), cmp.Compare(x.manifest, y.manifest), cmp.Compare(x.name, y.name))
	})
	seen := map[string]bool{}
	for _, c := range declared {
		seen[c.Wrapper] = true
		for _, name := range c.Bypass {
			seen[name] = true
		}
	}
	var out []sessionevents.Convention
	for _, d := range list {
		if seen[d.name] || len(out) >= b.Dependencies {
			continue
		}
		seen[d.name] = true
		out = append(out, sessionevents.Convention{
			ID: "dependency:" + d.name, Rule: d.manifest + " depends on " + d.name + ".", Wrapper: d.name, Inferred: true,
		})
	}
	return out
}
