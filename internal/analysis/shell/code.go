package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Code is how a line prints the exit code of a command: `make check > log; echo "exit=$?"`. The code that is
// printed is the record's own word about the command, whatever the line as a whole came to (JD-1).
type Code struct {
	// Exit is what the printed code shows about the command, as the line's own would.
	Exit Exit
	// of is how the line writes the code: "$?", "${PIPESTATUS[0]}", or a variable that it was put in.
	of            string
	before, after string // what stands around it in its line of the output
}

// ofPipe is the code of the first stage of a pipe.
const ofPipe = "${PIPESTATUS[0]}"

// In returns the code that an output shows.
func (c *Code) In(output string) (code int, found bool) {
	if c == nil {
		return 0, false
	}
	for line := range strings.Lines(output) {
		rest, begins := strings.CutPrefix(strings.TrimSpace(line), c.before)
		figure, ends := strings.CutSuffix(rest, c.after)
		if n, err := strconv.ParseUint(strings.TrimSpace(figure), 10, 8); begins && ends && err == nil {
			code, found = int(n), true // the last one
		}
	}
	return code, found
}

func (c *Code) atMost(exit Exit) *Code {
	if c == nil {
		return nil
	}
	out := *c
	out.Exit = min(c.Exit, exit)
	return &out
}

// piped returns what it is for the first stages of a pipe and for its last.
func (c *Code) piped(pipefail bool) (first, last *Code) {
	switch {
	case c == nil:
		return nil, nil
	case c.of == ofPipe:
		return c, nil
	case pipefail:
		return c.atMost(ExitZero), c
	}
	return nil, c
}

// printed returns how the next statements print the exit code of the one before them.
func (w *steps) printed(next []*syntax.Stmt) *Code {
	of := []string{"$?", ofPipe}
	if len(next) > 1 {
		if name, is := w.keeps(next[0]); is {
			of, next = []string{"$" + name, "${" + name + "}"}, next[1:]
		}
	}
	call, is := next[0].Cmd.(*syntax.CallExpr)
	if !is || len(call.Args) < 2 {
		return nil
	}
	args := make([]string, len(call.Args))
	for i, a := range call.Args {
		text, _ := w.word(a)
		args[i] = strings.Trim(text, `"'`)
	}
	line := strings.Join(args[1:], " ")
	switch {
	case args[0] == "printf" && len(args) == 3:
		format := strings.NewReplacer("%d", "%s").Replace(args[1])
		line = strings.TrimSuffix(strings.Replace(format, "%s", args[2], 1), `\n`)
	case args[0] != "echo" || strings.HasPrefix(line, "-"):
		return nil
	}
	for _, name := range of {
		before, after, found := strings.Cut(line, name)
		if found && !strings.ContainsAny(before+after, "$`\\%") {
			return &Code{ExitExact, name, strings.TrimSpace(before), strings.TrimSpace(after)}
		}
	}
	return nil
}

// keeps returns the variable in which a statement keeps the exit code of the one before it.
func (w *steps) keeps(s *syntax.Stmt) (name string, is bool) {
	call, is := s.Cmd.(*syntax.CallExpr)
	if !is || len(call.Args) > 0 || len(call.Assigns) != 1 || call.Assigns[0].Value == nil {
		return "", false
	}
	text, _ := w.word(call.Assigns[0].Value)
	return call.Assigns[0].Name.Value, strings.Trim(text, `"`) == "$?"
}
