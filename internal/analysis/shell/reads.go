package shell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reading handles cat, head, tail and other commands that show parts of files. Without a
// file they pass on their input.
func reading(r *run, c *call) stream {
	flags, operands := c.split()
	if containsFlag(flags, c.InPlace) {
		r.changed("operands", c.chosen(operands))
		return stream{}
	}
	from, to := rangeOf(c.Command, c.args)
	files := c.chosen(operands)
	for _, f := range files {
		if target := r.resolve(f.text); f.exact && target != "" {
			r.access(sessionevents.Access{Kind: sessionevents.AccessRead, Target: target, From: from, To: to})
		}
	}
	if c.Form == "whole" && len(files) == 0 {
		return c.in
	}
	return stream{}
}

var (
	lineCount = pattern.Must(`^-n?(\d+)$|^--lines=(\d+)$`)
	lineFrom  = pattern.Must(`^(?:-n|--lines=)?\+(\d+)$`)
	sedRange  = pattern.Must(`^'?(\d+)(?:,(\d+|\$))?p;?\s*(?:\d+q)?'?$`)
)

// rangeOf returns the range of lines of a file that a command shows: 0, 0 for all,
// Unknown if it cannot be determined.
func rangeOf(c *Command, args []argument) (from, to int) {
	form := ""
	if c != nil {
		form = c.Form
	}
	switch form {
	case "whole":
		return 0, 0
	case "head":
		return 1, countOf(args, 10)
	case "tail":
		for i, a := range args {
			if m := lineFrom.FindStringSubmatch(a.text); m != nil && (strings.HasPrefix(a.text, "-") || i > 0 && args[i-1].text == "-n" || strings.HasPrefix(a.text, "+")) {
				return atoi(m[1]), 0
			}
		}
	case "sed":
		return sedRangeOf(args)
	}
	return Unknown, Unknown
}

// countOf returns N of -n N, -nN, -N, --lines=N.
func countOf(args []argument, otherwise int) int {
	for i, a := range args {
		if (a.text == "-n" || a.text == "--lines") && i+1 < len(args) {
			if n := atoi(args[i+1].text); n > 0 {
				return n
			}
			return Unknown
		}
		if a.text == "-c" {
			return Unknown
		}
		if m := lineCount.FindStringSubmatch(a.text); m != nil {
			return atoi(m[1] + m[2])
		}
	}
	return otherwise
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}

// sedRangeOf parses sed -n '10,20p'.
func sedRangeOf(args []argument) (from, to int) {
	for i, a := range args {
		m := sedRange.FindStringSubmatch(a.text)
		if m == nil || !slices.ContainsFunc(args[:i], func(f argument) bool { return f.text == "-n" || f.text == "-ne" || f.text == "-En" }) {
			continue
		}
		switch from = atoi(m[1]); m[2] {
		case "":
			return from, from
		case "$":
			return from, 0
		default:
			return from, atoi(m[2])
		}
	}
	return Unknown, Unknown
}

// sed handles sed, which reads a part, or rewrites its files with -i.
func sed(r *run, c *call) stream {
	var rest []argument
	inPlace := false
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "-i") || strings.HasPrefix(a.text, "--in-place") || a.text == "-Ei" || a.text == "-ri" || a.text == "-ni" {
			inPlace = true
			continue
		}
		rest = append(rest, a)
	}
	plain := *c
	plain.args = rest
	if !inPlace {
		flags, _ := plain.split()
		if containsFlag(flags, c.Patterns) {
			plain.Command = withOperands(c.Command, "all")
		}
		return reading(r, &plain)
	}
	flags, operands := plain.split()
	scripts := expressions(rest)
	if !containsFlag(flags, c.Patterns) && len(operands) > 0 {
		if operands[0].text == "" && len(operands) > 1 {
			operands = operands[1:] // sed -i '' … on macOS
		}
		scripts = []string{operands[0].text}
		operands = operands[1:]
	}
	replaced, inserted := sedEdit(scripts, sedPlain)
	r.rewrite(c, operands, replaced, inserted)
	return stream{}
}

// rewrite records the files that a stream editor changes in place.
func (r *run) rewrite(c *call, files []argument, replaced, inserted string) {
	if len(files) == 0 || c.partial {
		r.anyFile()
	}
	for _, o := range files {
		if o.text == "" {
			continue // sed -i '' -e … on macOS
		}
		if target := r.resolve(o.text); o.exact && target != "" && !strings.ContainsAny(target, "*?") {
			r.write(Write{Path: target, Replaced: replaced, Inserted: inserted})
		} else {
			r.anyFile()
		}
	}
}

// expressions returns the scripts after sed's -e.
func expressions(args []argument) (scripts []string) {
	for i, a := range args {
		if (a.text == "-e" || a.text == "--expression") && i+1 < len(args) {
			scripts = append(scripts, args[i+1].text)
		} else if after, ok := strings.CutPrefix(a.text, "--expression="); ok {
			scripts = append(scripts, after)
		}
	}
	return scripts
}

func withOperands(c *Command, operands string) *Command {
	changed := *c
	changed.Operands = operands
	return &changed
}
