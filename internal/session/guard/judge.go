package guard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// Judge returns the verdict on the effects of a command line. Asked reports whether a
// person asked for an act (JD-30); it is nil without messages.
func (j *Judge) Judge(effects []destruct.Effect, facts Facts, asked func(*destruct.Act) bool) Verdict {
	v := Verdict{Decision: Allow}
	for i := range effects {
		e := &effects[i]
		if e.Elsewhere && e.Kind != destruct.Data || slices.Contains(j.config.Silent, e.Rule) && !e.Whole {
			continue
		}
		f := trial{j, e, facts}.one()
		if f == nil {
			continue
		}
		f.Effect = e
		j.moded(f, facts)
		if f.Decision == Allow && !f.Observed {
			continue
		}
		if f.Decision.Stricter(Keep) && asked != nil && asked(&e.Act) {
			f.Asked, f.Before = true, f.Decision
			if f.Decision = Allow; f.Snapshot != "" {
				f.Decision = Keep
			}
		}
		if f.Decision.Stricter(v.Decision) {
			v.Decision = f.Decision
		}
		v.Findings = append(v.Findings, *f)
	}
	return v
}

// moded applies the mode of the effect's pack.
func (j *Judge) moded(f *Finding, facts Facts) {
	switch mode := facts.Packs().Over(f.Effect.Pack, j.config.Mode(f.Effect.Pack)); {
	case mode == ModeOff:
		f.Decision = Allow
	case mode == ModeObserve:
		f.Observed, f.Before, f.Decision = true, f.Decision, Allow
	case mode == ModeWarn && f.Decision == Deny && !(f.Effect.Pack != "core" && j.production(f.Effect)):
		f.Decision = Warn
	case mode == ModeDeny && f.Decision == Warn && f.Effect.Pack != "core":
		f.Decision = Deny
	}
}

// production reports whether a command bears a mark of a production system.
func (j *Judge) production(e *destruct.Effect) bool {
	words := strings.FieldsFunc(strings.ToLower(e.Line), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(j.config.Production, w) })
}

// trial is one effect of a command line, judged by the facts of the workspace.
type trial struct {
	*Judge
	e     *destruct.Effect
	facts Facts
}

// one returns the finding about the effect, nil if there is nothing to report.
func (t trial) one() *Finding {
	e, facts := t.e, t.facts
	switch {
	case e.Changes, (e.Takes || e.Unstages) && root(facts, e.At) == "":
		return t.elsewhere()
	case e.Takes:
		return t.takes()
	case e.Unstages:
		return t.unstages()
	case e.Rule == "git-abort" && !underway(e, facts):
		return nil
	case e.Rule == "git-stash-drop" || e.Rule == "git-stash-pop":
		return t.stash()
	case e.Kind == destruct.Worktree:
		return t.worktree()
	case e.Kind == destruct.Files:
		return t.files()
	case e.Kind == destruct.Branches:
		return t.branches()
	case e.Rule == "git-push-force":
		return t.push()
	case e.Kind == destruct.Processes:
		return t.processes()
	case (e.Kind == destruct.Data || e.Kind == destruct.Infrastructure) && own(e, facts):
		return nil
	case slices.Contains(t.config.Deny, e.Rule):
		return &Finding{Decision: Deny, Says: " destroys " + subject(e), Instead: back(e)}
	case e.Pack == "data" || e.Pack == "infra":
		return &Finding{
			Decision: Deny, Says: " destroys " + subject(e) + ", which is not in this workspace", Instead: back(e),
		}
	case e.Pack == "hijack" || e.Pack == "secrets":
		return &Finding{Decision: Warn, Says: " " + e.Loses, Instead: e.Back}
	}
	return &Finding{Decision: Warn, Says: " destroys " + subject(e), Instead: back(e)}
}

