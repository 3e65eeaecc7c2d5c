package codeindex

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reading is the result of reading one file.
type reading struct {
	file         string
	state        string // why it was not read, "" if it was or is not code
	symbols      []sessionevents.Symbol
	imports      []string
	dependencies []string
}

// Reasons for not reading a file.
const (
	stateLarge      = "large"
	stateBinary     = "binary"
	stateGenerated  = "generated"
	stateUnreadable = "unreadable"
)

// readAll reads all files with several workers and passes the results to take in the order of files, so
// that the result does not depend on timing.
func (c *config) readAll(ctx context.Context, root *os.Root, files []string, workers int, take func(reading)) error {
	type job struct {
		file   string
		result chan reading
	}
	group, ctx := errgroup.WithContext(ctx)
	jobs, ordered := make(chan job), make(chan job, 8*workers)
	group.Go(func() error {
		defer close(jobs)
		defer close(ordered)
		for _, file := range files {
			j := job{file, make(chan reading, 1)}
			select {
			case ordered <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range workers {
		group.Go(func() error {
			for j := range jobs {
				j.result <- c.read(root, j.file)
			}
			return nil
		})
	}
	group.Go(func() error {
		for j := range ordered {
			select {
			case r := <-j.result:
				take(r)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return group.Wait()
}

// read reads one file. A file that is neither code nor a manifest is not opened.
func (c *config) read(root *os.Root, file string) reading {
	r := reading{file: file}
	language, kind := syntax.LanguageOf(file), manifest.Of(file)
	if !syntax.Reads(language) && kind == nil {
		return r
	}
	if matchesAny(c.GeneratedNames, path.Base(file)) {
		r.state = stateGenerated
		return r
	}
	code, state := c.text(root, file)
	if r.state = state; state != "" {
		return r
	}
	if kind != nil {
		r.dependencies = kind.Names(code)
	}
	if !syntax.Reads(language) {
		return r
	}
	if c.generated(code) {
		r.state = stateGenerated
		return r
	}
	source := syntax.Read(language, code)
	for _, s := range source.Symbols(1, 0) {
		r.symbols = append(r.symbols, c.owned(s, file))
	}
	for _, module := range source.Imports() {
		r.imports = append(r.imports, strings.Clone(stem(module)))
	}
	return r
}

// text returns a file's content, or why it is not read.
func (c *config) text(root *os.Root, file string) (text, state string) {
	f, err := root.Open(file)
	if err != nil {
		return "", stateUnreadable
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, c.MaxFileBytes+1))
	switch {
	case err != nil:
		return "", stateUnreadable
	case int64(len(data)) > c.MaxFileBytes:
		return "", stateLarge
	case bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0:
		return "", stateBinary
	case !utf8.Valid(data):
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	return string(data), ""
}

// owned returns a copy of a symbol that does not keep its file's text alive.
func (c *config) owned(s sessionevents.Symbol, file string) sessionevents.Symbol {
	return sessionevents.Symbol{
		Name: strings.Clone(s.Name), Kind: s.Kind, Path: file, Line: s.Line, Language: s.Language,
		Signature: strings.Clone(text.Head(s.Signature, c.SignatureBytes)), Container: strings.Clone(s.Container),
	}
}

// stem returns the last part of a module's or file's name, in lower case and without extension: what an
// import and the file it means have in common.
func stem(name string) string {
	name = strings.TrimRight(strings.ReplaceAll(name, "\\", "/"), "/")
	name = strings.ReplaceAll(strings.ReplaceAll(name, "::", "/"), ".", "/")
	base := path.Base(name)
	switch base {
	case "js", "jsx", "ts", "tsx", "mjs", "py", "rb", "php", "go", "java", "rs": // ./util.js
		base = path.Base(path.Dir(name))
	}
	return strings.ToLower(base)
}

// errNoFolder is returned if the path to index is not a folder.
var errNoFolder = errors.New("not a folder")
