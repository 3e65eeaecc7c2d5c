package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Invocation is one command that a line runs.
type Invocation struct {
	Name string // without its folder and preceding wrappers
	Word string // its name as written in the line, with its folder
	// Args are its arguments. What only the shell can determine, such as the output of a
	// command, is as written in the line.
	Args []string
	// Exact reports for each argument whether the line determines it completely.
	Exact []bool
	// Assigned are the variables set for this command, or exported before: NAME=value.
	Assigned []string
	// Otherwise is set if it runs only if the previous command fails.
	Otherwise bool
	// Input is its input, as far as the line contains it: a here-document, or what echo
	// or printf write into the pipe before it.
	Input string
	// Files are the files of its redirections.
	Files []string
	// Fed is set if another command produces its input or its arguments.
	Fed bool
	// Directory is where it runs, "" for where the line starts; Lost is set if an earlier
	// cd leads to a directory that only the shell knows.
	Directory string
	Lost      bool
	// Elsewhere is set if it runs on another machine or in a container.
	Elsewhere bool
	// Outputs are the files that its redirections write. An invocation without a name has
	// only these. Prints is what it writes into them, as far as the line contains it.
	Outputs []Output
	Prints  string
}

// Invocations returns every command of a line, wherever it is: in a pipeline, a loop, a
// function, a command substitution, a script given to `sh -c`, `eval` or a shell's input,
// after a wrapper such as sudo or xargs, after find -exec, or as the package of `go run`.
func (p *Parser) Invocations(command string) []Invocation {
	return p.walk(command, nil, nil)
}

// Script returns every command of a script that is run with the given arguments, the
// first of which is its own path.
func (p *Parser) Script(text string, arguments []string) []Invocation {
	variables := map[string]string{}
	if len(arguments) > 0 {
		variables["0"], variables["BASH_SOURCE"] = arguments[0], arguments[0]
	}
	return p.walk(text, variables, arguments[min(1, len(arguments)):])
}

const maxPositional = 10

func (p *Parser) walk(text string, variables map[string]string, arguments []string) []Invocation {
	w := &invocations{
		run: &run{p: p, variables: variables}, aliases: map[string]string{}, items: map[string][]string{}, otherwise: map[*syntax.Stmt]bool{},
		functions: map[string]*function{}, arrays: map[string][]argument{},
	}
	w.substitute = w.substituted
	if name, is := variables["0"]; is {
		w.give(name, arguments)
	}
	w.guarded(text)
	return w.list
}

// invocations is one walk over a line and the scripts in it. Its methods are many for the reason that those of
// run are: functions, loops, carriers and scripts are walked by one another, over one set of names.
type invocations struct {
	*run
	list []Invocation
	open []place // of the nodes above the current one
	away int     // nesting of scripts for another machine or a container
	// Aliases of the line, the items of its loops, and the statements after ||.
	aliases   map[string]string
	items     map[string][]string
	otherwise map[*syntax.Stmt]bool
	fallback  bool // the current command runs after ||
	// Functions and arrays of the line; given are the arguments of the current script,
	// nil if unknown.
	functions map[string]*function
	arrays    map[string][]argument
	given     []string
	exported  []string // variables: NAME=value
	mounts    mounts
}

// guarded keeps the results so far if hostile input makes the library panic.
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
	file, err := parse(text)
	if err != nil {
		file, w.source = repaired(text, file)
	}
	if file != nil {
		fed := map[*syntax.Stmt]string{}
		syntax.Walk(file, func(n syntax.Node) bool { return w.visit(n, fed) })
	}
	if w.depth == 1 {
		w.uncalled()
	}
	w.source = outer
	w.depth--
}

// visit records the command of a statement. Fed is what the pipe before a statement
// writes into it.
func (w *invocations) visit(n syntax.Node, fed map[*syntax.Stmt]string) bool {
	if n == nil {
		w.leave()
		return true
	}
	if w.steps++; w.steps > 20*w.p.table.MaxSteps || len(w.list) >= w.p.table.MaxSteps {
		return false
	}
	if f, is := n.(*syntax.FuncDecl); is && w.defines(f) {
		return false // its body is read where it is called
	}
	w.note(n, fed)
	w.open = append(w.open, place{inner(n), w.directory, w.lost})
	return true
}

// note handles one node.
func (w *invocations) note(n syntax.Node, fed map[*syntax.Stmt]string) {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			fed[n.Y] = w.written(n.X)
		}
		if n.Op == syntax.OrStmt {
			w.otherwise[n.Y] = true
		}
	case *syntax.ForClause:
		w.loops(n)
	case *syntax.DeclClause:
		w.assign(n.Args)
		if n.Variant.Value == "export" && len(w.exported) < w.p.table.MaxItems {
			w.exported = append(w.exported, w.assigned(n.Args)...)
		}
	case *syntax.Stmt:
		w.fallback = w.otherwise[n]
		if c, ok := n.Cmd.(*syntax.CallExpr); ok {
			text, is := fed[n]
			i := Invocation{Input: text + w.redirected(n), Files: w.files(n), Outputs: w.outputs(n), Fed: is}
			if len(i.Outputs) > 0 {
				i.Prints = w.written(n)
			}
			w.call(c, i)
		} else if out, files := w.outputs(n), w.files(n); len(out)+len(files) > 0 {
			w.add(Invocation{Outputs: out, Files: files, Fed: n.Cmd != nil})
		}
	}
}

