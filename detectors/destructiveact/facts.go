package destructiveact

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// somewhere represents the folder of a session whose folder is unknown.
const somewhere = "/-"

// facts provides what a session's transcript shows about the places that a command
// affects, for the guard, which uses it like the hook's facts (GD-1).
type facts struct{ *judgement }

// root returns the folder of the workspace or, if unknown, the one that the line enters.
func (f facts) root() string {
	if w := f.Before.Workspace(); path.IsAbs(w) && w != "/" {
		return path.Clean(w)
	}
	return cmp.Or(f.entered, somewhere)
}

// absolute returns the place of a name in the registry.
func (f facts) absolute(name string) string {
	if path.IsAbs(name) || strings.HasPrefix(name, "~") {
		return name
	}
	return path.Join(f.root(), name)
}

// local returns a place as the registry names it.
func (f facts) local(name string) string {
	if rest, inside := strings.CutPrefix(name, somewhere+"/"); inside {
		return rest
	}
	return f.Before.Path(name)
}

// Home returns the person's home, as far as the workspace's path shows it.
func (f facts) Home() string {
	parts := strings.Split(f.root(), "/")
	switch {
	case len(parts) > 3 && (parts[1] == "home" || parts[1] == "Users"):
		return strings.Join(parts[:3], "/")
	case len(parts) > 2 && parts[1] == "root":
		return "/root"
	}
	return ""
}

// Roots returns the workspace and the worktrees that the session created.
func (f facts) Roots() []string {
	roots := []string{f.root()}
	for _, t := range f.Made {
		if t.Kind == destruct.Linked {
			roots = append(roots, path.Clean(f.absolute(t.Name)))
		}
	}
	return roots
}

// Entry returns what is known about a place that the session read or wrote.
func (f facts) Entry(name string) destruct.Entry {
	switch name = f.local(name); {
	case sight(f).absent(name) && !f.own(name):
		return destruct.Entry{Known: true}
	case len(f.Before.Reads(name)) > 0 || f.wrote(name):
		return destruct.Entry{Known: true, Exists: true}
	}
	return destruct.Entry{}
}

// Script returns the text of a file that the session wrote.
func (f facts) Script(name string) (string, bool) {
	name = f.local(name)
	for i := len(f.Scripts) - 1; i >= 0; i-- {
		if f.Scripts[i].Path == name {
			return f.Scripts[i].Text, true
		}
	}
	return "", false
}

// Work returns what git status showed, without what the session wrote itself.
func (f facts) Work(folder string, _ ...string) guard.Work {
	switch {
	case !within(folder, f.root()):
		return guard.Work{Unknown: "nobody looked there"}
	case !f.Seen:
		return guard.Work{Unknown: "git status was not asked"}
	case f.Part && len(f.Changed)+len(f.New) == 0:
		return guard.Work{Unknown: "git status was not shown whole"}
	}
	work := guard.Work{Root: f.root(), NoIgnored: true}
	for _, name := range f.Changed {
		work.Files = append(work.Files, guard.WorkFile{Path: f.absolute(name), Before: true})
	}
	for _, name := range f.New {
		work.Files = append(work.Files, guard.WorkFile{Path: f.absolute(strings.TrimSuffix(name, "/")), Untracked: true, Before: true})
	}
	return work
}

// Knows reports whether the session wrote or created a thing, and whether it looked into
// it.
func (f facts) Knows(name string) (made, looked bool) {
	name = f.local(name)
	return f.own(name), fileActs(f).lookedInto(name) || len(f.Before.Reads(name)) > 0
}

// Has reports whether the session created a thing; without a name, any of its kind.
func (f facts) Has(t destruct.Thing) bool {
	if t.Name == "" {
		return f.madeKind(t.Kind)
	}
	return f.made(t)
}

// Branch returns the facts about a branch that the session created; for the checked-out
// one, git status shows whether it is ahead of the remote.
func (f facts) Branch(_, name string) guard.Branch {
	if name == "HEAD" {
		return guard.Branch{Known: f.Compared || f.Kept, Exists: f.Seen, Alone: f.Ahead && !f.Kept}
	}
	return guard.Branch{Own: f.made(destruct.Thing{Kind: destruct.Branches, Name: name})}
}

// Current returns the branch that the session created last, if any.
func (f facts) Current(string) string {
	for i := len(f.Made) - 1; i >= 0; i-- {
		if f.Made[i].Kind == destruct.Branches {
			return f.Made[i].Name
		}
	}
	return ""
}

