package shell

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// shell walks the script that a shell is given: after -c, or as its input.
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
	w.script(i.Input)
}

// positional reads a script whose $0, $1 … are given after it.
func (w *invocations) positional(values []string, read func()) {
	if len(values) == 0 {
		read()
		return
	}
	before := maps.Clone(w.variables)
	defer func() { w.variables = before }()
	if w.variables == nil {
		w.variables = map[string]string{}
	}
	for k, v := range values[:min(len(values), maxPositional)] {
		w.variables[strconv.Itoa(k)] = v
	}
	if len(values) == 2 { // of one argument all are the first
		w.variables["@"], w.variables["*"] = values[1], values[1]
	}
	read()
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

// carriers run the script that one of their flags gives.
var carriers = map[string][]string{
	"env": {"-S", "--split-string"}, "script": {"-c", "--command"}, "su": {"-c", "--command"}, "runuser": {"-c", "--command"}, "flock": {"-c", "--command"},
	"watch": {"-x", "--exec"}, "pwsh": {"-Command", "-c"}, "powershell": {"-Command", "-c"}, "powershell.exe": {"-Command", "-c"}, "cmd": {"/c", "/C"}, "cmd.exe": {"/c", "/C"},
}

// carried walks the scripts that the programs in front of a command are given.
func (w *invocations) carried(args []argument) {
	for at := 0; at < len(args); at++ {
		flags := carriers[path.Base(args[at].text)]
		for k := at + 1; k < len(args) && flags != nil; k++ {
			name, value, joined := strings.Cut(args[k].text, "=")
			short := flags[0][1:] // -qc is -q -c
			cluster := strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "--") && strings.HasSuffix(name, short)
			switch {
			case joined && slices.Contains(flags, name):
				w.script(value)
			case (cluster || slices.Contains(flags, name)) && k+1 < len(args):
				w.script(carriedText(path.Base(args[at].text), args[k+1:]))
			}
		}
		if !isAssignment(args[at].text) && w.wrapper(args[at:]) == nil {
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
				w.script(value)
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

// optionCommand is what an option of ssh runs, or the option's value.
func optionCommand(value string) string {
	if _, command, is := strings.Cut(value, "Command="); is {
		return command
	}
	return value
}

// carriedText is the script that follows a flag: one word, or for the shells of
// Windows all that follows.
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

// program is what `go run` is given, the package first: the program has the name
// of its folder.
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
