package preflight

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// An agent's settings contain the hooks through which it is watched. A call that removes
// them, or starts an agent without them, is reserved to a person (RW-34). An edit that
// keeps them is allowed.

// blindsIt describes such a call for the agent and the person.
const blindsIt = "switching off the hooks that scaffoldwatch has in an agent"

// isSettings reports whether a path is a settings file with an agent's hooks, and whether
// it is in a person's home, where our hooks are by default.
func (r *Release) isSettings(name string) (is, own bool) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	is = slices.ContainsFunc(r.Settings, func(s string) bool { return name == s || strings.HasSuffix(name, "/"+s) })
	if !is {
		return false, false
	}
	rest := home.ReplaceAllString(name, "")
	return true, rest != name && slices.Contains(r.Settings, rest)
}

// disables reports whether a text switches an agent's hooks off.
func (r *Release) disables(text string) bool {
	compact := strings.NewReplacer(" ", "", "\"", "", "'", "", `\`, "").Replace(text)
	return slices.ContainsFunc(r.Disables, func(w string) bool {
		return strings.Contains(compact, w) && !strings.Contains(compact, w+":false") && !strings.Contains(compact, w+"=false")
	})
}

// unhooked reports whether a settings file with this text would no longer contain our
// hooks. In a project they may never have been there, so only an empty file, or one that
// disables them, counts.
func (r *Release) unhooked(text string, own bool) bool {
	switch {
	case r.disables(text):
		return true
	case strings.Contains(text, r.Program):
		return false
	}
	return own || strings.Trim(text, "{}[] \n\t") == ""
}

// blinds reports whether a command of a line starts an agent without its hooks, or
// removes them from its settings.
func (r *Release) blinds(i *shell.Invocation, line string) bool {
	text := strings.Join(i.Args, "\n") + "\n" + i.Input
	if slices.ContainsFunc(r.Blinds[i.Name], func(w string) bool {
		return strings.Contains(text, w) && (!slices.Contains(r.Disables, w) || r.disables(text) || r.disables(line))
	}) {
		return true
	}
	for _, o := range i.Outputs {
		is, own := r.isSettings(o.Path)
		if is && !o.Append && (nothingKnown(i) && r.mentions(line) || !nothingKnown(i) && r.unhooked(i.Prints, own)) {
			return true
		}
	}
	does := r.Unhooks[i.Name]
	if does == "" {
		return false
	}
	return slices.ContainsFunc(i.Args, func(a string) bool {
		is, own := r.isSettings(a)
		if !is {
			return false
		}
		switch does {
		case "removes":
			return true
		case "edits":
			return slices.ContainsFunc(i.Args, func(f string) bool { return strings.HasPrefix(f, "-i") || f == "--in-place" }) && (r.mentions(text) || r.disables(text))
		case "prints":
			return r.unhooked(i.Input, own) && (i.Input != "" || r.mentions(line))
		}
		return r.mentions(line)
	})
}

// nothingKnown reports whether the output of a command cannot be known before it runs.
func nothingKnown(i *shell.Invocation) bool {
	return i.Prints == "" && !slices.Contains([]string{"", ":", "true", "echo", "printf", "cat"}, i.Name)
}

// mentions reports whether a text is about hooks, or about us.
func (r *Release) mentions(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "hooks") && !strings.Contains(lower, "/hooks") || strings.Contains(lower, r.Program) || r.disables(text)
}

// unhooks reports whether a tool's edit removes our hooks from an agent's settings.
func (r *Release) unhooks(patches []sessionevents.FilePatch, whole bool) bool {
	return slices.ContainsFunc(patches, func(p sessionevents.FilePatch) bool {
		is, own := r.isSettings(p.Path)
		if moved, _ := r.isSettings(p.OldPath); moved {
			return true
		}
		if !is {
			return false
		}
		if p.Op == sessionevents.DiffDelete {
			return true
		}
		var before, after strings.Builder
		for _, h := range p.Hunks {
			for _, l := range h.Lines {
				switch {
				case strings.HasPrefix(l, "-"):
					before.WriteString(l[1:] + "\n")
				case strings.HasPrefix(l, "+"):
					after.WriteString(l[1:] + "\n")
				}
			}
		}
		if whole {
			return r.unhooked(after.String(), own)
		}
		return r.disables(after.String()) || strings.Contains(before.String(), r.Program) && !strings.Contains(after.String(), r.Program)
	})
}
