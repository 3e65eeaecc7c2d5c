package preflight

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RuleDestructive is the detector that judges such an act after it ran.
const RuleDestructive = "E3"

// destructive answers for commands that destroy what somebody may miss (E3): a refusal
// where work of somebody else that is not committed would be lost, or what is not in the
// workspace, else a warning. What the person asked for runs.
func (c *Checker) destructive(call *Call) Answer {
	mode := c.config.Classes.Destructive
	if mode == ModeOff {
		return allowed("")
	}
	block := c.block(call)
	command, _, ok := c.segmenter.Shell(&block)
	if !ok {
		return allowed("")
	}
	acts := c.acts.Read(command).Acts
	if len(acts) == 0 {
		return allowed("")
	}
	answer, snapshot := allowed(""), false
	var work *Work
	for i := range acts {
		a := &acts[i]
		if a.Elsewhere && a.Kind != destruct.Data || slices.Contains(c.config.Destructive.Quiet, a.Rule) && !a.Whole {
			continue
		}
		if work == nil && (a.Kind == destruct.Worktree || a.Kind == destruct.Files) {
			work = look(call, acts)
		}
		one := c.judged(call, a, work, mode)
		snapshot = snapshot || one.Snapshot
		if one.Decision != Allow && c.acts.Asked(call.Said, "", a) {
			one = allowed("the person asked for it")
		}
		if one.Decision != Allow {
			signal := sessionevents.Signal{Detector: RuleDestructive, Class: sessionevents.ClassE, Subject: a.Command}
			if reason, muted := c.dispatch.Muted(&signal, call.Turn, call.At, call.Mutes); muted {
				one = allowed(reason)
			}
		}
		answer = stricter(answer, one)
	}
	answer.Snapshot = snapshot && answer.Decision != Deny
	if answer.Decision == Deny && mode == ModeWarn {
		answer.Decision = Warn
	}
	return c.observed(answer)
}

// look asks the caller what is not committed.
func look(call *Call, acts []destruct.Act) *Work {
	if call.Look == nil {
		return &Work{Unknown: "nobody can see the worktree"}
	}
	work := call.Look(acts)
	return &work
}

// judged is the answer for one act.
func (c *Checker) judged(call *Call, a *destruct.Act, work *Work, mode Mode) Answer {
	switch {
	case a.Kind == destruct.Worktree || a.Kind == destruct.Files:
		return c.files(call, a, work)
	case slices.Contains(c.config.Destructive.Beyond, a.Rule) && a.Weight == destruct.Full:
		return c.answer(a, mode.decision(), " destroys "+subject(a)+", which is not in this workspace", "Say what you need and why, and leave it to the person.")
	}
	back := "Nothing brings that back: ask the person first."
	if a.Back != "" {
		back = "The way back is " + a.Back + "."
	}
	return c.answer(a, Warn, " destroys "+subject(a), back)
}

// subject is what an act destroys, with the names that the line gives.
func subject(a *destruct.Act) string {
	if len(a.Targets) == 0 {
		return a.Loses
	}
	return a.Loses + " (" + quote.Words(strings.Join(a.Targets[:min(len(a.Targets), 2)], ", "), 6) + ")"
}

// answer is an answer about an act.
func (c *Checker) answer(a *destruct.Act, decision Decision, what, instead string) Answer {
	return Answer{
		Decision: decision, Class: ClassDestructive, Rule: RuleDestructive, Begins: a.Shown(),
		Text: c.worded(a.Shown() + what + ". " + instead), Reason: a.Command + what + ".",
	}
}

// files answers for an act on files of the workspace, from what is not committed there.
func (c *Checker) files(call *Call, a *destruct.Act, work *Work) Answer {
	if outside := c.outside(call, a); outside != "" {
		what := ", which is not in this workspace"
		if within(call.Workspace, outside) {
			what = ", which holds this workspace"
		}
		return c.answer(a, Deny, " destroys "+quote.Path(outside)+what, "Leave it, or ask the person.")
	}
	if a.Kind == destruct.Files && slices.ContainsFunc(a.Targets, func(t string) bool { return path.Base(t) == ".git" || t == "." && a.Recursive }) {
		return c.answer(a, Deny, " destroys the repository with its history", "Name the files that you made.")
	}
	if work.Unknown != "" {
		if !a.Whole && !slices.ContainsFunc(a.Targets, c.acts.Precious) {
			return allowed("")
		}
		one := c.answer(a, Warn, ": what is not committed there is not known, "+work.Unknown, "Look with git status first.")
		one.Snapshot = true
		return one
	}
	lost := c.lost(call, a, work)
	if len(lost) == 0 {
		return allowed("")
	}
	if others := foreign(lost, work); len(others) > 0 {
		return c.refused(a, others, work)
	}
	if a.Kind == destruct.Files {
		return allowed("")
	}
	one := c.answer(a, Warn, " discards "+plural(len(lost), "file", "files")+" not committed ("+c.names(lost)+")", "Nobody else is at work there.")
	one.Snapshot = true
	return one
}

