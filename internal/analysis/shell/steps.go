package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Exit is what the exit code of a line shows about one of its commands.
type Exit int

// Meanings of the line's exit code.
const (
	ExitHidden Exit = iota // nothing: a pipe, "||" or a later command determines it
	ExitZero               // 0 shows that the command passed, anything else may come from another one
	ExitExact              // it is the command's own
)

// Step is one command of a line with what happens to its output and exit code
// (PD-2).
type Step struct {
	Name string // without its folder
	Path string // as written in the line
	Args []string
	Exit Exit
	// After are the pipe stages that its output passes through.
	After []Invocation
	// To is the file that its output is written to; "" if the caller sees it.
	To string
	// Or is the command that runs if it fails: "true" in "|| true".
	Or string
	// Background is set if the line continues without waiting for it.
	Background bool
	// Code is how the line prints the command's exit code; nil if it does not.
	Code *Code
}

// Steps returns the commands of a line in order, with wrappers removed and the
// scripts of `sh -c` followed.
func (p *Parser) Steps(command string) []Step { return p.steps(command, false) }

// EverywhereSteps returns the same commands, each followed by what it runs in a container, in another shell or on
// another machine: what such a command checks is checked.
func (p *Parser) EverywhereSteps(command string) []Step { return p.steps(command, true) }

func (p *Parser) steps(command string, everywhere bool) []Step {
	w := &steps{invocations: &invocations{run: &run{p: p}}, everywhere: everywhere}
	defer func() { _ = recover() }() // hostile input may make the library panic
	w.text(command, fate{exit: ExitExact})
	return w.list
}

// fate is what happens to a statement's output and exit code.
type fate struct {
	exit  Exit
	after []Invocation
	to    string
	or    string
	// background is set if it is not waited for.
	background bool
	// code is how the next statement prints its exit code.
	code *Code
}

// hidden returns the fate with an exit code that is not visible.
func (f fate) hidden() fate {
	f.exit, f.code = ExitHidden, nil
	return f
}

type steps struct {
	*invocations
	list     []Step
	pipefail bool
	stops    bool // set -e
	deep     int
	// everywhere is set if what runs in containers and elsewhere is followed; rooms counts how deep.
	everywhere bool
	rooms      int
}

func (w *steps) text(text string, f fate) {
	if len(text) > w.p.table.MaxInput {
		text, _ = withoutHeredocs(text)
	}
	if len(text) > w.p.table.MaxInput || w.deep > maxDepth {
		return
	}
	w.deep++
	outer := w.source
	w.source = text
	if file, _ := parse(text); file != nil {
		w.statements(file.Stmts, f)
	}
	w.source = outer
	w.deep--
}

// statements walks a list, whose last statement determines the exit code.
func (w *steps) statements(list []*syntax.Stmt, f fate) {
	for i, s := range list {
		own := f
		switch {
		case i == len(list)-1:
		case w.stops && f.exit != ExitHidden:
			own.exit, own.code = ExitZero, w.printed(list[i+1:])
		default:
			own = f.hidden()
			own.code = w.printed(list[i+1:])
		}
		w.statement(s, own)
	}
}

func (w *steps) statement(s *syntax.Stmt, f fate) {
	if w.run.steps++; w.run.steps > w.p.table.MaxSteps || len(w.list) >= w.p.table.MaxItems {
		return
	}
	for _, r := range s.Redirs {
		if to, is := w.target(r); is {
			f.to = to
		}
	}
	if s.Background || s.Negated {
		f = f.hidden()
		f.background = f.background || s.Background
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.simple(c, f)
	case *syntax.BinaryCmd:
		w.binary(c, f)
	case *syntax.Subshell:
		w.statements(c.Stmts, f)
	case *syntax.Block:
		w.statements(c.Stmts, f)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.statement(c.Stmt, f)
		}
	case *syntax.IfClause:
		w.statements(c.Cond, f.hidden())
		w.statements(c.Then, f.hidden())
	case *syntax.ForClause:
		w.statements(c.Do, f.hidden())
	case *syntax.WhileClause:
		w.statements(c.Cond, f.hidden())
		w.statements(c.Do, f.hidden())
	case *syntax.DeclClause:
		w.assign(c.Args)
	}
}

