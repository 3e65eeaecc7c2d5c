package destruct

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// executes is the command e of GNU sed, which runs a command line, after an address.
var executes = pattern.Must(`(?:^|[;\n{}])\s*(?:(?:\d+|\$|/[^/]*/)(?:,(?:\d+|\$|/[^/]*/))?)?\s*e\s+([^\n}]+)`)

// edited handles command lines that a script of sed runs.
func edited(l *line, i *shell.Invocation) {
	if i.Name != "sed" && i.Name != "gsed" || i.Elsewhere {
		return
	}
	for _, arg := range i.Args {
		for _, m := range executes.FindAllStringSubmatch(arg, 4) {
			l.nested(i, m[1])
		}
	}
}
