package shell

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// shell walks the script of a shell: after -c, or as its input.
func (w *invocations) shell(i Invocation) {
	for k, a := range i.Args {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") && k+1 < len(i.Args) {
			if i.Args[k+1] == "--" && k+2 < len(i.Args) {
				k++
			}
			w.positional(i.Args[k+2:], func() { w.script(i.Args[k+1]) })
			return
		}
		if inner, is := strings.CutPrefix(a, "<("); is {
			if file, _ := parse(strings.TrimSuffix(inner, ")")); file != nil && len(file.Stmts) == 1 {
				w.script(w.written(file.Stmts[0]))
			}
			return
		}
	}
	if at := slices.Index(i.Args, "-s"); at >= 0 {
		given := i.Args[at+1:]
		if len(given) > 0 && given[0] == "--" {
			given = given[1:]
		}
		w.positional(append([]string{i.Name}, given...), func() { w.script(i.Input) })
		return
	}
	w.script(i.Input)
}

// sourced walks what source reads, if the line contains it.
func (w *invocations) sourced(i Invocation) {
	if len(i.Args) == 0 {
		return
	}
	switch from := i.Args[0]; {
	case from == "/dev/stdin", from == "/dev/fd/0", from == "/proc/self/fd/0":
		w.script(i.Input)
	case strings.HasPrefix(from, "<("):
		w.shell(i)
	}
}

// positional reads a script whose $0, $1 … are given after it.
func (w *invocations) positional(values []string, read func()) {
	if len(values) == 0 {
		read()
		return
	}
	before, given := maps.Clone(w.variables), w.given
	defer func() { w.variables, w.given = before, given }()
	w.give(values[0], values[1:])
	read()
}

// give sets $0 and the arguments for what is read from here on.
func (w *invocations) give(name string, arguments []string) {
	if w.variables == nil {
		w.variables = map[string]string{}
	}
	for k := range maxPositional {
		delete(w.variables, strconv.Itoa(k))
	}
	delete(w.variables, "@")
	delete(w.variables, "*")
	w.variables["0"] = name
	for k, v := range arguments[:min(len(arguments), maxPositional-1)] {
		w.variables[strconv.Itoa(k+1)] = v
	}
	if len(arguments) == 1 { // with one argument, all arguments are the first
		w.variables["@"], w.variables["*"] = arguments[0], arguments[0]
	}
	w.given = append(make([]string, 0, len(arguments)), arguments...)
}

// forget handles a shift, after which the positions of the arguments are unknown.
func (w *invocations) forget() {
	for k := 1; k < maxPositional; k++ {
		delete(w.variables, strconv.Itoa(k))
	}
	delete(w.variables, "@")
	delete(w.variables, "*")
	w.given = nil
}

// entersContainer reports whether a command runs another one in a container.
func entersContainer(args []argument) bool {
	if len(args) < 2 || !slices.Contains([]string{"docker", "podman", "nerdctl", "kubectl", "docker-compose"}, path.Base(args[0].text)) {
		return false
	}
	return slices.ContainsFunc(args[1:min(len(args), 5)], func(a argument) bool { return a.text == "exec" })
}

// remote walks the script that ssh runs on another machine.
func (w *invocations) remote(args []argument) {
	rest := afterFlags(args, []string{"-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-m", "-S", "-W", "-w"})
	if len(rest) < 2 {
		return
	}
	var script strings.Builder
	for _, a := range rest[1:] {
		script.WriteString(a.text + " ")
	}
	w.away++
	directory, lost := w.directory, w.lost
	w.directory, w.lost = "", true
	w.script(script.String())
	w.directory, w.lost = directory, lost
	w.away--
}

// Carrier is a program that runs command lines given to it.
type Carrier struct {
	ID    string   `yaml:"id"`
	Words []string `yaml:"words"` // if it is more than the id
	Flags []string `yaml:"flags"` // flags whose value is a command line
	All   bool     `yaml:"all"`   // each operand is a command line
	Input bool     `yaml:"input"` // its input is a command line
	// Marks begin a command line in an operand, in the value of a flag or on a line of
	// the input.
	Marks []string `yaml:"marks"`
}