// target returns the file that standard output is redirected to.
func (w *steps) target(r *syntax.Redirect) (string, bool) {
	if r.N != nil && r.N.Value != "1" || r.Word == nil {
		return "", false
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		text, _ := w.word(r.Word)
		return text, true
	}
	return "", false
}

// binary walks pipes, "&&" and "||".
func (w *steps) binary(c *syntax.BinaryCmd, f fate) {
	first, second := f, f
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		first.after = append(w.stages(c.Y), f.after...)
		if !w.pipefail {
			first.exit = ExitHidden
		} else if f.exit == ExitExact {
			first.exit = ExitZero
		}
		first.code, second.code = f.code.piped(w.pipefail)
	case syntax.AndStmt:
		first.exit, first.code = min(f.exit, ExitZero), f.code.atMost(ExitZero)
	default:
		first.exit, first.or = ExitHidden, w.first(c.Y)
		first.code, second.code = nil, nil
	}
	w.statement(c.X, first)
	w.statement(c.Y, second)
}

// first returns the command that a statement begins with.
func (w *steps) first(s *syntax.Stmt) string {
	if list := w.stages(s); len(list) > 0 {
		return strings.TrimSpace(list[0].Name + " " + strings.Join(list[0].Args, " "))
	}
	return ""
}

// stages returns the commands of one side of a pipe.
func (w *steps) stages(s *syntax.Stmt) (out []Invocation) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		name, rest := w.p.unwrap(w.words(c.Args))
		i := Invocation{Name: name}
		for _, a := range rest {
			i.Args = append(i.Args, a.text)
		}
		return []Invocation{i}
	case *syntax.BinaryCmd:
		return append(w.stages(c.X), w.stages(c.Y)...)
	}
	return nil
}

// simple records a command, or follows the script given to a shell.
func (w *steps) simple(c *syntax.CallExpr, f fate) {
	if len(c.Args) == 0 {
		w.assign(c.Assigns)
		return
	}
	w.command(w.words(c.Args), f)
}

// command records a command given as words, and what it runs in a container, in another shell or elsewhere.
func (w *steps) command(words []argument, f fate) {
	name, rest := w.p.unwrap(words)
	args := make([]string, len(rest))
	for i, a := range rest {
		args[i] = a.text
	}
	switch {
	case name == "":
		return
	case name == "set":
		for i, a := range args {
			w.stops = w.stops || strings.HasPrefix(a, "-") && strings.Contains(a, "e")
			w.pipefail = w.pipefail || a == "pipefail" && i > 0
		}
		return
	case w.p.shells[name]:
		for i, a := range args {
			if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") && i+1 < len(args) {
				w.text(args[i+1], f)
				return
			}
		}
	}
	at := max(len(words)-len(rest)-1, 0)
	w.list = append(w.list, Step{
		Name: name, Path: words[at].text, Args: args, Exit: f.exit, After: f.after, To: f.to, Or: f.or,
		Background: f.background, Code: f.code,
	})
	if w.everywhere && w.rooms < maxDepth {
		w.rooms++
		w.inside(words[at:], f)
		w.rooms--
	}
}

// inside walks the command that a program runs in a container or on another machine, or the script given to it.
func (w *steps) inside(args []argument, f fate) {
	program := path.Base(args[0].text)
	for _, c := range w.p.carriers[program] {
		rest, is := c.carries(args)
		for k := range rest {
			if is && c.flagged(rest[k].text) && k+1 < len(rest) {
				w.text(carriedText(program, rest[k+1:]), f)
			}
		}
	}
	for i := range w.p.table.Rooms {
		room := &w.p.table.Rooms[i]
		same := func(a argument, word string) bool { return a.text == word }
		if room.Words[0] != program || len(args) <= len(room.Words) ||
			!slices.EqualFunc(args[1:len(room.Words)], room.Words[1:], same) {
			continue
		}
		rest := afterFlags(args[len(room.Words):], room.Values)
		if rest = rest[min(room.Skip, len(rest)):]; len(rest) == 1 && strings.Contains(rest[0].text, " ") {
			w.text(rest[0].text, f)
		} else if len(rest) > 0 {
			w.command(afterFlags(rest, nil), f)
		}
		return
	}
}
