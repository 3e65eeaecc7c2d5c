package ruletrace

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cited matches the ids of rules.
var cited = regexp.MustCompile(`\b(?:SW|DP|RW|WP|PL|PD|AD)-\d+a?\b`)

const importPath = "github.com/scaffoldwatch/scaffoldwatch/test/ruletrace"

// Overlay writes instrumented copies of the Go files below folders, relative to
// root, to directory, and returns the path of the overlay for the go command.
func Overlay(root, directory string, folders ...string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("place the repository: %w", err)
	}
	replace := map[string]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			changed, err := Instrument(source)
			if err != nil || changed == nil {
				return err
			}
			replace[path] = filepath.Join(directory, strconv.Itoa(len(replace))+".go")
			return os.WriteFile(replace[path], changed, 0o644)
		})
		if err != nil {
			return "", fmt.Errorf("instrument %s: %w", folder, err)
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	path := filepath.Join(directory, "overlay.json")
	return path, os.WriteFile(path, data, 0o644)
}

// Instrument returns a file whose functions report the rules that their doc
// comments cite, and nil where there are none. A function Executed(rule string, …)
// reports its argument. Lines keep their numbers.
func Instrument(source []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	inserts := map[int]string{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			if rules := reported(f); rules != "" {
				inserts[set.Position(f.Body.Lbrace).Offset+1] = " ruletrace.Ran(" + rules + ");"
			}
		}
	}
	if len(inserts) == 0 {
		return nil, nil
	}
	inserts[set.Position(file.Name.End()).Offset] = "; import ruletrace " + strconv.Quote(importPath)
	var out []byte
	for i := range source {
		out = append(append(out, inserts[i]...), source[i])
	}
	return out, nil
}

// reported returns the arguments of Ran for a function, "" for none.
func reported(f *ast.FuncDecl) string {
	if f.Name.Name == "Executed" && len(f.Type.Params.List) > 0 {
		return f.Type.Params.List[0].Names[0].Name
	}
	rules := cited.FindAllString(f.Doc.Text(), -1)
	slices.Sort(rules)
	for i, rule := range rules {
		rules[i] = strconv.Quote(rule)
	}
	return strings.Join(slices.Compact(rules), ", ")
}
