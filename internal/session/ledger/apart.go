package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Try is a program that the session wrote to try something out: it shows something of the work only if it
// uses the work, and nothing if it holds a copy of it (JD-13).
type Try struct {
	Path string `json:"p"`
	Uses bool   `json:"u,omitempty"`
}

// maxTries bounds the programs remembered.
const maxTries = 24

// aparts reads which programs of a call are apart from the work.
type aparts struct{ *digest }

// note records a program that an edit or a command writes: one in a temporary folder, or one that defines
// what another file of the session defines.
func (d aparts) note(s *sessionevents.Segment) {
	if s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed && s.Diff.Op == sessionevents.DiffCreate {
		file, text := d.registry.Path(s.Path), strings.Builder{}
		copies := false
		for _, l := range s.Diff.Added() {
			text.WriteString(l.Text + "\n")
			if m := d.c.Defines.FindStringSubmatch(l.Text); m != nil {
				copies = copies || slices.ContainsFunc(d.l.Symbols, func(y Symbol) bool {
					return y.Name == m[1] && y.Path != file
				})
			}
		}
		if copies && !d.c.isTest(file) || d.c.files.Is(s.Path, files.Scratch) {
			d.keep(Try{Path: file, Uses: d.uses(text.String(), file)})
		}
		return
	}
	if s.Tool == nil || s.Tool.Command == "" {
		return
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessWrite && d.c.files.Is(a.Target, files.Scratch) {
			d.keep(Try{Path: a.Target, Uses: d.uses(s.Tool.Command, a.Target)})
		}
	}
}

func (d aparts) keep(t Try) {
	tries := slices.DeleteFunc(slices.Clone(d.l.Tries), func(o Try) bool { return o.Path == t.Path })
	d.l.Tries = append(tries[max(0, len(tries)-maxTries+1):], t)
}

// only reports whether everything that a command line runs is apart from the work of the session.
func (d aparts) only(command string) bool {
	if len(d.l.Files) == 0 {
		return false
	}
	seen, away := false, false
	for _, step := range d.c.commands.EverywhereSteps(command) {
		if step.Name == "cd" {
			to := strings.Join(step.Args, " ")
			away = strings.Contains(to, "mktemp") || d.c.files.Is(path.Clean(to)+"/x", files.Scratch)
			continue
		}
		if slices.Contains(idle, step.Name) {
			continue
		}
		if !d.apart(&step, away, command) {
			return false
		}
		seen = true
	}
	return seen
}

// apart reports whether one command of a line runs lines of a program given with it, or a program that is
// apart; away is set if its folder is a temporary one.
func (d aparts) apart(step *shell.Step, away bool, line string) bool {
	program := step.Path
	if slices.Contains(d.c.Interpreters, strings.TrimRight(step.Name, "0123456789.")) {
		script, is := scriptOf(step.Args)
		if !is {
			return false // a module, a task
		}
		if script == "" {
			return !d.uses(line, "") || d.c.OnlyLoads.MatchString(line)
		}
		program = script
	} else if path.Ext(program) == "" {
		return false // a built program
	}
	for i := range d.l.Tries {
		if t := &d.l.Tries[i]; path.Base(t.Path) == path.Base(program) {
			return !t.Uses
		}
	}
	if d.c.files.Is(program, files.Scratch) || away && !path.IsAbs(program) {
		return !d.uses(line, program)
	}
	return false
}

// scriptOf returns the file that an interpreter is to run, "" for a program in the line itself; false if it
// runs something else.
func scriptOf(args []string) (script string, is bool) {
	for _, a := range args {
		switch {
		case a == "-m", a == "-S":
			return "", false
		case a == "-", a == "-e", a == "-c", a == "-r", a == "-p", a == "--eval", a == "-pe", a == "-ne":
			return "", true
		case a == "run", a == "eval":
			// "deno run x.ts", "go run x.go"
		case !strings.HasPrefix(a, "-"):
			return a, path.Ext(a) != ""
		}
	}
	return "", true
}

// uses reports whether a program's text uses a code file that the session changed, or what is in its folder.
func (d aparts) uses(text, self string) bool {
	var links []string
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); d.c.Links.MatchString(line) && !d.comments(trimmed) &&
			!element(trimmed) {
			links = append(links, line)
		}
	}
	link := strings.Join(links, "\n")
	if ws := d.registry.Workspace(); d.c.Beside.MatchString(link) || ws != "" && strings.Contains(link, ws) {
		return true
	}
	return slices.ContainsFunc(d.l.Files, func(f File) bool {
		if f.Kind != sessionevents.MutationCode && f.Kind != sessionevents.MutationTests || f.Path == self {
			return false
		}
		base := path.Base(f.Path)
		stem := strings.TrimSuffix(base, path.Ext(base))
		names := []string{base, stem, path.Base(path.Dir(f.Path))}
		return slices.ContainsFunc(names, func(n string) bool { return len(n) > 2 && code.Holds(link, n) })
	})
}

// element reports whether a line is a text in a list, or a row of texts and plain values: a copy of a table uses
// nothing that its entries name.
func element(line string) bool {
	text, found := strings.CutSuffix(line, ",")
	if !found || len(text) < 2 {
		return false
	}
	if !strings.ContainsAny(text[:1], "{[(") {
		return strings.ContainsAny(text[:1], "\"'`") && text[len(text)-1] == text[0]
	}
	for token := range code.Tokens(text) {
		if !strings.ContainsAny(token[:1], "\"'0123456789") && !slices.Contains(plainValues, token) {
			return false
		}
	}
	return true
}

var plainValues = []string{"true", "false", "True", "False", "nil", "null", "None"}

// comments reports whether a line is a comment: what a copy says of its origin uses nothing.
func (d aparts) comments(line string) bool {
	begins := func(mark string) bool { return strings.HasPrefix(line, mark) }
	return !strings.HasPrefix(line, "#include") && slices.ContainsFunc(d.c.Comments, begins)
}
