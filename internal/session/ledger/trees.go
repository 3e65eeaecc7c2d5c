package ledger

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxTrees bounds the worktrees remembered.
const maxTrees = 8

// trees reads in which worktree a command runs: a check in one without the session's changes shows nothing of them.
type trees struct{ *digest }

// note records the worktrees that a command adds, and the one that it may leave the shell in. What brings changes
// from one to another makes them alike.
func (d trees) note(s *sessionevents.Segment) {
	if len(d.l.Trees) == 0 && !strings.Contains(s.Tool.Command, "worktree") {
		return
	}
	if d.c.Joins.MatchString(s.Tool.Command) {
		d.l.Trees, d.l.Entered = nil, false
		return
	}
	for _, step := range d.c.commands.EverywhereSteps(s.Tool.Command) {
		switch {
		case step.Name == "cd" && len(step.Args) > 0 && len(d.l.Trees) > 0:
			d.l.Entered = d.workdir(s) == "" && d.of(step.Args[0]) != ""
		case step.Name == "git":
			if added := d.added(&step); added != "" && !slices.Contains(d.l.Trees, added) {
				d.l.Trees = append(d.l.Trees[max(0, len(d.l.Trees)-maxTrees+1):], added)
			}
		}
	}
}

// added returns the folder of "git worktree add"; "" if it holds all that the session changed, since that is committed.
func (d trees) added(step *shell.Step) string {
	at := slices.Index(step.Args, "add")
	if at < 1 || step.Args[at-1] != "worktree" {
		return ""
	}
	var words []string
	for i := at + 1; i < len(step.Args); i++ {
		switch a := step.Args[i]; {
		case slices.Contains([]string{"-b", "-B", "--reason"}, a):
			i++
		case !strings.HasPrefix(a, "-"):
			words = append(words, a)
		}
	}
	committed := slices.ContainsFunc(d.l.Acts, func(a Act) bool {
		return a.Kind == sessionevents.ClaimCommitted && a.Result == sessionevents.CheckPassed &&
			!d.l.lastChange().After(a.At)
	})
	if len(words) == 0 || strings.ContainsAny(words[0], "$`") || committed && (len(words) == 1 || words[1] == "HEAD") {
		return ""
	}
	return d.registry.Path(path.Clean(words[0]))
}

// of returns the worktree that holds a path; "" for the session's own folder.
func (d trees) of(name string) string {
	name = d.registry.Path(path.Clean(name)) + "/"
	away := path.IsAbs(name) || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "..")
	for _, t := range d.l.Trees {
		if strings.HasPrefix(name, t+"/") || away && strings.Contains(name, "/"+path.Base(t)+"/") {
			return t
		}
	}
	return ""
}

// workdir returns the folder that a call names beside its command.
func (d trees) workdir(s *sessionevents.Segment) string {
	var in map[string]any
	if json.Unmarshal(s.Tool.Input, &in) != nil {
		return ""
	}
	for _, key := range d.c.workdirs {
		if folder, is := in[key].(string); is && folder != "" {
			return folder
		}
	}
	return ""
}

// lack reports whether a call's command runs in a worktree in which the session changed nothing, while it did in
// another.
func (d trees) lack(s *sessionevents.Segment) bool {
	if len(d.l.Trees) == 0 {
		return false
	}
	in := d.of(d.workdir(s))
	words := strings.FieldsFunc(s.Tool.Command, func(c rune) bool { return strings.ContainsRune(" \t\n;&|()'\"=", c) })
	for _, word := range words {
		if t := d.of(word); t != "" {
			in = t
		}
	}
	changed, here := false, false
	for i := range d.l.Files {
		if f := &d.l.Files[i]; slices.Contains(behaviour, f.Kind) {
			t := d.of(f.Path)
			if d.l.Entered && in == "" && t != "" {
				return false // the shell may be where it changed something
			}
			changed, here = true, here || t == in
		}
	}
	return changed && (!here || d.l.Entered && in == "")
}
