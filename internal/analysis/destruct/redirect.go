package destruct

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// nothing are commands that print nothing, so that a redirection of them empties its file.
var nothing = map[string]bool{"": true, ":": true, "true": true}

// redirected notes files that a redirection replaces. One that is emptied, that nobody
// could make again, or that belongs to the machine, is an act; any other is the work itself.
func (l *line) redirected(i *shell.Invocation) {
	for _, o := range i.Outputs {
		empties := nothing[i.Name] && !i.Fed || i.Name == "cat" && len(i.Args) == 1 && i.Args[0] == "/dev/null"
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
