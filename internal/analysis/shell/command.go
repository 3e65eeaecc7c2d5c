package shell

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// unwrap passes assignments and wrappers (sudo, timeout 5, uv run …) in front
// of a command and gives its plain name and arguments.
func (r *run) unwrap(args []argument) (name string, rest []argument, partial bool) {
	for len(args) > 0 {
		for len(args) > 0 && isAssignment(args[0].text) {
			args = args[1:]
		}
		w := r.wrapper(args)
		if w == nil {
			break
		}
		args = args[len(w.Words):]
		partial = partial || w.Partial
		r.kind(w.Kinds...)
		args = afterFlags(args, w.Values)
		args = args[min(w.Skip, len(args)):]
		if len(args) > 0 && args[0].text == "--" {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return "", nil, partial
	}
	return path.Base(args[0].text), args[1:], partial
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/-. ")
}

func (r *run) wrapper(args []argument) *Wrapper {
	if len(args) == 0 {
		return nil
	}
	for _, w := range r.p.wrappers[path.Base(args[0].text)] {
		if len(args) > len(w.Words) && slices.EqualFunc(args[1:len(w.Words)], w.Words[1:], func(a argument, word string) bool { return a.text == word }) {
			return w
		}
	}
	return nil
}

// afterFlags passes the flags in front, with their values.
func afterFlags(args []argument, values []string) []argument {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") && args[0].text != "-" {
		if args[0].text == "--" {
			return args[1:]
		}
		n := 1
		if slices.Contains(values, args[0].text) && len(args) > 1 {
			n = 2
		}
		args = args[n:]
	}
	return args
}

// command records what one simple command does and gives what it prints, when
// that is known.
func (r *run) command(args []argument, in stream, piped bool) stream {
	name, args, partial := r.unwrap(args)
	switch {
	case name == "":
		return stream{}
	case r.p.shells[name]:
		r.shell(args, in)
		return stream{}
	case name == "cd" || name == "pushd":
		r.enter(afterFlags(args, nil))
		return stream{}
	case name == "echo" || name == "printf":
		return printed(name, args)
	case r.p.quiet[name]:
		return stream{}
	}
	command := r.p.commands[name]
	if command == nil {
		r.kind("run")
		r.kind(r.p.scriptKinds(name)...)
		return stream{}
	}
	return r.known(&call{Command: command, name: name, args: args, in: in, piped: piped, partial: partial})
}

// shell parses the script given with -c, or on standard input, again.
func (r *run) shell(args []argument, in stream) {
	r.depth++
	defer func() { r.depth-- }()
	for i, a := range args {
		if strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.HasSuffix(a.text, "c") && i+1 < len(args) {
			directory := r.directory
			r.script(args[i+1].text)
			r.directory = directory
			return
		}
	}
	if operands := afterFlags(args, nil); len(operands) > 0 {
		r.kind("run")
		r.kind(r.p.scriptKinds(path.Base(operands[0].text))...)
	} else if in.known {
		r.script(in.text)
	}
}

// printed is the output of echo and printf with literal arguments.
func printed(name string, args []argument) stream {
	newline := name == "echo"
	interpret := name == "printf"
	for name == "echo" && len(args) > 0 && (args[0].text == "-n" || args[0].text == "-e" || args[0].text == "-ne" || args[0].text == "-en") {
		newline = newline && !strings.Contains(args[0].text, "n")
		interpret = interpret || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	text := joined(args)
	if name == "printf" && len(args) > 1 {
		format := strings.ReplaceAll(args[0].text, "%s", "\x00")
		for _, a := range args[1:] {
			format = strings.Replace(format, "\x00", a.text, 1)
		}
		text = strings.ReplaceAll(format, "\x00", "")
	}
	if interpret {
		text = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text)
	}
	if newline {
		text += "\n"
	}
	return stream{text, true}
}

// call is one call of a command of the table.
type call struct {
	*Command
	name    string
	args    []argument
	in      stream
	piped   bool
	partial bool
}