// own reports whether the session created what an act is about: infrastructure of any
// name, data under these names.
func own(e *destruct.Effect, facts Facts) bool {
	if e.Kind == destruct.Infrastructure {
		return facts.Has(destruct.Thing{Kind: e.Kind})
	}
	return len(e.Targets) > 0 && !slices.ContainsFunc(e.Targets, func(t string) bool {
		return !facts.Has(destruct.Thing{Kind: e.Kind, Name: t})
	})
}

// operations maps a merge and similar operations to the files Git keeps while they are in
// progress.
var operations = map[string][]string{
	"merge": {"MERGE_HEAD"}, "rebase": {"rebase-merge", "rebase-apply"}, "am": {"rebase-apply"},
	"cherry-pick": {"CHERRY_PICK_HEAD"}, "revert": {"REVERT_HEAD"},
}

// underway reports whether there is anything to abort, as far as is known.
func underway(e *destruct.Effect, facts Facts) bool {
	where := root(facts, e.At)
	if where == "" || !facts.Entry(path.Join(where, ".git")).Folder {
		return true
	}
	for word, marks := range operations {
		if strings.Contains(e.Command+" ", " "+word+" ") {
			return slices.ContainsFunc(marks, func(m string) bool {
				entry := facts.Entry(path.Join(where, ".git", m))
				return !entry.Known || entry.Exists
			})
		}
	}
	return true
}

// subject describes what an act destroys, with the names given in the command line.
func subject(e *destruct.Effect) string {
	if len(e.Targets) == 0 {
		return e.Loses
	}
	return e.Loses + " (" + quote.Words(strings.Join(e.Targets[:min(len(e.Targets), 2)], ", "), 6) + ")"
}

// back describes how to undo the act, or the alternative if it cannot be undone.
func back(e *destruct.Effect) string {
	if e.Back != "" {
		return "The way back is " + e.Back + "; ask the person first."
	}
	return "Nothing brings that back: ask the person first."
}

// processes judges ending processes by name; those that the session started are its own.
func (t trial) processes() *Finding {
	e, facts := t.e, t.facts
	if len(e.Targets) > 0 && !slices.ContainsFunc(e.Targets, func(t string) bool { return !facts.Started(t) }) {
		return nil
	}
	instead := "End yours by its process id."
	if e.Rule == "service-stop" {
		instead = "If you need it stopped, start it again afterwards, and tell the person."
	}
	return &Finding{
		Decision: Warn, Says: " ends " + subject(e) + ", which this session did not start", Instead: instead,
	}
}

// push judges a push that replaces commits: the checked-out branch is the session's own
// unless others build on it.
func (t trial) push() *Finding {
	e, facts := t.e, t.facts
	current := facts.Current(e.At)
	branches := e.Targets
	if len(branches) == 0 && !e.Whole {
		branches = []string{current}
	}
	for _, b := range branches {
		name := path.Base(strings.TrimPrefix(b, "refs/heads/"))
		if b == "HEAD" {
			b, name = current, current
		}
		if t.reader.Shared(b) || t.reader.Shared(name) {
			return &Finding{
				Decision: Deny, Says: " replaces commits of " + quote.Path(b) + ", on which others build",
				Instead: "Push a branch of your own, or ask the person.",
			}
		}
		if b == "" || b != current && !facts.Branch(e.At, b).Own {
			return &Finding{
				Decision: Warn, Says: " replaces commits on the remote",
				Instead: "Use --force-with-lease on your own branch.",
			}
		}
	}
	if e.Whole {
		return &Finding{
			Decision: Deny, Says: " replaces every branch of the remote",
			Instead: "Push the branches that you changed.",
		}
	}
	return nil
}

