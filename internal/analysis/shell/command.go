package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// unwrap skips assignments and wrappers (sudo, timeout 5, uv run …) in front of a command
// and returns its plain name and arguments.
func (p *Parser) unwrap(args []argument) (name string, rest []argument) {
	return p.unwrapped(args, func(*Wrapper, []argument) {})
}

// start is unwrap for a command that runs now: in the folder that its wrappers name, and with what they do.
func (r *run) start(args []argument) (name string, rest []argument, partial bool) {
	name, rest = r.p.unwrapped(args, func(w *Wrapper, args []argument) {
		partial = partial || w.Partial
		r.kind(w.Kinds...)
		r.chdir(args, w.Directory)
	})
	return name, rest, partial
}

// unwrapped calls each with every wrapper and what follows it.
func (p *Parser) unwrapped(args []argument, each func(w *Wrapper, args []argument)) (name string, rest []argument) {
	for len(args) > 0 {
		for len(args) > 0 && isAssignment(args[0].text) {
			args = args[1:]
		}
		w := p.wrapper(args)
		if w == nil {
			break
		}
		args = args[len(w.Words):]
		each(w, args)
		if w.ID == "env" && len(args) > 0 && args[0].text == "-" {
			args = args[1:]
		}
		args = afterFlags(args, w.Values)
		args = args[min(w.Skip, len(args)):]
		if len(args) > 0 && args[0].text == "--" {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return "", nil
	}
	return plainName(args[0].text), args[1:]
}

// plainName returns the name of a program without its folder, in the form of the tables,
// ignoring case and Windows extensions.
func plainName(word string) string {
	name := path.Base(word)
	if lower := strings.ToLower(name); lower != name && strings.ToUpper(name) == name && len(name) > 1 {
		name = lower
	}
	return name
}

// chdir applies the flag with which a program runs another one in a folder: -C src, -Csrc, --chdir=src.
func (r *run) chdir(args []argument, flags []string) {
	for i := 0; i < len(args) && strings.HasPrefix(args[i].text, "-"); i++ {
		for _, flag := range flags {
			switch value, attached := strings.CutPrefix(args[i].text, flag); {
			case !attached:
			case value == "":
				r.enter(args[i+1:])
				return
			case strings.HasPrefix(value, "=") || len(flag) == 2:
				to := args[i]
				to.text = strings.TrimPrefix(value, "=")
				r.enter([]argument{to})
				return
			}
		}
	}
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/-. ")
}

func (p *Parser) wrapper(args []argument) *Wrapper {
	if len(args) == 0 {
		return nil
	}
	for _, w := range p.wrappers[path.Base(args[0].text)] {
		if len(args) > len(w.Words) && slices.EqualFunc(args[1:len(w.Words)], w.Words[1:], func(a argument, word string) bool { return a.text == word }) {
			return w
		}
	}
	return nil
}

// afterFlags skips leading flags with their values.
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

// command records the effects of one simple command and returns its output, if known.
func (r *run) command(args []argument, in stream, piped bool) stream {
	directory, lost := r.directory, r.lost
	name, args, partial := r.start(args)
	if !changesFolder(name) {
		defer func() { r.directory, r.lost = directory, lost }()
	}
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

// shell parses the script given with -c, or on standard input.
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

// formatted returns the output of printf, which repeats its format for the remaining
// words.
func formatted(format string, values []string) string {
	var out strings.Builder
	for range maxWords {
		text, used, err := expand.Format(nil, format, values)
		if err != nil {
			return strings.ReplaceAll(format, "%s", "")
		}
		out.WriteString(text)
		values = values[min(used, len(values)):]
		if used == 0 || len(values) == 0 {
			break
		}
	}
	return out.String()
}

// maxWords bounds the words for which printf's format is repeated.
const maxWords = 64

// printed returns the output of echo and printf with literal arguments.
func printed(name string, args []argument) stream {
	newline := name == "echo"
	interpret := false
	for name == "echo" && len(args) > 0 && (args[0].text == "-n" || args[0].text == "-e" || args[0].text == "-ne" || args[0].text == "-en") {
		newline = newline && !strings.Contains(args[0].text, "n")
		interpret = interpret || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	text := joined(args)
	if name == "printf" && len(args) > 0 {
		values := make([]string, len(args)-1)
		for i, a := range args[1:] {
			values[i] = a.text
		}
		return stream{formatted(args[0].text, values), true}
	}
	if interpret {
		text = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text)
	}
	if newline {
		text += "\n"
	}
	return stream{text, true}
}
