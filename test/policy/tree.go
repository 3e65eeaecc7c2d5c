// Package policy checks the repository's own rules: who may import whom, what
// the pure core must not touch, that packages and exports are documented, and
// how large the rooms are. A failure names the cure.
package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is the import path of the repository.
const module = "github.com/scaffoldwatch/scaffoldwatch"

// file is one parsed Go file.
type file struct {
	path    string // from the repository's root, with slashes
	folder  string
	test    bool
	syntax  *ast.File
	lines   int
	imports []string
}

// tree is every Go file of the repository, apart from the tools module.
type tree struct {
	files     []file
	positions *token.FileSet
}

// root walks up to the folder with go.mod.
func root() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", fmt.Errorf("no go.mod above the test")
		}
		at = up
	}
}

// load parses every Go file.
func load() (*tree, error) {
	top, err := root()
	if err != nil {
		return nil, err
	}
	t := &tree{positions: token.NewFileSet()}
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "testdata" || name == "tools" || name == "bin" || name == "node_modules" || strings.HasPrefix(name, ".") && path != top {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := t.parse(top, path)
		if err != nil {
			return err
		}
		t.files = append(t.files, f)
		return nil
	})
	return t, err
}

func (t *tree) parse(top, path string) (file, error) {
	syntax, err := parser.ParseFile(t.positions, path, nil, parser.ParseComments)
	if err != nil {
		return file{}, fmt.Errorf("parse %s: %w", path, err)
	}
	relative, err := filepath.Rel(top, path)
	if err != nil {
		return file{}, fmt.Errorf("place %s: %w", path, err)
	}
	f := file{
		path: filepath.ToSlash(relative), syntax: syntax,
		test:  strings.HasSuffix(path, "_test.go"),
		lines: t.positions.File(syntax.Pos()).LineCount(),
	}
	f.folder = filepath.ToSlash(filepath.Dir(f.path))
	for _, i := range syntax.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return file{}, fmt.Errorf("import in %s: %w", path, err)
		}
		f.imports = append(f.imports, name)
	}
	return f, nil
}

// generated reports whether a tool wrote the file.
func (f file) generated() bool { return ast.IsGenerated(f.syntax) }

// pureRooms know no clock, I/O, goroutine, randomness or logger.
var pureRooms = []string{
	"internal/step", "internal/session", "internal/run", "internal/stage", "internal/control", "detectors",
}

// pure reports whether the file belongs to the core that knows no clock and no I/O.
func (f file) pure() bool {
	return !f.test && !f.testSupport() &&
		slices.ContainsFunc(pureRooms, func(room string) bool { return strings.HasPrefix(f.path, room+"/") })
}

// testSupport reports whether the package exists for tests.
func (f file) testSupport() bool {
	return strings.HasSuffix(f.folder, "test") || strings.HasPrefix(f.path, "test/") || strings.HasPrefix(f.path, "test/quality/measure")
}
