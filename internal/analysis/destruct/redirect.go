package destruct

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// nothing holds commands that print nothing, so that redirecting them empties the file.
var nothing = map[string]bool{"": true, ":": true, "true": true}

// empties reports whether a redirection leaves its file empty: it is emptied before the
// command reads it, or nothing is printed.
func empties(i *shell.Invocation, file string) bool {
	prints := slices.Contains(prints, i.Name) && i.Name != "cat"
	switch {
	case nothing[i.Name] && !i.Fed, i.Name == "cat" && len(i.Args) == 1 && i.Args[0] == "/dev/null":
		return true
	case prints:
		return strings.TrimSpace(i.Prints) == "" && len(i.Args) > 0 && !slices.Contains(i.Exact, false)
	}
	return slices.ContainsFunc(i.Args, func(a string) bool { return !isFlag(a) && under(i.Directory, clean(a)) == file })
}

// redirected records files that a redirection replaces. A file that is emptied, cannot be
// recreated, or belongs to the system makes it an act; any other is ordinary work.
func (l *line) redirected(i *shell.Invocation) {
	for _, o := range i.Outputs {
		empties := empties(i, o.Path)
		if !o.Append && !i.Elsewhere {
			l.add(Act{
				Rule: "redirect", Kind: Files, Command: strings.TrimSpace(i.Name + " > " + o.Path), Directory: i.Directory, Lost: i.Lost, Targets: []string{o.Path},
				Overwrites: true, Empties: empties, Quiet: true, Force: true, Loses: "the former content",
			})
		}
		if !o.Append && !i.Elsewhere && (empties || l.Precious(o.Path) || systemPath(o.Path)) {
			command := strings.TrimSpace(i.Name + " > " + o.Path)
			l.add(Act{
				Rule: "redirect", Kind: Files, Command: command, Directory: i.Directory, Lost: i.Lost, Targets: []string{o.Path},
				Overwrites: true, Empties: empties, Loses: "the former content",
			})
		}
		if !l.Precious(o.Path) && !empties && !systemPath(o.Path) {
			l.out.Makes = append(l.out.Makes, Thing{Files, o.Path})
		}
	}
}
