package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// maxScript bounds the text of a script that is analyzed.
const maxScript = 64 << 10

// prints are commands whose redirected output is text from the line itself.
var prints = []string{"cat", "echo", "printf"}

// writes records the text of files that the line itself writes, so that it can be
// analyzed when they are run.
func (l *line) writes(i *shell.Invocation) {
	text := ""
	var files []string
	switch {
	case slices.Contains(prints, i.Name):
		text = i.Prints
		for _, o := range i.Outputs {
			files = append(files, o.Path)
		}
	case i.Name == "tee":
		text, files = i.Input, slices.DeleteFunc(cleaned(i.Args), isFlag)
		for k, f := range files {
			files[k] = under(i.Directory, f)
		}
	}
	if text == "" || i.Elsewhere {
		return
	}
	for _, f := range files {
		if l.scripts == nil {
			l.scripts = map[string]string{}
		}
		if len(l.scripts) < maxPlaces && len(l.scripts[f])+len(text) <= maxScript {
			l.scripts[f] += text
		}
	}
}

// script analyzes a file that is run, if the line or the session wrote it (GD-5).
func (l *line) script(at int) {
	i := &l.all[at]
	name, args := l.runs(at)
	if name == "" || i.Elsewhere || l.depth >= maxNested {
		return
	}
	file := under(i.Directory, clean(name))
	text := l.text(file)
	if text == "" {
		return
	}
	if lang := l.language(interpreter(i, text)); lang != nil {
		if len(text) <= maxProgram {
			l.programText(i, lang, text)
		}
		return
	}
	text = beside.Replace(text)
	inner := l.shell.Script(text, append([]string{file}, args...))
	for k := range inner {
		if inner[k].Directory == "" || !path.IsAbs(inner[k].Directory) {
			inner[k].Directory = scriptFolder(i, &inner[k], file)
		}
		inner[k].Lost = inner[k].Lost || i.Lost
	}
	l.inner(text, inner)
}

// beside maps ways in which a script names its own folder to the form that the shell's
// reader knows.
var beside = strings.NewReplacer(`"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"`, `"$(dirname "$0")"`, `"$(cd "$(dirname "$0")" && pwd)"`, `"$(dirname "$0")"`, "${BASH_SOURCE[0]}", "$0", "$BASH_SOURCE", "$0")

// scriptFolder returns where a command of a script runs. The script names its own path
// relative to the line, so a folder below it must not be resolved again relative to the
// script.
func scriptFolder(outer, inner *shell.Invocation, file string) string {
	if own := path.Dir(file); inner.Directory != "" && (inner.Directory == own || strings.HasPrefix(inner.Directory, own+"/")) && own != "." {
		return inner.Directory
	}
	return under(outer.Directory, inner.Directory)
}

// text returns the text of a file that the line or the session wrote, "" for any other.
func (l *line) text(file string) string {
	if text, is := l.scripts[file]; is {
		return text
	}
	if l.facts == nil {
		return ""
	}
	p := l.place(file, l.directory, l.facts)
	if p.Unknown() || p.Pattern {
		return ""
	}
	text, _ := l.facts.Script(p.Path)
	if len(text) > maxScript {
		return ""
	}
	return text
}

// interpreter returns the program that runs a script: the command itself, or the one
// named by the script's first line or its extension.
func interpreter(i *shell.Invocation, text string) string {
	if !strings.Contains(i.Word, "/") || path.IsAbs(i.Word) && !strings.HasPrefix(text, "#!") {
		return i.Name
	}
	first, _, _ := strings.Cut(text, "\n")
	if words := strings.Fields(strings.TrimPrefix(first, "#!")); strings.HasPrefix(first, "#!") && len(words) > 0 {
		name := path.Base(words[0])
		if name == "env" {
			for _, w := range words[1:] {
				if !isFlag(w) {
					return path.Base(w)
				}
			}
		}
		return name
	}
	return i.Name
}

// runs returns the file that a command runs as a program, with its arguments; "" if it
// runs none.
func (l *line) runs(at int) (file string, args []string) {
	i := &l.all[at]
	lang := l.language(i.Name)
	switch {
	case i.Name == "source" || i.Name == ".":
		if len(i.Args) > 0 {
			return i.Args[0], i.Args[1:]
		}
		return "", nil
	case l.shell.IsShell(i.Name):
		return l.runsWith(at, "n", []string{"-o", "-O", "--rcfile", "--init-file"})
	case lang != nil && !lang.First:
		if lang.programText(i) != "" || lang.Word != "" && (len(i.Args) == 0 || i.Args[0] != lang.Word) {
			return "", nil
		}
		return l.runsWith(at, lang.Checks, lang.Values)
	case strings.Contains(i.Word, "/"):
		return i.Word, i.Args
	}
	return "", nil
}

// runsWith returns the file that an interpreter is given: its first operand, or its
// input. Checks are letters of flags with which it only checks the file.
func (l *line) runsWith(at int, checks string, values []string) (string, []string) {
	i := &l.all[at]
	for k := 0; k < len(i.Args); k++ {
		a := clean(i.Args[k])
		switch {
		case slices.Contains(values, a):
			k++
		case isFlag(a) && !strings.HasPrefix(a, "--"):
			if strings.ContainsAny(a[1:], checks) && checks != "" || strings.HasSuffix(a, "c") && l.shell.IsShell(i.Name) {
				return "", nil
			}
		case isFlag(a), a == "run", a == "-":
		default:
			return a, i.Args[k+1:]
		}
	}
	if len(i.Files) > 0 && len(i.Outputs) < len(i.Files) {
		return i.Files[0], nil
	}
	if i.Fed && at > 0 {
		if before := &l.all[at-1]; before.Name == "cat" && len(before.Args) == 1 {
			return under(before.Directory, before.Args[0]), nil
		}
	}
	return "", nil
}

// inner handles commands that are run by a command of the line.
func (l *line) inner(text string, list []shell.Invocation) {
	outer := l.all
	l.depth++
	l.each(list)
	if l.placed {
		l.hijacked(text)
	}
	l.depth--
	l.all = outer
}
