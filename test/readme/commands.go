// Package readme runs what the documentation shows. Every ```sh block of
// README.md, docs/*.md and docs/agents/*.md is taken as runnable: its make targets exist, its
// command lines parse, and those that need nothing but a running system really
// run. What is not a command to type is in blocks of another kind.
package readme

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Command is one simple command of a documented command line.
type Command struct {
	File string   // from the repository's root
	Line int      // in File
	Args []string // words, the program first; what a shell would expand is empty
	Text string   // the whole statement around it, with pipes and redirections
}

// String returns the place of the command.
func (c Command) String() string { return fmt.Sprintf("%s:%d: %s", c.File, c.Line, c.Text) }

// Commands reads every sh block below the repository's root.
func Commands(root string) ([]Command, error) {
	var files []string
	for _, folder := range []string{"docs", filepath.Join("docs", "agents")} {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	var commands []Command
	for _, path := range append([]string{filepath.Join(root, "README.md")}, files...) {
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		found, err := blocks(path, "sh")
		if err != nil {
			return nil, err
		}
		for _, b := range found {
			list, err := b.commands(name)
			if err != nil {
				return nil, err
			}
			commands = append(commands, list...)
		}
	}
	return commands, nil
}

// block is a fenced block of a document.
type block struct {
	line int // the line at which it begins
	text string
}

// blocks returns the fenced blocks of one kind, for example "sh".
func blocks(path, kind string) ([]block, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the documentation: %w", err)
	}
	defer file.Close()
	var found []block
	var open *block
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		switch {
		case open != nil && strings.HasPrefix(line, "```"):
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		case line == "```"+kind:
			open = &block{line: number + 1}
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block has no end", path, open.line)
	}
	return found, lines.Err()
}

// commands parses the block as a shell does.
func (b block) commands(name string) ([]Command, error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(b.text), name)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: the block is not shell: %w", name, b.line, err)
	}
	var commands []Command
	for _, statement := range file.Stmts {
		var text strings.Builder
		if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&text, statement); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, b.line, err)
		}
		syntax.Walk(statement, func(n syntax.Node) bool {
			call, ok := n.(*syntax.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			c := Command{File: name, Line: b.line + int(call.Pos().Line()) - 1, Text: text.String()}
			for _, word := range call.Args {
				arg, err := expand.Literal(&expand.Config{}, word)
				if err != nil {
					arg = ""
				}
				c.Args = append(c.Args, arg)
			}
			commands = append(commands, c)
			return true
		})
	}
	return commands, nil
}