// add records a command and where it runs.
func (w *invocations) add(i Invocation) {
	i.Directory, i.Lost, i.Elsewhere, i.Otherwise = w.directory, w.lost, w.away > 0, w.fallback
	w.mounts.onHost(&i)
	w.list = append(w.list, i)
}

// call records the command of one call; assignments apply to later commands.
func (w *invocations) call(c *syntax.CallExpr, i Invocation) {
	if len(c.Args) == 0 {
		w.assign(c.Assigns)
		if len(i.Outputs) > 0 {
			w.add(i)
		}
		return
	}
	i.Assigned = slices.Concat(w.exported, w.assigned(c.Assigns))
	if len(c.Assigns) > 0 {
		before := maps.Clone(w.variables)
		w.assign(c.Assigns)
		defer func() { w.variables = before }()
	}
	if name := w.looped(c.Args); name != "" {
		w.rounds(name, c.Args, i)
		return
	}
	w.invoke(w.words(c.Args), i)
}

// invoke follows a command through wrappers and scripts to what is actually run.
func (w *invocations) invoke(args []argument, i Invocation) {
	if f := w.functions[args[0].text]; f != nil && w.depth < maxDepth {
		w.perform(f, args)
		i.Name, i.Word = args[0].text, args[0].text
		i.Args, i.Exact = texts(args[1:])
		w.add(i)
		return
	}
	w.carried(args, i.Input)
	if w.mounted(args, i) {
		return
	}
	if entersContainer(args) {
		w.away++
		defer func() { w.away-- }()
	}
	if value, is := w.aliases[args[0].text]; is && w.depth < maxDepth {
		args = slices.Concat(literal(strings.Fields(value)), args[1:])
	}
	if last := args[len(args)-1].text; path.Base(args[0].text) == "watch" && strings.Contains(last, " ") {
		w.script(last)
	}
	if w.spread(args, i) {
		return
	}
	directory, lost := w.directory, w.lost
	name, rest, fed := w.start(args)
	i.Name, i.Fed = name, i.Fed || fed
	if at := len(args) - len(rest) - 1; at >= 0 {
		i.Word = args[at].text
		for _, a := range args[:at] { // env NAME=value
			if isAssignment(a.text) {
				i.Assigned = append(i.Assigned, a.text)
			}
		}
	}
	i.Args, i.Exact = texts(rest)
	if name == "" {
		return
	}
	w.add(i)
	if !changesFolder(name) {
		defer func() { w.directory, w.lost = directory, lost }()
	}
	w.options(name, i.Args)
	w.effect(name, rest, i)
	w.executed(name, rest, i)
}

// effect applies a command's effect on later commands, and walks the scripts that it
// runs.
func (w *invocations) effect(name string, rest []argument, i Invocation) {
	switch {
	case name == "cd" || name == "pushd":
		w.enter(afterFlags(rest, nil))
	case w.p.shells[name]:
		w.shell(i)
	case name == "read":
		for _, a := range i.Args {
			delete(w.variables, a)
			delete(w.items, a)
		}
	case name == "set" && slices.Contains(i.Args, "--"):
		w.give("sh", i.Args[slices.Index(i.Args, "--")+1:])
	case name == "shift":
		w.forget()
	case name == "source" || name == ".":
		w.sourced(i)
	case name == "trap" && len(rest) > 1:
		w.script(i.Args[0])
	case name == "hash" && len(rest) > 2 && i.Args[0] == "-p" && len(w.aliases) < w.p.table.MaxItems:
		w.aliases[i.Args[2]] = path.Base(i.Args[1])
	case name == "tmux" || name == "screen":
		if last := i.Args[max(0, len(i.Args)-1):]; len(last) == 1 && strings.Contains(last[0], " ") && !slices.Contains(i.Args, "send-keys") {
			w.script(last[0])
		} else if command := w.detached(name, rest); len(command) > 0 {
			w.invoke(command, Invocation{})
		}
	case name == "eval":
		w.script(strings.Join(i.Args, " "))
	case name == "ssh":
		w.remote(rest)
	case name == "alias":
		for _, a := range i.Args {
			name, value, _ := strings.Cut(a, "=")
			if len(w.aliases) < w.p.table.MaxItems {
				w.aliases[name] = value
			}
			w.script(value)
		}
	case name == "go" && len(rest) > 1 && i.Args[0] == "run":
		w.invoke(program(afterFlags(rest[1:], nil)), Invocation{Input: i.Input, Fed: i.Fed})
	}
}

// executed follows the command that find or fd runs for each file.
func (w *invocations) executed(name string, rest []argument, i Invocation) {
	for k, a := range i.Args {
		each := a == "-x" || a == "-X" || a == "--exec" || a == "--exec-batch"
		if each && (name == "fd" || name == "fdfind") && k+1 < len(rest) {
			end := slices.IndexFunc(rest[k+1:], func(a argument) bool { return a.text == ";" })
			if end < 0 {
				end = len(rest) - k - 1
			}
			w.invoke(rest[k+1:k+1+end], Invocation{Fed: true})
			return
		}
		if a == "-exec" || a == "-execdir" || a == "-ok" || a == "-okdir" {
			end := slices.IndexFunc(rest[k+1:], func(a argument) bool { return a.text == ";" || a.text == "+" })
			if end < 0 {
				end = len(rest) - k - 1
			}
			w.invoke(rest[k+1:k+1+end], Invocation{Fed: true})
		}
	}
}
