package shell

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// forms read the commands whose arguments mean more than flags and paths.
var forms map[string]func(*run, *call) stream

func init() {
	forms = map[string]func(*run, *call) stream{
		"whole": reading, "head": reading, "tail": reading, "part": reading, "sed": sed,
		"search": search, "find": find, "list": list, "fetch": fetch, "words": words,
		"tee": tee, "patch": patch, "apply_patch": applyPatch, "script": script, "code": code,
	}
}

// reading is cat, head, tail and what shows parts of files. Without a file it
// passes on what it gets.
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
			r.access(events.Access{Kind: events.AccessRead, Target: target, From: from, To: to})
		}
	}
	if c.Form == "whole" && len(files) == 0 {
		return c.in
	}
	return stream{}
}

var (
	lineCount = regexp.MustCompile(`^-n?(\d+)$|^--lines=(\d+)$`)
	lineFrom  = regexp.MustCompile(`^(?:-n|--lines=)?\+(\d+)$`)
	sedRange  = regexp.MustCompile(`^'?(\d+)(?:,(\d+|\$))?p;?\s*(?:\d+q)?'?$`)
)

// rangeOf is the range of lines that a command shows of a file: 0, 0 all,
// Unknown when nobody can tell.
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

// countOf is N of -n N, -nN, -N, --lines=N.
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

// sedRangeOf reads sed -n '10,20p'.
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

// sed reads a part, or rewrites its files with -i.
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
	if !containsFlag(flags, c.Patterns) && len(operands) > 0 {
		if operands[0].text == "" && len(operands) > 1 {
			operands = operands[1:] // sed -i '' … of macOS
		}
		operands = operands[1:]
	}
	if len(operands) == 0 || c.partial {
		r.anyFile()
	}
	for _, o := range operands {
		if o.text == "" {
			continue // sed -i '' -e … of macOS
		}
		if target := r.resolve(o.text); o.exact && target != "" && !strings.ContainsAny(target, "*?") {
			r.write(Write{Path: target})
		} else {
			r.anyFile()
		}
	}
	return stream{}
}

func withOperands(c *Command, operands string) *Command {
	changed := *c
	changed.Operands = operands
	return &changed
}

// list is ls and tree; without a path it lists the working directory.
func list(r *run, c *call) stream {
	flags, operands := c.split()
	if len(operands) == 0 && !c.piped {
		operands = []argument{{".", true}}
	}
	for _, o := range operands {
		if target := r.resolve(o.text); o.exact && target != "" {
			r.access(events.Access{Kind: events.AccessList, Target: target, Query: canonicalFlags(flags, nil)})
		}
	}
	return stream{}
}

// fetch is curl and wget; one that sends data is a change, not a fetch.
func fetch(r *run, c *call) stream {
	flags, operands := c.split()
	if changesRemote(c, flags) {
		r.kind("run")
		return stream{}
	}
	for _, o := range operands {
		r.access(events.Access{Kind: events.AccessFetch, Target: o.text})
	}
	for _, f := range flags {
		if f.name == "-o" || f.name == "--output" {
			r.write(Write{Path: r.resolve(f.value)})
		}
	}
	return stream{}
}

func changesRemote(c *call, flags []flag) bool {
	return slices.ContainsFunc(flags, func(f flag) bool {
		return slices.Contains(c.Effects, f.name) && !strings.EqualFold(f.value, "GET") && !strings.EqualFold(f.value, "HEAD")
	})
}

// words is a fetch or listing whose whole argument list is what is asked for
// (git show HEAD:x, gh api repos/…).
func words(r *run, c *call) stream {
	flags, _ := c.split()
	if changesRemote(c, flags) {
		r.kind("run")
		return stream{}
	}
	r.access(events.Access{Kind: events.AccessKind(c.Access), Target: strings.TrimSpace(c.name + " " + joined(c.args))})
	return stream{}
}

// tee writes what it gets.
func tee(r *run, c *call) stream {
	flags, operands := c.split()
	for _, o := range operands {
		if o.exact {
			r.write(Write{
				Path: r.resolve(o.text), Content: c.in.text, Known: c.in.known,
				Append: containsFlag(flags, []string{"-a", "--append"}),
			})
		}
	}
	return c.in
}

// patch is git apply and patch: the patch is known when it comes from a
// here-document.
func patch(r *run, c *call) stream {
	flags, _ := c.split()
	if containsFlag(flags, []string{"--check", "--dry-run", "--stat", "--numstat"}) {
		return stream{}
	}
	r.anyFile()
	if c.in.known && strings.TrimSpace(c.in.text) != "" {
		r.keep(Write{Patch: c.in.text, Known: true})
	}
	return stream{}
}

// applyPatch is the apply_patch of Codex, called from a shell.
func applyPatch(r *run, c *call) stream {
	text := c.in.text
	for _, a := range c.args {
		if strings.Contains(a.text, "*** Begin Patch") {
			text = a.text
		}
	}
	if text == "" {
		r.anyFile()
		return stream{}
	}
	r.kind("write")
	r.keep(Write{Patch: text, Known: true})
	return stream{}
}

// script classifies npm run X and make X by the words in X.
func script(r *run, c *call) stream {
	_, operands := c.split()
	if len(operands) == 0 {
		if len(c.Kinds) == 0 {
			r.kind("run")
		}
		return stream{}
	}
	kinds := r.p.scriptKinds(operands[0].text)
	if len(kinds) == 0 && len(c.Kinds) == 0 {
		kinds = []string{"run"}
	}
	r.kind(kinds...)
	if slices.Contains(kinds, "format") {
		r.anyFile()
	}
	return stream{}
}

// code is an interpreter: a module run as a command (python -m pytest), program
// text (-c), or a script file.
func code(r *run, c *call) stream {
	for i, a := range c.args {
		if slices.Contains(c.Module, a.text) && i+1 < len(c.args) {
			r.out.Kinds = slices.DeleteFunc(r.out.Kinds, func(k string) bool { return k == "run" && len(c.Kinds) > 0 })
			return r.command(c.args[i+1:], c.in, c.piped)
		}
		if slices.Contains(c.Code, a.text) && i+1 < len(c.args) {
			r.programText(c.args[i+1].text)
			return stream{}
		}
		if !strings.HasPrefix(a.text, "-") {
			r.kind(r.p.scriptKinds(path.Base(a.text))...)
			return stream{}
		}
	}
	if c.in.known {
		r.programText(c.in.text)
	}
	return stream{}
}

func (r *run) programText(text string) {
	if slices.ContainsFunc(r.p.table.CodeWrites, func(mark string) bool { return strings.Contains(text, mark) }) {
		r.anyFile()
	}
}
