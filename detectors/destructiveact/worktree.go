package destructiveact

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
)

// worktree judges discarding uncommitted changes.
func (j *judgement) worktree(a *destruct.Act) *loss {
	if a.Rule == "git-stash-drop" {
		return j.stashed(a)
	}
	foreign := j.foreign(a)
	switch {
	case len(foreign) > 0:
		return j.foreignLoss(a, foreign)
	case a.Moves && (!j.Seen || j.Ahead):
		return &loss{cost: j.config.Cost.Less, confidence: j.config.Confidence.Unknown, what: a.Loses, why: "whether another branch or a remote holds those commits was not checked"}
	case j.Seen && !j.Part, j.allOwn(a):
		return nil
	case a.Weight == destruct.Aside:
		return &loss{cost: j.config.Cost.Little, confidence: j.config.Confidence.Unknown, what: a.Loses, why: "whose changes they are was not checked"}
	}
	return &loss{cost: j.config.Cost.Part, confidence: j.config.Confidence.Unknown, what: a.Loses, of: j.paths(a.Targets), why: "whose they are was not checked with git status"}
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
