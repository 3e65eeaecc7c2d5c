package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// takeovers finds what hands the machine to somebody: text that a program runs and nobody has read, and shells
// for another machine.
type takeovers struct{ *line }

// hijacked records what a line runs unread, and which secrets it shows or sends.
func (l *line) hijacked(text string) {
	h, t, leaks := &l.config.Hijack, takeovers{l}, leaks{l, map[string]bool{}}
	fetched := fetched{t, map[string]bool{}, map[string]bool{}}
	decoded := h.Decoded.MatchString(text)
	for k := range l.all {
		i := &l.all[k]
		switch {
		case i.Elsewhere:
		case t.interprets(i) && t.fed(k, h.Downloads, nil), t.embeds(i, h.Downloads), fetched.runs(i), h.addressed(i):
			l.hijack("download-and-run", i)
		case t.interprets(i) && (t.fed(k, nil, h.Decodes) || i.Fed && h.rewritten(l.all[:k])),
			decoded && (i.Name == "eval" || h.interpreter(i.Name)):
			l.hijack("decode-and-run", i)
		case t.interprets(i) && t.fed(k, h.Listens, nil), t.connects(i):
			l.hijack("network-shell", i)
		case i.Name == "git" && t.helped(i):
			l.hijack("git-helper", i)
		case t.handedOn(i):
			l.hijack("unread-commands", i)
		}
		leaks.command(i)
		fetched.carry(k)
	}
	if h.Fetched.MatchString(text) {
		l.hijack("download-and-run", &shell.Invocation{Name: "Invoke-Expression"})
	}
	if t.bomb(text) {
		l.add(Act{Rule: "fork-bomb", Kind: Processes, Command: "endless processes", Loses: "the machine, with processes without end", Live: true})
	}
}

// interprets reports whether a command runs what it reads.
func (t takeovers) interprets(i *shell.Invocation) bool {
	if !t.config.Hijack.interpreter(i.Name) {
		return false
	}
	for k, a := range i.Args {
		switch {
		case a == "-s" || a == "-" || a == "/dev/stdin":
			return true
		case isFlag(a) && strings.HasSuffix(a, "c"):
			return k+1 >= len(i.Args) || strings.Contains(i.Args[k+1], "{}") || i.Args[k+1] == "--" && k+2 >= len(i.Args)
		case !isFlag(a):
			return false
		}
	}
	return true
}

// handedOn reports whether a command runs words of its input as command lines: a shell
// whose script comes from xargs or parallel, or system with a field in awk.
func (t takeovers) handedOn(i *shell.Invocation) bool {
	if t.shell.IsShell(i.Name) && i.Fed {
		last := len(i.Args) - 1
		for k, a := range i.Args {
			if isFlag(a) && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") {
				return k == last || k+1 == last && i.Args[last] == "{}"
			}
		}
		return false
	}
	lang := t.language(i.Name)
	if lang == nil || !lang.First {
		return false
	}
	tokens := tokenize(lang.programText(i), lang.Comment)
	for k := range tokens {
		if tokens[k].kind == 'n' && tokens[k].text == "system" && k+3 < len(tokens) && tokens[k+1].kind == '(' && tokens[k+2].kind == 'n' && tokens[k+3].kind == ')' &&
			strings.Trim(tokens[k+2].text, "0123456789") == "" {
			return true
		}
	}
	return false
}

// fed reports whether a command of some names, or of some names with one of their flags,
// writes the input of another one.
func (t takeovers) fed(at int, names []string, flagged map[string][]string) bool {
	if !t.all[at].Fed {
		return false
	}
	return slices.ContainsFunc(t.all[:at], func(i shell.Invocation) bool {
		return slices.Contains(names, i.Name) && !slices.ContainsFunc(i.Args, func(a string) bool { return strings.HasPrefix(a, "file:") }) ||
			slices.ContainsFunc(i.Args, func(a string) bool {
				return slices.ContainsFunc(flagged[i.Name], func(f string) bool {
					return a == f || isFlag(a) && !strings.HasPrefix(a, "--") && len(f) == 2 && strings.HasSuffix(f, "d") && strings.Contains(a, "d")
				})
			})
	})
}

// embeds reports whether a shell's script is the output of a download.
func (t takeovers) embeds(i *shell.Invocation, names []string) bool {
	if !t.config.Hijack.interpreter(i.Name) && i.Name != "eval" {
		return false
	}
	return slices.ContainsFunc(i.Args, func(a string) bool {
		inner := substituted(a)
		return inner != "" && slices.ContainsFunc(strings.FieldsFunc(inner, func(c rune) bool { return strings.ContainsRune(" \t\n|;&()", c) }), func(w string) bool { return slices.Contains(names, path.Base(w)) })
	}) || t.opens(i)
}

// opens reports whether a shell reads from another machine: bash < /dev/tcp/….
func (t takeovers) opens(i *shell.Invocation) bool {
	return len(i.Outputs) == 0 && slices.ContainsFunc(i.Files, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") || strings.HasPrefix(f, "/dev/udp/") })
}

// connects reports whether a command gives a shell to another machine.
func (t takeovers) connects(i *shell.Invocation) bool {
	all := strings.Join(i.Args, " ")
	shells := func(text string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,:'\"=/", c) }), func(w string) bool {
			return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "ash", "SHELL"}, w)
		})
	}
	switch i.Name {
	case "nc", "ncat", "netcat":
		_, after, exec := strings.Cut(" "+all, " -e")
		if !exec {
			_, after, exec = strings.Cut(all, "-exec")
		}
		return exec && shells(after) && len(i.Args) > 2
	case "socat":
		return strings.Contains(all, "EXEC:") && shells(all[strings.Index(all, "EXEC:"):]) || strings.Contains(all, "SHELL") || strings.Contains(all, "SYSTEM:") && shells(all)
	case "bash", "sh", "zsh":
		return slices.ContainsFunc(i.Files, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") }) && len(i.Files) > 1 ||
			slices.Contains(i.Args, "-i") && slices.ContainsFunc(i.Files, func(f string) bool { return strings.HasPrefix(f, "/dev/tcp/") })
	}
	return false
}

