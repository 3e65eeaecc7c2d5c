// Package shell derives the effects of a shell command line: what it reads, searches,
// lists, fetches and writes, and its purpose: test, build, lint, format, git, install,
// run, poll (SW-12). The line is parsed, not matched; what each command means is data
// (rules/shell.yaml).
//
// Nothing is executed, and no input makes it fail: what cannot be known (a variable, a
// command substitution, broken syntax) is left out.
package shell

import (
	"errors"
	"io"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
)

const maxDepth = 3 // nested sh -c

// run is one walk over a command line. It has more methods than other types have, since the grammar is one
// recursion: a pipeline holds statements, a word a pipeline, and all of them share directory and variables.
type run struct {
	p         *Parser
	out       Effects
	source    string
	bodies    []string // heredoc bodies removed before parsing
	directory string   // working directory, "" for where the line starts
	lost      bool     // an earlier cd leads where only the shell knows
	variables map[string]string
	depth     int
	steps     int // statements walked, since nested loops multiply
	// substitute writes the output of a command substitution; nil if nothing is known.
	substitute func(io.Writer, *syntax.CmdSubst) error
}

// Parse returns the effects of command, run in an unnamed directory.
func (p *Parser) Parse(command string) Effects { return p.ParseIn("", command) }

// ParseIn returns the effects of command, run in directory: relative paths of the result
// are below it.
func (p *Parser) ParseIn(directory, command string) Effects {
	r := &run{p: p}
	r.cd(directory)
	r.guarded(command)
	return finish(r.out)
}

// guarded keeps the results so far if hostile input makes the library panic.
func (r *run) guarded(command string) {
	defer func() {
		if recover() != nil {
			r.out.Unparsed = true
		}
	}()
	r.script(command)
}

// script parses and walks one piece of shell text. A malformed rest is left out.
func (r *run) script(text string) {
	source, bodies := text, []string(nil)
	if len(text) > r.p.table.MaxInput {
		source, bodies = withoutHeredocs(text)
	}
	if len(source) > r.p.table.MaxInput || r.depth > maxDepth {
		r.out.Unparsed = true
		return
	}
	outer := *r
	r.source, r.bodies = source, bodies
	file, err := parse(source)
	if err != nil {
		r.out.Unparsed = true
	}
	if file != nil {
		r.statements(file.Stmts)
	}
	r.source, r.bodies = outer.source, outer.bodies
}

func (r *run) statements(list []*syntax.Stmt) {
	for _, s := range list {
		r.statement(s)
	}
}

// statement walks one statement outside pipelines.
func (r *run) statement(s *syntax.Stmt) {
	if r.steps++; r.steps > r.p.table.MaxSteps {
		r.out.Unparsed = true
		return
	}
	if s != nil {
		r.pipeline(stages(s, nil))
	}
}

// stages returns a | b | c as a list.
func stages(s *syntax.Stmt, out []*syntax.Stmt) []*syntax.Stmt {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && len(s.Redirs) == 0 {
		return stages(b.Y, stages(b.X, out))
	}
	return append(out, s)
}

// compound walks compound commands.
func (r *run) compound(command syntax.Command) {
	switch c := command.(type) {
	case *syntax.BinaryCmd:
		r.statement(c.X)
		r.statement(c.Y)
	case *syntax.Subshell:
		directory, lost := r.directory, r.lost
		r.statements(c.Stmts)
		r.directory, r.lost = directory, lost
	case *syntax.Block:
		r.statements(c.Stmts)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.statements(c.Cond)
			r.statements(c.Then)
		}
	case *syntax.WhileClause:
		r.statements(c.Cond)
		r.statements(c.Do)
	case *syntax.ForClause:
		r.loop(c)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			r.statements(item.Stmts)
		}
	case *syntax.FuncDecl:
		r.statement(c.Body)
	case *syntax.TimeClause:
		r.statement(c.Stmt)
	case *syntax.CoprocClause:
		r.statement(c.Stmt)
	case *syntax.DeclClause:
		r.assign(c.Args)
	}
}