// known records what a command of the table does.
func (r *run) known(c *call) stream {
	directory, lost := r.directory, r.lost
	defer func() { r.directory, r.lost = directory, lost }()
	if sub := r.subcommand(c); sub != nil {
		if sub.Kinds == nil && sub.Access == "" {
			r.kind(c.Kinds...)
		}
		return r.known(sub)
	}
	r.kind(c.Kinds...)
	if strings.HasPrefix(c.name, gitPrefix) {
		r.git(c)
	}
	if read := forms[c.Form]; read != nil {
		return read(r, c)
	}
	r.plain(c)
	return stream{}
}

// subcommand finds the subcommand called, past the command's own flags.
func (r *run) subcommand(c *call) *call {
	if len(c.sub) == 0 {
		return nil
	}
	for i := 0; i < len(c.args); i++ {
		word := c.args[i].text
		if sub, ok := c.sub[word]; ok {
			return &call{Command: sub, name: c.name + " " + word, args: c.args[i+1:], in: c.in, piped: c.piped, partial: c.partial}
		}
		if !strings.HasPrefix(word, "-") {
			return nil
		}
		if slices.Contains(c.Directory, word) && i+1 < len(c.args) {
			r.enter(c.args[i+1:])
		}
		if slices.Contains(c.Values, word) {
			i++
		}
	}
	return nil
}

// plain records a command without a special form.
func (r *run) plain(c *call) {
	flags, operands := c.split()
	if c.Access != "" {
		for _, path := range c.chosen(operands) {
			r.touch(sessionevents.AccessKind(c.Access), c, path)
		}
	}
	changes := c.Changes
	if containsFlag(flags, c.Fixes) {
		changes = "operands"
	}
	if changes == "" || containsFlag(flags, c.Dry) {
		return
	}
	r.changed(changes, operands)
}

// touch records an access of a path by a plain command.
func (r *run) touch(kind sessionevents.AccessKind, c *call, path argument) {
	if !path.exact {
		return
	}
	target := r.resolve(path.text)
	if target == "" {
		return
	}
	r.access(sessionevents.Access{Kind: kind, Target: target})
	if c.ID == "rm" {
		r.keep(Write{Path: target, Delete: true})
	}
}

// changed records files rewritten in place: those named, when they look like
// files, else any.
func (r *run) changed(changes string, operands []argument) {
	if changes == "any" {
		r.anyFile()
		return
	}
	all := slices.ContainsFunc(operands, func(o argument) bool { return len(path.Ext(o.text)) > 1 })
	for _, o := range operands {
		if o.exact && !strings.ContainsAny(o.text, "./*") {
			continue // a word such as check in ruff check
		}
		if !o.exact || len(path.Ext(o.text)) < 2 || strings.ContainsAny(o.text, "*?") || strings.HasSuffix(o.text, "...") {
			all = false
			continue
		}
		r.access(sessionevents.Access{Kind: sessionevents.AccessWrite, Target: r.resolve(o.text)})
	}
	if !all {
		r.anyFile()
	}
}

// split separates the arguments into flags (with "=value" or the next word for flags with a value)
// and operands.
func (c *call) split() (flags []flag, operands []argument) {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		if a.text == "--" {
			return flags, append(operands, c.args[i+1:]...)
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			operands = append(operands, a)
			continue
		}
		f := flag{name: a.text}
		if name, value, ok := strings.Cut(a.text, "="); ok && strings.HasPrefix(a.text, "--") {
			f = flag{name: name, value: value}
		} else if c.takesValue(a.text) && i+1 < len(c.args) {
			i++
			f.value = c.args[i].text
		}
		flags = append(flags, f)
	}
	return flags, operands
}

func (c *call) takesValue(name string) bool {
	return slices.Contains(c.Values, name) || slices.Contains(c.Patterns, name) || slices.Contains(c.Effects, name) || slices.Contains(c.Code, name) && c.Form == "code"
}

type flag struct{ name, value string }

func containsFlag(flags []flag, names []string) bool {
	return slices.ContainsFunc(flags, func(f flag) bool {
		return slices.ContainsFunc(names, func(n string) bool { return f.name == n })
	})
}

// chosen are the operands that the access is made of.
func (c *call) chosen(operands []argument) []argument {
	switch {
	case c.Operands == "none" || len(operands) == 0:
		return nil
	case c.Operands == "first":
		return operands[:1]
	case c.Operands == "last":
		return operands[len(operands)-1:]
	case c.Operands == "rest":
		return operands[1:]
	default:
		return operands
	}
}