// helped reports whether a line specifies the program that Git runs for a connection.
func (t takeovers) helped(i *shell.Invocation) bool {
	names := func(text string) bool {
		return slices.ContainsFunc(t.config.Hijack.Git, func(g string) bool {
			return strings.HasPrefix(strings.ToLower(text), g+"=") || strings.HasSuffix(strings.ToLower(text), "="+g)
		})
	}
	word, setting := "", slices.ContainsFunc(i.Assigned, names)
	for k := 0; k < len(i.Args); k++ {
		a := clean(i.Args[k])
		switch {
		case a == "-c" && k+1 < len(i.Args):
			setting = setting || names(i.Args[k+1])
			k++
		case strings.HasPrefix(a, "-c"):
			setting = setting || names(a[2:])
		case !isFlag(a) && word == "":
			word = a
			if word == "remote" {
				word = i.Args[len(i.Args)-1]
			}
		}
	}
	return setting && slices.Contains([]string{"fetch", "pull", "push", "clone", "ls-remote", "update", "submodule"}, word)
}

// bomb reports whether a line starts processes endlessly.
func (t takeovers) bomb(text string) bool {
	for _, loop := range t.shell.Loops(text) {
		if loop.Endless && loop.Parallel {
			return true
		}
	}
	for rest := text; ; {
		before, after, is := strings.Cut(rest, "(){")
		if !is {
			if before, after, is = strings.Cut(rest, "() {"); !is {
				return false
			}
		}
		words := strings.FieldsFunc(before, func(c rune) bool { return strings.ContainsRune(" \t\n;&|", c) })
		body, _, _ := strings.Cut(after, "}")
		if len(words) > 0 && strings.Contains(body, "&") && slices.Contains(strings.FieldsFunc(body, func(c rune) bool { return strings.ContainsRune(" \t\n;&|", c) }), words[len(words)-1]) {
			return true
		}
		rest = after
	}
}

// fetched follows the files that a line downloads, until one is run.
type fetched struct {
	takeovers
	held  map[string]bool // files that were downloaded before, and their copies
	named map[string]bool // their names without folders
}

// runs reports whether a command runs a file that the line downloaded before.
func (f *fetched) runs(i *shell.Invocation) bool {
	if strings.Contains(i.Word, "/") && f.held[path.Clean(i.Word)] {
		return true
	}
	if !f.config.Hijack.interpreter(i.Name) {
		return f.named[i.Name]
	}
	at := slices.IndexFunc(i.Args, func(a string) bool { return !isFlag(a) })
	return at >= 0 && f.held[path.Clean(i.Args[at])]
}

// carry notes the files that the command at an index downloads, or copies from such files.
func (f *fetched) carry(at int) {
	i, h := &f.all[at], &f.config.Hijack
	var made []string
	switch {
	case i.Elsewhere:
	case slices.Contains(h.Downloads, i.Name):
		made = saved(i)
	case slices.Contains(h.Copies, i.Name) &&
		(f.fed(at, h.Downloads, nil) || slices.ContainsFunc(slices.Concat(i.Args, i.Files), f.has)):
		for _, a := range i.Args {
			if !isFlag(a) {
				made = append(made, operand(a))
			}
		}
		for _, o := range i.Outputs {
			made = append(made, o.Path)
		}
	}
	for _, name := range made {
		if name != "" {
			f.held[path.Clean(name)], f.named[path.Base(name)] = true, true
		}
	}
}

func (f *fetched) has(word string) bool { return f.held[path.Clean(operand(word))] }

// operand returns the file of a word, without the name of dd's operand before it: if=, of=.
func operand(word string) string {
	if name, file, is := strings.Cut(word, "="); is && len(name) == 2 {
		return file
	}
	return word
}

// clustered reports whether a cluster of flags ends with the one that names a file: -so, -qO.
func clustered(name, word string) bool {
	return len(word) > 2 && word[0] == '-' && word[1] != '-' &&
		(name == "curl" && strings.HasSuffix(word, "o") || name == "wget" && strings.HasSuffix(word, "O"))
}

// saved returns the files that a download writes.
func saved(i *shell.Invocation) (out []string) {
	for k, a := range i.Args {
		switch {
		case clustered(i.Name, a) && k+1 < len(i.Args):
			out = append(out, i.Args[k+1])
		case k+1 < len(i.Args) &&
			(a == "-o" || a == "--output" || a == "--output-document" || a == "-O" && i.Name == "wget"):
			out = append(out, i.Args[k+1])
		case a == "-O" && i.Name == "curl" || a == "--remote-name":
			for _, u := range i.Args {
				if strings.Contains(u, "://") {
					out = append(out, path.Base(u))
				}
			}
		case i.Name == "wget" && strings.Contains(a, "://"):
			out = append(out, path.Base(a))
		}
	}
	for _, o := range i.Outputs {
		out = append(out, o.Path)
	}
	return out
}
