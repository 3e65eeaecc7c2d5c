package destruct

import (
	"path"
	"slices"
	"strings"
)

// writing handles a command that overwrites files: what is lost depends on whose they
// were.
func writing(c *command, rule *Rule, a *Act) bool {
	a.Overwrites, a.Quiet = true, true
	switch rule.Targets {
	case "copy":
		a.Targets = copied(c)
		// A pattern at the end stands for several files, so the others are moved too.
		last := c.operands[max(0, len(c.operands)-1):]
		a.Recursive = len(last) == 1 && strings.ContainsAny(last[0], "*?[")
	case "flag":
		for _, f := range rule.Flags {
			if v := c.values[f]; v != "" {
				a.Targets = append(a.Targets, v)
			}
		}
	case "rest":
		a.Targets = c.operands[min(1, len(c.operands)):]
		if c.has(rule.Scripts...) {
			a.Targets = c.operands
		}
	default:
		a.Targets = c.targets(rule)
	}
	a.Targets = slices.Clone(a.Targets)
	for i, t := range a.Targets {
		a.Targets[i] = under(c.Directory, t)
	}
	a.Empties = len(c.operands) > 1 && c.operands[0] == "/dev/null"
	return len(a.Targets) > 0
}

// editor handles an editor whose commands are given: it overwrites its files if one of
// them says so.
func editor(c *command, rule *Rule, a *Act) bool {
	text := c.Input
	for k, arg := range c.Args {
		if name := clean(arg); k+1 < len(c.Args) && (name == "-c" || isFlag(name) && !strings.HasPrefix(name, "--") && strings.HasSuffix(name, "c")) {
			text += "\n" + c.Args[k+1]
		} else if strings.HasPrefix(name, "+") {
			text += "\n" + name[1:]
		}
	}
	saves := slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '|' }), func(one string) bool {
		return slices.Contains([]string{"w", "wq", "x", "w!", "wq!", "x!", "wa", "xa", "update"}, strings.TrimSpace(strings.TrimPrefix(one, ":")))
	})
	c.operands = slices.DeleteFunc(c.operands, func(o string) bool { return strings.HasPrefix(o, "+") })
	return saves && writing(c, rule, a)
}

// copied returns the files that cp, mv and similar commands may write: files keep their
// names in a folder.
func copied(c *command) []string {
	sources, to := c.operands, ""
	for _, f := range []string{"-t", "--target-directory"} {
		if v := c.values[f]; v != "" {
			to = v
		}
	}
	if to == "" {
		if len(sources) < 2 {
			return nil
		}
		to, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	var out []string
	if len(sources) == 1 && !strings.HasSuffix(to, "/") && to != "." && to != ".." {
		out = append(out, to)
	}
	for _, from := range sources {
		if !strings.ContainsAny(from, "*?[{") && path.Base(from) != "/" && path.Base(from) != "." {
			out = append(out, strings.TrimSuffix(to, "/")+"/"+path.Base(from))
		}
	}
	return out
}

// moved handles mv of something outside the workspace: it leaves the place where someone
// keeps it.
func moved(c *command, _ *Rule, a *Act) bool {
	sources := c.operands
	if c.values["-t"] == "" && c.values["--target-directory"] == "" {
		if len(sources) < 2 {
			return false
		}
		if last := sources[len(sources)-1]; last == "/dev/null" {
			a.Targets, a.Recursive = placed(c, sources[:len(sources)-1]), true
			return true
		}
		sources = sources[:len(sources)-1]
	}
	a.Targets, a.Roots, a.Recursive = placed(c, sources), true, true
	return len(a.Targets) > 0
}

// permitted handles chmod or chown of whole trees.
func permitted(c *command, _ *Rule, a *Act) bool {
	if len(c.operands) < 2 && !c.has("--reference") {
		return false
	}
	first := 1
	if c.has("--reference") {
		first = 0
	}
	a.Targets, a.Roots, a.Recursive = placed(c, c.operands[first:]), true, true
	return len(a.Targets) > 0
}

// permittedFound handles chmod or chown of what find selects.
func permittedFound(c *command, _ *Rule, a *Act) bool {
	if !slices.Contains(c.operands, "{}") {
		return false
	}
	a.Roots = true
	return fedTargets(c, a)
}

// synced handles rsync and rclone: with --delete, or by sync, what the source does not have is removed;
// otherwise files are overwritten.
func synced(c *command, rule *Rule, a *Act) bool {
	if len(c.operands) < 2 || strings.Contains(c.operands[len(c.operands)-1], ":") {
		return false // to another machine
	}
	a.Targets = placed(c, c.operands[len(c.operands)-1:])
	a.Recursive, a.Overwrites, a.Quiet = true, true, true
	if rule.ID == "sync-delete" {
		a.Overwrites, a.Quiet = false, false
	}
	return true
}

// blanks are inputs of dd that leave nothing of what was in its file.
var blanks = []string{"if=/dev/null", "if=/dev/zero", "if=/dev/random", "if=/dev/urandom"}

// imaged handles dd to a file.
func imaged(c *command, _ *Rule, a *Act) bool {
	for _, o := range c.operands {
		if to, is := strings.CutPrefix(o, "of="); is && !strings.HasPrefix(to, "/dev/") {
			a.Targets, a.Overwrites, a.Quiet = placed(c, []string{to}), true, true
			a.Empties = slices.ContainsFunc(c.operands, func(o string) bool { return slices.Contains(blanks, o) })
			return true
		}
	}
	return false
}

// placed returns operands relative to where the line starts.
func placed(c *command, operands []string) []string {
	out := make([]string, len(operands))
	for i, o := range operands {
		out[i] = under(c.Directory, o)
	}
	return out
}