// loop follows a for loop over literal words, and any other body once.
func (r *run) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok || len(words.Items) == 0 || len(words.Items) > r.p.table.MaxLoop {
		if ok {
			delete(r.variables, words.Name.Value)
		}
		r.statements(c.Do)
		return
	}
	for _, item := range words.Items {
		r.set(words.Name.Value, item)
		r.statements(c.Do)
	}
}

func (r *run) assign(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name != nil && a.Value != nil && !a.Append && a.Index == nil {
			r.set(a.Name.Value, a.Value)
		}
	}
}

func (r *run) set(name string, value *syntax.Word) {
	if r.variables == nil {
		r.variables = map[string]string{}
	}
	switch text, exact := r.word(value); {
	case len(r.variables) < 256 && exact:
		r.variables[name] = text
	case len(r.variables) < 256 && temporary(text):
		r.variables[name] = TemporaryFolder
	default:
		delete(r.variables, name)
	}
}

// word returns the value of a word; exact is false if it depends on what only the shell
// knows, and the text is then the source's.
func (r *run) word(w *syntax.Word) (text string, exact bool) {
	if w == nil {
		return "", false
	}
	if lit := w.Lit(); lit != "" {
		return unescape(lit), true
	}
	var out strings.Builder
	for i, part := range w.Parts {
		if lit, is := part.(*syntax.Lit); is && (i > 0 || !strings.HasPrefix(lit.Value, "~")) {
			out.WriteString(unescape(lit.Value)) // expand.Literal reads it as if within quotes: 'a'\''b'
			continue
		}
		text, err := expand.Literal(r.expansion(), &syntax.Word{Parts: w.Parts[i : i+1]})
		if err != nil {
			return r.sourceOf(w), false
		}
		out.WriteString(text)
	}
	return out.String(), true
}

// unescape strips the backslashes of a word without quotes.
func unescape(lit string) string {
	if strings.IndexByte(lit, '\\') < 0 {
		return lit
	}
	var out strings.Builder
	for i := 0; i < len(lit); i++ {
		if lit[i] == '\\' && i+1 < len(lit) {
			i++
			if lit[i] == '\n' {
				continue
			}
		}
		out.WriteByte(lit[i])
	}
	return out.String()
}

// expansion returns a configuration with the variables set on the line; home folders are
// kept as written.
func (r *run) expansion() *expand.Config {
	return &expand.Config{NoUnset: true, ProcSubst: noProcess, CmdSubst: r.substitute, Env: expand.FuncEnviron(func(name string) string {
		if home, ok := strings.CutPrefix(name, "HOME"); ok {
			return "~" + strings.TrimSpace(home) // without looking anything up
		}
		if value, known := r.variables[name]; known {
			return value
		}
		return standing[name]
	})}
}

func noProcess(*syntax.ProcSubst) (string, error) { return "", errors.New("commands are not executed") }

func (r *run) sourceOf(n syntax.Node) string {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if start < 0 || end > len(r.source) || start >= end {
		return ""
	}
	return r.source[start:end]
}

// keptTrees is the number of cached parse results. The readers of one turn parse the same
// few texts repeatedly: for a command's effects, its checks, and whether it runs
// anything.
const keptTrees = 64

// mostKept is the maximum length of a text whose parse result is cached.
const mostKept = 16 << 10

// tree is a parsed text, whose file must not be changed.
type tree struct {
	file *syntax.File
	err  error
}

var (
	trees   = recall.New[tree](keptTrees, mostKept)
	parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}
)

// parse returns the syntax tree of a text, which must not be changed; with an error, that
// of the part before it. It panics if the library does, which hostile input may cause.
func parse(text string) (*syntax.File, error) {
	t := trees.Of(text, func(text string) tree {
		parser := parsers.Get().(*syntax.Parser)
		file, err := parser.Parse(strings.NewReader(text), "")
		parsers.Put(parser) // a parser that panicked is dropped
		return tree{file, err}
	})
	return t.file, t.err
}
