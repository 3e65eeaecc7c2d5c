package userrules

import (
	"errors"
	"strings"

	"github.com/expr-lang/expr/file"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Expression is a condition, or a text with conditions in braces, with its position in the file.
type Expression struct {
	Text         string
	line, column int // of its first character, or of the | before a block
	block        bool
	folded       bool
	comment      bool // YAML read what follows a # as a comment
}

// UnmarshalYAML reads a scalar and records its position.
func (e *Expression) UnmarshalYAML(node *yaml.Node) error {
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	*e = Expression{Text: strings.TrimRight(text, "\n"), line: node.Line, column: node.Column}
	switch node.Style {
	case 0:
		e.comment = node.LineComment != ""
	case yaml.LiteralStyle:
		e.block = true
	case yaml.FoldedStyle:
		e.folded = true
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		e.column++
	}
	return nil
}

// problem locates an error of expr in a part of the text that begins offset bytes into
// it.
func (e Expression) problem(err error, offset int, key ...string) *rules.Invalid {
	at := &rules.Invalid{Path: key, Why: err.Error()}
	var found *file.Error
	if !errors.As(err, &found) {
		return at
	}
	at.Why = found.Message + found.Snippet
	before := e.Text[:offset]
	line := strings.Count(before, "\n") + max(found.Line, 1) - 1
	column := found.Column
	if found.Line <= 1 {
		column += len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	}
	switch {
	case e.folded, !e.block && line > 0: // line breaks were folded away
	case e.block:
		at.Line, at.Column, at.Indented = e.line+1+line, column+1, e.line+1
	default:
		at.Line, at.Column = e.line, e.column+column
	}
	return at
}

// Example is one conversation in the script language of internal/session/detect/scenario.
type Example struct {
	Name   string     `yaml:"name"`
	Script Expression `yaml:"script"`
}

// Line returns the line of the file on which the script begins.
func (e Example) Line() int {
	if e.Script.block || e.Script.folded {
		return e.Script.line + 1
	}
	return e.Script.line
}