// refused is the answer where work of somebody else would be lost. Where nobody knows
// whose it is, and a stash loses nothing, it is a warning.
func (c *Checker) refused(a *destruct.Act, others []WorkFile, work *Work) Answer {
	decision, does := Deny, " would destroy "
	known := slices.ContainsFunc(others, func(f WorkFile) bool { return f.Session != "" || f.Before })
	if a.Weight == destruct.Aside {
		does = " would put away "
	}
	if a.Weight == destruct.Aside && !slices.ContainsFunc(others, func(f WorkFile) bool { return f.Session != "" }) || !known && (len(work.Others) == 0 || a.Kind == destruct.Files) {
		decision = Warn
	}
	one := c.answer(a, decision, does+"work that this session did not do: "+c.names(others), "Name only your own files, or ask the person.")
	one.Snapshot = true
	return one
}

// foreign are the lost files that are somebody else's, or may be.
func foreign(lost []WorkFile, work *Work) []WorkFile {
	var out []WorkFile
	for _, f := range lost {
		if !f.Own && (f.Session != "" || f.Before || work.Unseen || len(work.Others) > 0) {
			out = append(out, f)
		}
	}
	return out
}

// names are some files and whose they are.
func (c *Checker) names(files []WorkFile) string {
	var out []string
	for _, f := range files[:min(len(files), c.config.Destructive.Named)] {
		whose := ""
		switch {
		case f.Own:
		case f.Session != "":
			whose = " of session " + quote.Words(f.Session, 1)
		case f.Before:
			whose = " of the person"
		default:
			whose = " of an unknown author"
		}
		out = append(out, quote.Path(path.Base(f.Path))+whose)
	}
	if more := len(files) - len(out); more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return strings.Join(out, ", ")
}

// lost are the files that an act destroys.
func (c *Checker) lost(call *Call, a *destruct.Act, work *Work) []WorkFile {
	here := under(under(call.Workspace, call.Directory), a.Directory)
	var out []WorkFile
	for _, f := range work.Files {
		switch {
		case a.Tracked && (f.Untracked || f.Ignored), a.Untracked && !f.Untracked && !f.Ignored, f.Ignored && !a.Ignored && a.Kind == destruct.Worktree:
			continue
		case f.Untracked && a.Weight == destruct.Aside:
			continue // without -u a stash leaves new files
		}
		if a.Whole && (a.Kind == destruct.Worktree && !a.Untracked || within(f.Path, here)) || slices.ContainsFunc(a.Targets, func(t string) bool { return covers(here, a, t, f.Path) }) {
			out = append(out, f)
		}
	}
	return out
}

// covers reports whether a target of an act is a file or a folder above it. Targets are
// seen from where the line starts, not from where the act runs.
func covers(here string, a *destruct.Act, target, file string) bool {
	if a.Directory != "" && !path.IsAbs(a.Directory) {
		here = strings.TrimSuffix(here, "/"+path.Clean(a.Directory))
	}
	full := under(here, target)
	if strings.ContainsAny(target, "*?[") {
		matched, err := path.Match(full, file)
		return matched || err == nil && a.Recursive && within(file, path.Dir(full))
	}
	return full == file || (a.Recursive || a.Kind == destruct.Worktree) && within(file, full)
}

// outside is the first target that is not in the workspace, "" for none.
func (c *Checker) outside(call *Call, a *destruct.Act) string {
	for _, t := range a.Targets {
		switch {
		case strings.HasPrefix(t, "~"), t == "..":
			return t
		case !path.IsAbs(t) || call.Workspace == "":
			continue
		}
		if !within(t, call.Workspace) && !within(call.Directory, t) && !c.acts.Temporary(t) {
			return t
		}
		if within(call.Workspace, t) {
			return t
		}
	}
	return ""
}

// written are the files that a call writes, as far as it says.
func (c *Checker) written(call *Call) []string {
	block := c.block(call)
	if _, effects, ok := c.segmenter.Shell(&block); ok {
		var out []string
		for _, a := range effects.Accesses {
			if a.Kind == "write" && a.Target != "" {
				out = append(out, a.Target)
			}
		}
		return out
	}
	return c.segmenter.Edited(&block)
}

// Precious reports whether a file is one that Git seldom holds and nobody can make again.
func (c *Checker) Precious(name string) bool { return c.acts.Precious(name) }
