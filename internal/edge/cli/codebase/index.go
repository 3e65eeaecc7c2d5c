// Package codebase holds the command that indexes a codebase.
package codebase

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/codeindex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Index lists the files, symbols and conventions of a codebase.
type Index struct {
	Path  string `arg:"" help:"Folder of the codebase." default:"." type:"path"`
	Out   string `help:"Output file; - for standard output. Defaults to .scaffoldwatch-index.json in the folder." placeholder:"FILE"`
	JSON  bool   `name:"json" help:"Print the counts as JSON."`
	Rules string `help:"Rules file (YAML) that overrides the built-in rules." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (Index) Help() string {
	return `Lists the files, symbols, conventions (.scaffoldwatch.yaml) and dependencies (manifests) of
a codebase, for scan --index, publish --index and .scaffoldwatch.yaml. It leaves out what
git ignores, and vendored and generated code.

Examples:
  scaffoldwatch index ~/src/shop
  scaffoldwatch index . --out shop.json
  scaffoldwatch scan session.jsonl --index shop.json`
}

// Run builds the index and prints what it holds.
func (c *Index) Run(r *cli.Call) error {
	set, err := deployment.LoadRules(c.Rules)
	if err != nil {
		return cli.Usage(err)
	}
	folder, err := filepath.Abs(c.Path)
	if err != nil {
		return cli.Usage(err)
	}
	if info, err := os.Stat(folder); err != nil {
		return cli.Usage(fmt.Errorf("index %s: %w", c.Path, err))
	} else if !info.IsDir() {
		return cli.Usage(fmt.Errorf("index %s: not a folder", c.Path))
	}
	declared, err := declaredConventions(folder)
	if err != nil {
		return cli.Usage(err)
	}
	var progress *terminal.Progress
	index, err := codeindex.Build(r, folder, codeindex.Options{
		Rules: set, Conventions: declared,
		Progress: func(total int) func() {
			progress = terminal.NewProgress(r.Stderr, "indexing", int64(total), false)
			return func() { progress.Add(1) }
		},
	})
	if progress != nil {
		progress.Done()
	}
	if err != nil {
		return err
	}
	if c.Out == "-" {
		return index.Write(r.Stdout)
	}
	out := c.Out
	if out == "" {
		out = filepath.Join(folder, codeindex.FileName)
	}
	if err := index.WriteFile(out); err != nil {
		return err
	}
	return c.describe(r, index, out)
}

// declaredConventions returns the conventions in the folder's .scaffoldwatch.yaml.
func declaredConventions(folder string) ([]sessionevents.Convention, error) {
	file, err := workspace.Read(folder)
	if file == nil || err != nil {
		return nil, err
	}
	return file.EventConventions(), nil
}

func (c *Index) describe(r *cli.Call, i *codeindex.Index, out string) error {
	n := i.Counts
	if c.JSON {
		encoder := json.NewEncoder(r.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(struct {
			Out string `json:"out"`
			codeindex.Counts
		}{out, n})
	}
	kept := text.Count(len(i.Codebase.Symbols), "symbol") + " in " + text.Count(len(i.Codebase.Files), "file") + ", " + text.Count(n.Conventions, "convention")
	_, err := fmt.Fprintf(r.Stdout, "%s: %s\n", out, kept)
	for _, line := range []string{skippedLine(n), leftOutLine(n)} {
		if line != "" && err == nil {
			_, err = fmt.Fprintln(r.Stdout, line)
		}
	}
	return err
}

// skippedLine describes what was listed but not read, "" if there is nothing.
func skippedLine(n codeindex.Counts) string {
	var parts []string
	for state, count := range n.Skipped {
		parts = append(parts, fmt.Sprintf("%d %s", count, state))
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return "not read: " + strings.Join(parts, ", ")
}

// leftOutLine describes what did not fit into an event, "" if everything did.
func leftOutLine(n codeindex.Counts) string {
	if n.SymbolsOut == 0 && n.FilesOut == 0 {
		return ""
	}
	return fmt.Sprintf("left out, what matters least first: %s, %s (a session.opened has room for 4 MiB)", text.Count(n.SymbolsOut, "symbol"), text.Count(n.FilesOut, "file"))
}
