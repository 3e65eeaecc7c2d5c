package shell

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// call is one call of a command of the table.
type call struct {
	*Command
	name    string
	args    []argument
	in      stream
	piped   bool
	partial bool
}

// known records the effects of a command in the table.
func (r *run) known(c *call) stream {
	directory, lost := r.directory, r.lost
	defer func() { r.directory, r.lost = directory, lost }()
	if sub := r.subcommand(c); sub != nil {
		if sub.Kinds == nil && sub.Access == "" {
			r.kind(c.Kinds...)
		}
		return r.known(sub)
	}
	r.kind(c.Kinds...)
	if strings.HasPrefix(c.name, gitPrefix) {
		r.git(c)
	}
	if read := forms[c.Form]; read != nil {
		return read(r, c)
	}
	r.plain(c)
	return stream{}
}

// subcommand returns the called subcommand, after the command's own flags.
func (r *run) subcommand(c *call) *call {
	if len(c.sub) == 0 {
		return nil
	}
	for i := 0; i < len(c.args); i++ {
		word := c.args[i].text
		if sub, ok := c.sub[word]; ok {
			return &call{Command: sub, name: c.name + " " + word, args: c.args[i+1:], in: c.in, piped: c.piped, partial: c.partial}
		}
		if !strings.HasPrefix(word, "-") {
			return nil
		}
		if slices.Contains(c.Directory, word) && i+1 < len(c.args) {
			r.enter(c.args[i+1:])
		}
		if slices.Contains(c.Values, word) {
			i++
		}
	}
	return nil
}

// plain records a command without a special form.
func (r *run) plain(c *call) {
	flags, operands := c.split()
	if c.Access != "" {
		for _, path := range c.chosen(operands) {
			r.touch(sessionevents.AccessKind(c.Access), c, path)
		}
	}
	changes := c.Changes
	if containsFlag(flags, c.Fixes) {
		changes = "operands"
	}
	if changes == "" || containsFlag(flags, c.Dry) {
		return
	}
	r.changed(changes, operands)
}

// touch records an access of a path by a plain command.
func (r *run) touch(kind sessionevents.AccessKind, c *call, path argument) {
	if !path.exact {
		return
	}
	target := r.resolve(path.text)
	if target == "" {
		return
	}
	r.access(sessionevents.Access{Kind: kind, Target: target})
	if c.ID == "rm" {
		r.keep(Write{Path: target, Delete: true})
	}
}

// changed records files that are rewritten in place: the named ones if they look like
// files, otherwise any.
func (r *run) changed(changes string, operands []argument) {
	if changes == "any" {
		r.anyFile()
		return
	}
	all := slices.ContainsFunc(operands, func(o argument) bool { return len(path.Ext(o.text)) > 1 })
	for _, o := range operands {
		if o.exact && !strings.ContainsAny(o.text, "./*") {
			continue // a word such as check in ruff check
		}
		if !o.exact || len(path.Ext(o.text)) < 2 || strings.ContainsAny(o.text, "*?") || strings.HasSuffix(o.text, "...") {
			all = false
			continue
		}
		r.access(sessionevents.Access{Kind: sessionevents.AccessWrite, Target: r.resolve(o.text)})
	}
	if !all {
		r.anyFile()
	}
}

// split separates the arguments into flags (with "=value" or the next word for flags with a value)
// and operands.
func (c *call) split() (flags []flag, operands []argument) {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		if a.text == "--" {
			return flags, append(operands, c.args[i+1:]...)
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			operands = append(operands, a)
			continue
		}
		f := flag{name: a.text}
		if name, value, ok := strings.Cut(a.text, "="); ok && strings.HasPrefix(a.text, "--") {
			f = flag{name: name, value: value}
		} else if c.takesValue(a.text) && i+1 < len(c.args) {
			i++
			f.value = c.args[i].text
		}
		flags = append(flags, f)
	}
	return flags, operands
}

func (c *call) takesValue(name string) bool {
	return slices.Contains(c.Values, name) || slices.Contains(c.Patterns, name) || slices.Contains(c.Effects, name) || slices.Contains(c.Code, name) && c.Form == "code"
}

type flag struct{ name, value string }

func containsFlag(flags []flag, names []string) bool {
	return slices.ContainsFunc(flags, func(f flag) bool {
		return slices.ContainsFunc(names, func(n string) bool { return f.name == n })
	})
}

// chosen returns the operands that are accessed.
func (c *call) chosen(operands []argument) []argument {
	switch {
	case c.Operands == "none" || len(operands) == 0:
		return nil
	case c.Operands == "first":
		return operands[:1]
	case c.Operands == "last":
		return operands[len(operands)-1:]
	case c.Operands == "rest":
		return operands[1:]
	default:
		return operands
	}
}
