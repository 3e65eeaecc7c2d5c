// Command models compiles a selected part of tables of library behaviour into rule data:
// rules/injection_models_<language>.yaml, the functions that a value must not reach, and
// rules/entering_<language>.yaml, those that return a request's data.
//
//	cd tools && go run ./models -data FOLDER -out ../rules
//
// FOLDER/models holds the tables, tab-separated and compressed, one fact a line: the data extensions of
// github/codeql (codeql-LANGUAGE.tsv.gz) and the calls that its queries name (qll-LANGUAGE.tsv.gz). A clone
// does not have them; without them nothing is generated, and the program names those it lacks. The selection
// is in choice.yaml, and the output depends only on the tables and the selection.
package main

import (
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed choice.yaml
var choiceFile []byte

// maxBytes limits a generated file, which is read when code of its language is first seen.
const maxBytes = 64 << 10

func main() {
	data := flag.String("data", cmp.Or(os.Getenv("SCAFFOLDWATCH_DATA"), filepath.Join("..", "..", "shared", "data")), "`folder` with models/")
	out := flag.String("out", filepath.Join("..", "rules"), "`folder` that gets the rule data")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
}

func run(data, out string) error {
	folder := filepath.Join(data, "models")
	if _, err := os.Stat(folder); data == "" || err != nil {
		fmt.Printf("models: nothing is generated: the rule data stays as it is, since %s has none of %s;\n"+
			"name the folder above with -data, or with SCAFFOLDWATCH_DATA\n", folder, strings.Join(tableNames(), ", "))
		return nil
	}
	files, err := generate(os.DirFS(folder))
	if err != nil {
		return err
	}
	return write(out, files)
}

// write writes the files. It writes none if any is too large.
func write(out string, files []file) error {
	for _, f := range files {
		if len(f.content) > maxBytes {
			return fmt.Errorf("%s has %d bytes, more than %d: select less in choice.yaml", f.name, len(f.content), maxBytes)
		}
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(out, f.name), f.content, 0o644); err != nil {
			return fmt.Errorf("write rule data: %w", err)
		}
	}
	return nil
}

// tableNames returns the names of all tables that are read.
func tableNames() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.models)
		if l.hints != "" {
			names = append(names, l.hints)
		}
	}
	return names
}

// file is a file of rule data.
type file struct {
	name    string
	content []byte
}

// generate compiles the tables of a folder.
func generate(folder fs.FS) ([]file, error) {
	choice, err := readChoice(choiceFile)
	if err != nil {
		return nil, err
	}
	var out []file
	for _, language := range languages {
		rows, err := language.read(folder)
		if err != nil {
			return nil, err
		}
		made, err := choice.compile(language.name, rows)
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	return out, nil
}