// carries reports whether words call the program; rest is what follows its words.
func (c *Carrier) carries(args []argument) (rest []argument, is bool) {
	rest = args[1:]
	for _, word := range c.Words[1:] {
		at := slices.IndexFunc(rest[:min(len(rest), maxWrapped)], func(a argument) bool { return a.text == word })
		if at < 0 || slices.ContainsFunc(rest[:at], func(a argument) bool { return !strings.HasPrefix(a.text, "-") && a.text != "." }) {
			return nil, false
		}
		rest = rest[at+1:]
	}
	return rest, true
}

// carried walks the scripts given to the programs in front of a command.
func (w *invocations) carried(args []argument, input string) {
	for at := 0; at < len(args); at++ {
		for _, c := range w.p.carriers[path.Base(args[at].text)] {
			if rest, is := c.carries(args[at:]); is {
				w.carries(c, path.Base(args[at].text), rest, input)
			}
		}
		if !isAssignment(args[at].text) && w.p.wrapper(args[at:]) == nil {
			return
		}
	}
}

// carries walks the scripts given to one program.
func (w *invocations) carries(c *Carrier, program string, args []argument, input string) {
	for k, a := range args {
		name, value, joined := strings.Cut(a.text, "=")
		switch {
		case joined && slices.Contains(c.Flags, name):
			w.script(value)
		case c.flagged(name) && k+1 < len(args):
			w.script(carriedText(program, args[k+1:]))
		case c.All && !strings.HasPrefix(a.text, "-"):
			w.script(a.text)
		}
		w.marked(c, a.text)
	}
	for line := range strings.Lines(input) {
		w.marked(c, strings.TrimSpace(line))
	}
	if c.Input {
		w.script(input)
	}
}

// flagged reports whether a word is a flag whose value is a command line: -qc is -q -c.
func (c *Carrier) flagged(word string) bool {
	if len(c.Flags) == 0 {
		return false
	}
	short := c.Flags[0][1:]
	return slices.Contains(c.Flags, word) || len(short) == 1 && strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.HasSuffix(word, short)
}

// marked walks a command line that begins with a mark.
func (w *invocations) marked(c *Carrier, text string) {
	for _, m := range c.Marks {
		if script, is := strings.CutPrefix(text, m); is {
			w.script(strings.Trim(script, `"`))
			return
		}
	}
}

// options walks the scripts that options of a program run: tar -I, rsync -e, ssh -o ProxyCommand.
func (w *invocations) options(name string, args []string) {
	for k, a := range args {
		for _, flag := range w.p.options[name] {
			short := len(flag) == 2
			switch value, joined := strings.CutPrefix(a, flag+"="); {
			case joined && !short:
				w.script(optionCommand(value))
			case short && strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, flag[1:]) && k+1 < len(args):
				w.script(optionCommand(args[k+1]))
			case a == flag && k+1 < len(args):
				w.script(optionCommand(args[k+1]))
			case short && strings.HasPrefix(a, "-") && strings.Contains(a, flag[1:]) && strings.Contains(a, "Command="):
				w.script(optionCommand(a[strings.Index(a, flag[1:])+1:]))
			}
		}
	}
}

// optionCommand returns the command that an option of ssh runs, or the option's value.
func optionCommand(value string) string {
	if command, is := strings.CutPrefix(value, "exec="); is {
		return command
	}
	if _, command, is := strings.Cut(value, "Command="); is {
		return command
	}
	return value
}

// carriedText returns the script that follows a flag: one word or, for Windows shells,
// everything that follows.
func carriedText(name string, args []argument) string {
	text := args[0].text
	if windowsShells[name] {
		for _, a := range args[1:] {
			text += " " + a.text
		}
	}
	return text
}

var windowsShells = map[string]bool{"pwsh": true, "powershell": true, "powershell.exe": true, "cmd": true, "cmd.exe": true}

// program returns the program and arguments of `go run`; the program is named after its
// package's folder.
func program(args []argument) []argument {
	if len(args) == 0 {
		return nil
	}
	name, _, _ := strings.Cut(args[0].text, "@")
	if path.Ext(name) == ".go" {
		name = path.Dir(name)
	}
	return append([]argument{{path.Base(name), args[0].exact}}, args[1:]...)
}