// branches judges the deletion of branches, which is allowed if their commits are
// elsewhere too.
func (t trial) branches() *Finding {
	e, facts := t.e, t.facts
	if e.Rule == "git-push-delete" {
		for _, branch := range e.Targets {
			if t.reader.Shared(branch) {
				return &Finding{
					Decision: Deny, Says: " deletes " + quote.Path(branch) + " on the remote, on which others build",
					Instead: "Ask the person.",
				}
			}
		}
		return &Finding{Decision: Warn, Says: " deletes " + subject(e), Instead: "Say why, and leave it to the person."}
	}
	worst := (*Finding)(nil)
	if e.Open {
		worst = &Finding{
			Decision: Warn, Says: " deletes the branches that another command names, merged or not",
			Instead: "Use git branch -d, which looks.",
		}
	}
	for _, t := range e.Targets {
		name := strings.TrimPrefix(t, "refs/heads/")
		b := facts.Branch(e.At, name)
		switch {
		case t == "refs/stash":
			return &Finding{Decision: Deny, Says: " destroys every stash", Instead: "Ask the person."}
		case b.Own || b.Known && b.Exists && !b.Alone:
		case b.Known && b.Exists:
			return &Finding{
				Decision: Deny, Says: " destroys commits of " + quote.Path(name) + " that no other branch holds",
				Instead: "Merge it first, or ask the person.",
			}
		default:
			worst = &Finding{
				Decision: Warn, Says: " deletes " + quote.Path(name) + ", and nobody knows whether it was merged",
				Instead: "Use git branch -d, which looks.",
			}
		}
	}
	return worst
}

// stash judges the removal of stashes, which all worktrees share.
func (t trial) stash() *Finding {
	e, facts := t.e, t.facts
	list, known := facts.Stashes(e.At)
	if !known {
		return &Finding{
			Decision: Deny, Says: " destroys a stash, and nobody knows whose",
			Instead: "Use git stash apply, which keeps it.",
		}
	}
	chosen := list[:min(1, len(list))]
	if e.Whole {
		chosen = list
	} else if len(e.Targets) > 0 {
		at, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(e.Targets[0], "stash@{"), "}"))
		if err != nil || at < 0 || at >= len(list) {
			return nil // Git has no stash with that number
		}
		chosen = list[at : at+1]
	}
	pops := e.Rule == "git-stash-pop"
	for _, s := range chosen {
		switch {
		case s.Own:
		case pops && !s.Elsewhere:
			return &Finding{
				Decision: Warn, Says: " takes a stash of the person away",
				Instead: "Use git stash apply, which keeps it.",
			}
		case s.Elsewhere:
			return &Finding{
				Decision: Deny, Says: " takes away a stash of another worktree (branch " + quote.Path(s.Branch) + ")",
				Instead: "Leave it; stashes are shared by all worktrees.",
			}
		default:
			return &Finding{
				Decision: Deny, Says: " destroys a stash that this session did not make",
				Instead: "Use git stash apply, which keeps it, or ask the person.",
			}
		}
	}
	return nil
}

// takes judges staging or committing files that the person had changed before.
func (t trial) takes() *Finding {
	e := t.e
	work := t.work()
	if work.Unknown != "" {
		return nil
	}
	var others []WorkFile
	for _, f := range lost(e, &work, e.At) {
		if !f.Ignored && !f.Own && (f.Before || f.Session != "") {
			others = append(others, f)
		}
	}
	if len(others) == 0 {
		return nil
	}
	f := &Finding{
		Decision: Warn, Lost: others, Says: " takes in files that this session did not change: " + listing(t, others),
		Instead: "Name your own files.",
	}
	if slices.ContainsFunc(others, func(f WorkFile) bool { return f.Staged }) {
		f.Snapshot = work.Root
	}
	return f
}

// unstages judges dropping a staged version that no file contains, so that only the index
// has it.
func (t trial) unstages() *Finding {
	e := t.e
	work := t.work()
	if work.Unknown != "" {
		return nil
	}
	others := slices.DeleteFunc(foreign(lost(e, &work, e.At), &work), func(f WorkFile) bool {
		return !f.Staged || f.Kept
	})
	if len(others) == 0 {
		return nil
	}
	return &Finding{
		Decision: Keep, Lost: others, Snapshot: work.Root,
		Says:    " drops a staged version that this session did not stage: " + listing(t, others),
		Instead: "A snapshot holds it.",
	}
}
