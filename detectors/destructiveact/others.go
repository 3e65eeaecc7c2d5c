package destructiveact

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
)

// sharedActs judges what others see or use: commits, processes, what is published, data, settings.
type sharedActs struct{ *judgement }

// commits judges dropping branches or rewriting history.
func (j sharedActs) commits(a *destruct.Act) *loss {
	targets := slices.DeleteFunc(slices.Clone(a.Targets), func(b string) bool { return j.made(destruct.Thing{Kind: destruct.Branches, Name: b}) })
	if len(a.Targets) > 0 && len(targets) == 0 || len(a.Targets) == 0 && a.Weight == destruct.Less && j.madeKind(destruct.Branches) {
		return nil
	}
	l := &loss{cost: j.config.Cost.Full, confidence: j.config.Confidence.Likely, what: a.Loses, of: targets, why: "others may build on them"}
	shared := slices.ContainsFunc(targets, j.reader.Shared)
	switch {
	case a.Rule == "git-branch-move" && strings.Contains(a.Command, "/"+strings.Join(targets, "")):
		l.cost, l.why = j.config.Cost.Little, "commits that the remote does not have go"
	case a.Kind == destruct.Branches && len(targets) > 0 && !slices.ContainsFunc(targets, func(b string) bool { return !machineMade(b) }):
		l.cost, l.why = j.config.Cost.Little, "nothing shows that it was merged"
	case a.Kind == destruct.Branches && !shared:
		l.cost, l.why = j.config.Cost.Less, "this session did not make it, and nothing shows that it was merged"
	case a.Weight == destruct.Less:
		l.cost, l.why = j.config.Cost.Less, "a lease would have refused what this session has not fetched"
	}
	return l
}

// processes judges ending processes by name. Those that the session started are its own.
func (j sharedActs) processes(a *destruct.Act) *loss {
	started := slices.ContainsFunc(a.Targets, j.started)
	if started && !slices.ContainsFunc(a.Targets, j.shared) {
		return nil
	}
	l := &loss{cost: j.config.Cost.Little, confidence: j.config.Confidence.Unknown, what: a.Loses, of: a.Targets, why: "this session started none of that name"}
	switch {
	case a.Whole:
		l.cost = j.config.Cost.Full
	case started:
		l.cost = j.config.Cost.Less
		l.why = "agents in other worktrees run programs of that name, and it names neither port nor folder"
	case slices.ContainsFunc(a.Targets, j.reader.Common):
		l.cost, l.why = j.config.Cost.Less, "other programs run under that name, and this session started none"
	}
	return l
}

// started reports whether the session started a program that a pattern names.
func (j sharedActs) started(pattern string) bool {
	words := strings.FieldsFunc(pattern, func(c rune) bool { return strings.ContainsRune(" /.*:^$[]()\\|'\"", c) })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(j.Started, func(s string) bool { return strings.Contains(s, w) || len(s) > 3 && strings.Contains(w, s) })
	})
}

// shared reports whether a pattern may name programs of agents beside this one: the session's folder is one
// of several worktrees, and the pattern has no number and no part of the folder's name.
func (j sharedActs) shared(pattern string) bool {
	folder := j.Before.Workspace()
	return j.config.Neighbours.MatchString(folder) && !strings.ContainsAny(pattern, "0123456789") &&
		!strings.Contains(pattern, path.Base(folder))
}

// published judges a push: unless the person mentioned it in a message, or an instruction
// file does, pushing is left to the person. It is reported once.
func (j sharedActs) published(a *destruct.Act) *loss {
	b := j.Baseline()
	told := slices.Clone(b.Constraints)
	for _, r := range b.Requests {
		told = append(told, r.Text)
	}
	if j.Pushed || b.Task == "" && len(b.Requests) == 0 {
		return nil
	}
	if j.reader.Asked(told, "", a) {
		return j.others(a, &j.config)
	}
	if len(a.Targets) > 0 && !slices.ContainsFunc(a.Targets, func(t string) bool { return !j.made(destruct.Thing{Kind: destruct.Branches, Name: t}) }) {
		return nil
	}
	j.Pushed = true
	return &loss{cost: j.config.Cost.Little, confidence: j.config.Confidence.Unknown, what: a.Loses, of: a.Targets, why: "no message asks for a push"}
}

// things judges destroying data or infrastructure. What the session created is its own.
func (j sharedActs) things(a *destruct.Act) *loss {
	if a.Kind == destruct.Infrastructure && j.madeKind(a.Kind) {
		return nil
	}
	targets := slices.DeleteFunc(slices.Clone(a.Targets), func(name string) bool { return j.made(destruct.Thing{Kind: a.Kind, Name: name}) })
	if len(a.Targets) > 0 && len(targets) == 0 {
		return nil
	}
	l := &loss{cost: j.config.Cost.Full, confidence: j.config.Confidence.Likely, what: a.Loses, of: targets, why: "nobody asked for it, and this session did not make it"}
	if a.Rule == "migrate-reset" || a.Elsewhere {
		l.cost, l.confidence = j.config.Cost.Part, j.config.Confidence.Unknown
	}
	return l
}

// settings judges replacing the person's identity in all repositories or, from a worktree
// that the session added, in the repository. If git knew no author, nothing is replaced;
// what the session set it may set again.
func (j sharedActs) settings(a *destruct.Act) *loss {
	linked := a.Shared || a.Directory != "" && j.made(destruct.Thing{Kind: destruct.Linked, Name: j.Before.Path(a.Directory)})
	if a.Rule == "git-identity-shared" && !linked {
		return nil
	}
	if j.Nameless {
		return nil
	}
	j.Nameless = true // reported once
	return &loss{cost: j.config.Cost.Less, confidence: j.config.Confidence.Unknown, what: a.Loses, of: a.Targets, why: "the setting was not read first"}
}
