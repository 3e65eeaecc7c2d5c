package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Invocation is one command that a line runs.
type Invocation struct {
	Name string // without its folder, and without the wrappers before it
	// Args are its arguments. What only the shell knows, such as the output of a
	// command, is as the line has it.
	Args []string
	// Input is the text that it reads, as far as the line says: a here-document, or
	// what echo or printf write into the pipe before it.
	Input string
	// Files are the files of its redirections.
	Files []string
	// Fed is set if another command writes its input or its arguments.
	Fed bool
	// Directory is where it runs, "" where the line starts; Lost is set if an
	// earlier cd leads to a directory that only the shell knows.
	Directory string
	Lost      bool
	// Elsewhere is set if it runs on another machine or in a container.
	Elsewhere bool
	// Outputs are the files that its redirections write. A name of "" has only these.
	Outputs []Output
}

// Output is a file that a redirection writes.
type Output struct {
	Path   string
	Append bool
}

// TemporaryFolder is how a folder or file that mktemp makes is named in an Invocation.
const TemporaryFolder = "/tmp/mktemp"

// Invocations returns every command of a line, in order, wherever it is: in a
// pipeline, a loop, a function, a command substitution, a script given to `sh -c`,
// `eval` or a shell's input, after a wrapper such as sudo or xargs, after find
// -exec, or as the package of `go run`.
func (p *Parser) Invocations(command string) []Invocation {
	w := &invocations{run: &run{p: p}}
	w.guarded(command)
	return w.list
}

// invocations is one walk over a line and the scripts in it.
type invocations struct {
	*run
	list []Invocation
	open []place // of the nodes above the one that is visited
	away int     // depth of scripts for another machine or a container
}

// place is where a node begins: what is inside parentheses ends there again.
type place struct {
	inner     bool
	directory string
	lost      bool
}

// guarded keeps what was found when the library trips over hostile input.
func (w *invocations) guarded(text string) {
	defer func() { _ = recover() }()
	w.script(text)
}

// script walks one piece of shell text, as far as it can be parsed.
func (w *invocations) script(text string) {
	if len(text) > w.p.table.MaxInput {
		text, _ = withoutHeredocs(text)
	}
	if len(text) > w.p.table.MaxInput || w.depth > maxDepth {
		return
	}
	w.depth++
	outer := w.source
	w.source = text
	file, _ := parse(text)
	if file != nil {
		fed := map[*syntax.Stmt]string{}
		syntax.Walk(file, func(n syntax.Node) bool { return w.visit(n, fed) })
	}
	w.source = outer
	w.depth--
}

// visit notes the command of a statement. Fed is what the pipe before a statement
// writes into it.
func (w *invocations) visit(n syntax.Node, fed map[*syntax.Stmt]string) bool {
	if n == nil {
		w.leave()
		return true
	}
	if w.steps++; w.steps > 20*w.p.table.MaxSteps || len(w.list) >= w.p.table.MaxSteps {
		return false
	}
	w.note(n, fed)
	w.open = append(w.open, place{inner(n), w.directory, w.lost})
	return true
}

// inner reports whether a cd inside of a node does not hold after it.
func inner(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	}
	return false
}

// leave returns to where a node began.
func (w *invocations) leave() {
	if len(w.open) == 0 {
		return
	}
	last := w.open[len(w.open)-1]
	if w.open = w.open[:len(w.open)-1]; last.inner {
		w.directory, w.lost = last.directory, last.lost
	}
}

// note reads one node.
func (w *invocations) note(n syntax.Node, fed map[*syntax.Stmt]string) {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			fed[n.Y] = w.written(n.X)
		}
	case *syntax.DeclClause:
		w.assign(n.Args)
	case *syntax.Stmt:
		if c, ok := n.Cmd.(*syntax.CallExpr); ok {
			text, is := fed[n]
			w.call(c, Invocation{Input: text + w.redirected(n), Files: w.files(n), Outputs: w.outputs(n), Fed: is})
		} else if out := w.outputs(n); len(out) > 0 {
			w.add(Invocation{Outputs: out, Fed: n.Cmd != nil})
		}
	}
}

// outputs are the files that a statement's redirections write.
func (w *invocations) outputs(s *syntax.Stmt) []Output {
	var list []Output
	for _, r := range s.Redirs {
		both := r.Op == syntax.DplOut && r.Word != nil && strings.Trim(r.Word.Lit(), "0123456789-") != ""
		if !writes(r) && !both || r.N != nil && r.N.Value != "1" {
			continue
		}
		if text, exact := w.word(r.Word); exact && text != "" && !strings.HasPrefix(text, "/dev/") {
			list = append(list, Output{w.resolve(text), r.Op == syntax.AppOut || r.Op == syntax.AppAll})
		}
	}
	return list
}

