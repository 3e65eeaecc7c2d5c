package stuckloop

import (
	"strings"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// mishap is the way in which a call is malformed.
type mishap string

const (
	mishapIdle    mishap = "runs nothing"             // `: ls`, a comment, nothing at all
	mishapBroken  mishap = "does not parse"           // an open quote, a stray brace
	mishapProgram mishap = "does not begin a command" // `]}`, `--version`
	mishapPath    mishap = "names no file"            // `: null,`
)

// malformed counts calls that did nothing because of their form. What differs between them does not
// matter: they are one signature, and no edit of a file fixes them. It reports true for one.
func (w *watch) malformed(a *act, now *step) bool {
	how := w.mishap(a)
	if how == "" {
		return false
	}
	group := w.group(a)
	limits := w.Malformed
	length, first := w.sight(kindMalformed, group, w.MalformedCalls)
	if how == mishapIdle {
		if idle, _ := w.sight(kindIdle, group, w.MalformedCalls); w.Idle > 0 && idle >= w.Idle {
			limits.Nudge = min(limits.Nudge, length)
		}
	}
	l := loop{
		kind: kindMalformed, id: uint64(group), subject: "malformed " + w.toolName(a) + " calls", length: length, first: first,
		limits: limits, marks: []uint32{group}, mishap: how, job: w.called(a),
	}
	if e := failed(a); e != nil {
		l.error = e.Signature
	}
	w.grow(l, a.segment)
	return true
}

// group are the calls that share a form: shell commands, or calls of one tool.
func (d *instance) group(a *act) uint32 {
	if a.is(sessionevents.ToolShell) {
		return hash("shell")
	}
	return hash("tool", d.toolName(a))
}

func (*instance) toolName(a *act) string {
	if a.segment.Tool == nil {
		return "edit"
	}
	return a.segment.Tool.Name
}

// mishap is how a call is malformed, "" when it is not.
func (d *instance) mishap(a *act) mishap {
	switch {
	case a.segment.Tool == nil:
		return ""
	case a.is(sessionevents.ToolShell):
		return d.shellMishap(a)
	case a.failure != nil && a.is(sessionevents.ToolRead, sessionevents.ToolEdit, sessionevents.ToolWrite, sessionevents.ToolList):
		if path, ok := d.path(a); ok && d.damagedPath.MatchString(path) {
			return mishapPath
		}
	}
	return ""
}

// path is the path that a call gives, as it gives it.
func (d *instance) path(a *act) (string, bool) {
	for _, field := range d.PathFields {
		if path, err := jsonparser.GetString(a.segment.Tool.Input, field); err == nil {
			return path, true
		}
	}
	return "", false
}

func (d *instance) shellMishap(a *act) mishap {
	command := a.segment.Tool.Command
	if len(command) > wholeCommand {
		return ""
	}
	if a.failure == nil {
		if (command != "" || d.empties(a)) && shell.Idle(command, d.NullCommands) {
			return mishapIdle
		}
		return ""
	}
	output := a.output()
	switch {
	case d.syntaxErrors.MatchString(output) && shell.Broken(command):
		return mishapBroken
	case d.noProgram(output):
		return mishapProgram
	}
	return ""
}

// empties: the call has a command, and it is empty.
func (d *instance) empties(a *act) bool {
	command, err := jsonparser.GetString(a.segment.Tool.Input, "command")
	return err == nil && command == ""
}

// noProgram: the shell says of nothing but words that cannot be a program that they are none.
func (d *instance) noProgram(output string) bool {
	found := false
	for line := range strings.Lines(output) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		word := d.unknownPrograms.FindStringSubmatch(strings.TrimSpace(line))
		if word == nil || d.program.MatchString(strings.TrimSpace(strings.Join(word[1:], ""))) {
			return false
		}
		found = true
	}
	return found
}

// runsWell: a call of the group is not malformed, whatever it gave.
func (w *watch) runsWell(a *act, k *streak) bool {
	return k.Kind == kindMalformed && uint64(w.group(a)) == k.ID && w.mishap(a) == ""
}