// Stashes returns the stashes that the session created since; what is below them on the
// stack is unknown.
func (f facts) Stashes(string) (list []guard.Stash, known bool) {
	for range f.memory.Stashes {
		list = append(list, guard.Stash{Own: true})
	}
	known = len(list) > 0
	for range maxBelow {
		list = append(list, guard.Stash{})
	}
	return list, known
}

// maxBelow bounds the number of stashes assumed below the session's own.
const maxBelow = 16

// Worktrees returns the worktrees that git worktree list showed.
func (f facts) Worktrees(string) (out []string) {
	roots := f.Roots()
	for _, w := range f.Linked {
		if !slices.Contains(roots, w) {
			out = append(out, w)
		}
	}
	return out
}

// Started reports whether the session started a program of this name, and nobody beside it may have.
func (f facts) Started(name string) bool {
	acts := sharedActs(f)
	return acts.started(name) && !acts.shared(name)
}

// Packs returns nil: they are part of the rules, since scan reads those of a workspace.
func (facts) Packs() guard.Packs { return nil }

// Wave returns false: the run's own rules evaluate its waves (WP-4).
func (facts) Wave() bool { return false }

func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}

// worktree judges discarding uncommitted changes.
func (j *judgement) worktree(a *destruct.Act) *loss {
	if a.Rule == "git-stash-drop" {
		return j.stashed(a)
	}
	foreign := j.foreign(a)
	switch {
	case len(foreign) > 0:
		return j.foreignLoss(a, foreign)
	case a.Moves && (a.Kept || j.Kept):
		return &loss{
			cost: j.config.Cost.Little, confidence: j.config.Confidence.Unknown, what: j.moved(a.Loses),
			why: "a branch or tag that this session made holds those commits",
		}
	case a.Moves && (!j.Compared || j.Ahead):
		return &loss{
			cost: j.config.Cost.Less, confidence: j.config.Confidence.Unknown, what: j.moved(a.Loses),
			why: "whether another branch or a remote holds those commits was not checked",
		}
	case j.Seen && !j.Part, j.allOwn(a):
		return nil
	case a.Weight == destruct.Aside:
		return &loss{cost: j.config.Cost.Little, confidence: j.config.Confidence.Unknown, what: a.Loses, why: "whose changes they are was not checked"}
	}
	why := "whose they are was not checked with git status"
	if j.Seen {
		why = "git status was not shown whole"
	}
	return &loss{
		cost: j.config.Cost.Part, confidence: j.config.Confidence.Unknown, what: a.Loses, of: j.paths(a.Targets), why: why,
	}
}

// foreign returns the files affected by the act that git status showed as changed and the
// session had not written.
func (j *judgement) foreign(a *destruct.Act) []string {
	var out []string
	if !a.Untracked {
		out = append(out, j.Changed...)
	}
	if !a.Tracked && (a.Untracked || a.Weight != destruct.Aside) {
		out = append(out, j.New...)
	}
	return slices.DeleteFunc(out, func(f string) bool { return !a.Whole && !j.within(f, j.paths(a.Targets)) })
}

func (j *judgement) foreignLoss(a *destruct.Act, foreign []string) *loss {
	l := &loss{cost: j.config.Cost.Full, confidence: j.config.Confidence.Known, what: a.Loses, of: foreign, why: "git status showed them before this session wrote there"}
	if a.Weight == destruct.Aside { // moved aside rather than destroyed: recorded
		l.cost = j.config.Cost.Little
	}
	return l
}

// allOwn reports whether everything that an act names is the session's own.
func (j *judgement) allOwn(a *destruct.Act) bool {
	return !a.Whole && len(a.Targets) > 0 && !slices.ContainsFunc(a.Targets, func(t string) bool { return !j.own(t) })
}

// stashed judges dropping a stash; the session may drop its own.
func (j *judgement) stashed(a *destruct.Act) *loss {
	if j.Stashes > 0 && a.Rule == "git-stash-drop" && !a.Whole {
		j.Stashes--
		return nil
	}
	return &loss{cost: j.config.Cost.Full, confidence: j.config.Confidence.Likely, what: a.Loses, of: a.Targets, why: "this session made no such stash"}
}

// paths returns names in the registry's form.
func (j *judgement) paths(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = j.Before.Path(n)
	}
	return out
}