// add notes a command and where it runs.
func (w *invocations) add(i Invocation) {
	i.Directory, i.Lost, i.Elsewhere = w.directory, w.lost, w.away > 0
	w.list = append(w.list, i)
}

// written is what a statement writes into a pipe, as far as the line says.
func (w *invocations) written(s *syntax.Stmt) string {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return w.written(c.Y)
	case *syntax.CallExpr:
		args := w.words(c.Args)
		if len(args) > 0 && (args[0].text == "echo" || args[0].text == "printf") {
			return printed(args[0].text, args[1:]).text
		}
		return w.redirected(s) // cat <<EOF | sh
	}
	return ""
}

// redirected is the text of here-documents and here-strings.
func (w *invocations) redirected(s *syntax.Stmt) string {
	var out strings.Builder
	for _, r := range s.Redirs {
		from := r.Hdoc
		if r.Op == syntax.WordHdoc {
			from = r.Word
		}
		if from != nil {
			text, _ := w.word(from)
			out.WriteString(text + "\n")
		}
	}
	return out.String()
}

// files are the files that a statement is redirected from and to.
func (w *invocations) files(s *syntax.Stmt) []string {
	var list []string
	for _, r := range s.Redirs {
		if r.Hdoc == nil && r.Op != syntax.WordHdoc {
			text, _ := w.word(r.Word)
			list = append(list, text)
		}
	}
	return list
}

// words are the arguments of a call. A variable without quotes may hold several.
func (w *invocations) words(list []*syntax.Word) []argument {
	var args []argument
	for _, word := range list {
		text, exact := w.word(word)
		if len(word.Parts) == 1 {
			if _, bare := word.Parts[0].(*syntax.ParamExp); bare && exact {
				for _, field := range strings.Fields(text) {
					args = append(args, argument{field, true})
				}
				continue
			}
		}
		if !exact && temporary(text) {
			text, exact = TemporaryFolder, true
		}
		args = append(args, argument{text, exact})
	}
	return args
}

// temporary reports whether a word is the output of mktemp.
func temporary(source string) bool {
	source = strings.Trim(source, `"`)
	return strings.HasPrefix(source, "$(mktemp") || strings.HasPrefix(source, "`mktemp")
}

// assign notes variables, also those that hold a temporary folder.
func (w *invocations) assign(list []*syntax.Assign) {
	w.run.assign(list)
	for _, a := range list {
		if a.Name != nil && a.Value != nil && temporary(w.sourceOf(a.Value)) {
			if w.variables == nil {
				w.variables = map[string]string{}
			}
			w.variables[a.Name.Value] = TemporaryFolder
		}
	}
}

// call notes the command of one call; what is assigned holds for what follows.
func (w *invocations) call(c *syntax.CallExpr, i Invocation) {
	if len(c.Args) == 0 {
		w.assign(c.Assigns)
		if len(i.Outputs) > 0 {
			w.add(i)
		}
		return
	}
	w.invoke(w.words(c.Args), i)
}

// invoke follows a command through wrappers and scripts to what it runs.
func (w *invocations) invoke(args []argument, i Invocation) {
	w.carried(args)
	if entersContainer(args) {
		w.away++
		defer func() { w.away-- }()
	}
	name, rest, fed := w.unwrap(args)
	i.Name, i.Fed = name, i.Fed || fed
	i.Args = make([]string, len(rest))
	for k, a := range rest {
		i.Args[k] = a.text
	}
	if name == "" {
		return
	}
	w.add(i)
	switch {
	case name == "cd" || name == "pushd":
		w.enter(afterFlags(rest, nil))
	case w.p.shells[name]:
		directory, lost := w.directory, w.lost
		w.shell(i)
		w.directory, w.lost = directory, lost
	case name == "eval":
		w.script(strings.Join(i.Args, " "))
	case name == "ssh":
		w.remote(rest)
	case name == "alias":
		for _, a := range i.Args {
			_, value, _ := strings.Cut(a, "=")
			w.script(value)
		}
	case name == "go" && len(rest) > 1 && i.Args[0] == "run":
		w.invoke(program(afterFlags(rest[1:], nil)), Invocation{Input: i.Input, Fed: i.Fed})
	}
	for k, a := range i.Args {
		if a == "-exec" || a == "-execdir" || a == "-ok" || a == "-okdir" {
			end := slices.IndexFunc(rest[k+1:], func(a argument) bool { return a.text == ";" || a.text == "+" })
			if end < 0 {
				end = len(rest) - k - 1
			}
			w.invoke(rest[k+1:k+1+end], Invocation{Fed: true})
		}
	}
}
