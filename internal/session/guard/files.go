package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// files judges an act on files by the worst of its places.
func (t trial) files() *Finding {
	e := t.e
	var worst *Finding
	for i := range e.Places {
		f := t.place(&e.Places[i])
		if f == nil {
			continue
		}
		if f.Place == "" {
			f.Place = e.Places[i].Path
		}
		if worst == nil || f.Decision.Stricter(worst.Decision) {
			worst = f
		}
	}
	return t.whole(worst)
}

// whole names what would be lost in all places of an act, where the worst place names only its own: who reads
// of one file only goes on to destroy the next.
func (t trial) whole(worst *Finding) *Finding {
	e := t.e
	if worst == nil || len(worst.Lost) == 0 || len(e.Places) < 2 || e.Search != nil {
		return worst
	}
	where := root(t.facts, worst.Place)
	all := t.inside(where, only(e, where), func(f *WorkFile) bool {
		return slices.ContainsFunc(e.Places, func(p destruct.Place) bool {
			return !p.Unknown() && covers(e, &p, f.Path)
		})
	})
	if all == nil || all.Decision != worst.Decision || len(all.Lost) <= len(worst.Lost) {
		return worst
	}
	all.Place = worst.Place
	return all
}

// place judges one target.
func (t trial) place(p *destruct.Place) *Finding {
	e, facts := t.e, t.facts
	if p.Unknown() {
		return t.unknown()
	}
	where := root(facts, p.Path)
	switch {
	case where == "":
		return place{t, p}.outside()
	case e.Roots:
		return nil
	case e.Search != nil && p.Pattern:
		whole := *p
		whole.Path = path.Dir(p.Path[:strings.IndexAny(p.Path, "*?[")] + "x")
		return t.searched(&whole, where)
	case e.Search != nil:
		return t.searched(p, where)
	case e.Rule == "git-worktree-remove":
		return t.inside(where, nil, func(*WorkFile) bool { return true })
	case p.Path == where && e.Recursive && !e.Overwrites:
		return &Finding{
			Decision: Deny, Says: " destroys the repository with its history", Instead: "Name the files that you made.",
		}
	case e.Overwrites && !e.Empties && besideGit(p.Path, where):
		return t.kept(p)
	case repository(p.Path, where) && !slices.Contains(t.config.Locks, path.Base(p.Path)),
		p.Pattern && e.Recursive && strings.HasPrefix(path.Base(p.Path), ".") &&
			destruct.Matches(p.Path, path.Join(where, ".git")):
		return &Finding{
			Decision: Deny, Says: " destroys what Git keeps of the repository (" + shown(t, p.Path) + ")",
			Instead: "Leave .git to Git.",
		}
	}
	return worse(t.holds(p), t.inside(where, only(e, where), func(f *WorkFile) bool { return covers(e, p, f.Path) }))
}

// mostOnly limits the places that Git is asked about by name.
const mostOnly = 64

// only returns the files and folders below where that an act can affect, nil for all: those of its places, up to the
// first part that is a pattern.
func only(e *destruct.Effect, where string) (list []string) {
	for i := range e.Places {
		p := &e.Places[i]
		name := p.Path
		if at := strings.IndexAny(name, "*?[{"); p.Pattern && at >= 0 {
			name = path.Dir(name[:at] + "x")
		}
		switch {
		case len(list) == mostOnly, within(where, name):
			return nil
		case e.Kind != destruct.Files && !within(name, where): // unknown, or elsewhere in Git's worktree
			return nil
		case within(name, where) && !slices.Contains(list, name):
			list = append(list, name)
		}
	}
	return list
}

// holds judges the deletion of a workspace folder that contains another worktree of the
// repository.
func (t trial) holds(p *destruct.Place) *Finding {
	e, facts := t.e, t.facts
	if !e.Recursive || e.Overwrites || e.Kind != destruct.Files {
		return nil
	}
	for _, r := range facts.Roots() {
		for _, w := range facts.Worktrees(r) {
			if root(facts, path.Dir(w)) != "" && covers(e, p, w) {
				return place{t, &destruct.Place{Path: w}}.removed()
			}
		}
	}
	return nil
}

// worse returns the stricter of two findings.
func worse(a, b *Finding) *Finding {
	if a == nil || b != nil && b.Decision.Stricter(a.Decision) {
		return b
	}
	return a
}

// besideGit reports whether a path is in a folder of a repository that Git itself does
// not use, so that a person or a program keeps something there.
func besideGit(name, root string) bool {
	parts := strings.Split(strings.TrimPrefix(name, root), "/")
	for k := 1; k < len(parts); k++ {
		if strings.HasSuffix(parts[k-1], ".git") && (parts[k] == "hooks" || parts[k] == "info") {
			return true
		}
	}
	return false
}

// kept judges overwriting a file in such a folder.
func (t trial) kept(p *destruct.Place) *Finding {
	if !p.Entry.Known || !p.Entry.Exists || p.Entry.Folder {
		return nil
	}
	return &Finding{
		Decision: Warn, Says: " replaces " + shown(t, p.Path) + ", of which Git keeps no copy",
		Instead: "Copy it first.",
	}
}

// repository reports whether a path belongs to Git's own files.
func repository(name, root string) bool {
	parts := strings.Split(strings.TrimPrefix(name, root), "/")
	return slices.ContainsFunc(parts, func(p string) bool {
		return p == ".git" || strings.HasSuffix(p, ".git") && len(p) > len(".git") && p != parts[len(parts)-1]
	})
}

// covers reports whether an act on a place affects a file.
func covers(e *destruct.Effect, p *destruct.Place, file string) bool {
	deep := e.Recursive || e.Kind == destruct.Worktree
	if !p.Pattern {
		return p.Path == file || deep && within(file, p.Path)
	}
	if e.Kind == destruct.Worktree { // a star in a Git pathspec matches across folders
		flat := strings.NewReplacer("/", "\x01")
		if destruct.Matches(flat.Replace(p.Path), flat.Replace(file)) {
			return true
		}
	}
	for name := file; len(name) > 1; name = path.Dir(name) {
		if destruct.Matches(strings.ReplaceAll(p.Path, "**", "*"), name) {
			return name == file || deep
		}
	}
	return false
}

// inside judges what would be lost in the workspace.
func (t trial) inside(where string, only []string, about func(*WorkFile) bool) *Finding {
	work := t.facts.Work(where, only...)
	if work.Unknown != "" {
		return t.blind(&work, where)
	}
	var gone []WorkFile
	for i := range work.Files {
		if about(&work.Files[i]) {
			gone = append(gone, work.Files[i])
		}
	}
	if f := t.loss(gone, &work); f != nil {
		return f
	}
	return t.unshown(&work)
}

// unshown judges a file that Git seldom holds if ignored files were not listed.
func (t trial) unshown(work *Work) *Finding {
	e := t.e
	if !work.NoIgnored || e.Kind != destruct.Files || e.Quiet {
		return nil
	}
	if place := precious(t.reader, e, t.facts); place != "" {
		return &Finding{
			Decision: Warn, Place: place, Says: " destroys " + shown(t, place) + ", which Git seldom holds",
			Instead: "Copy it first.",
		}
	}
	return nil
}

// blind judges an act on files whose commit state is unknown.
func (t trial) blind(work *Work, where string) *Finding {
	e, facts := t.e, t.facts
	place := precious(t.reader, e, facts)
	if e.Quiet || !e.Whole && place == "" {
		return t.late(t.untouched(work), work)
	}
	return t.late(&Finding{
		Decision: Warn, Snapshot: where, Place: place,
		Says: ": what is not committed there is not known, " + work.Unknown, Instead: "Look with git status first.",
	}, work)
}

// late makes a warning a denial where Git has something to say but was too slow, and what the act destroys cannot come
// back: all changes of a worktree, or a folder with all that is in it (GD-4). A snapshot would be too slow there as
// well.
func (t trial) late(f *Finding, work *Work) *Finding {
	e := t.e
	deletes := e.Kind == destruct.Files && e.Recursive && !e.Overwrites
	discards := e.Kind == destruct.Worktree && e.Whole && e.Weight != destruct.Aside
	if f == nil || !work.Late || !deletes && !discards {
		return f
	}
	f.Decision = Deny
	f.Instead = "Run git status, commit or put away what it shows, and try again; or ask the person."
	return f
}

// precious returns a place of an act that Git seldom holds and that the session did not make; "" for none.
func precious(r *destruct.Reader, e *destruct.Effect, facts Facts) string {
	for i := range e.Places {
		p := &e.Places[i]
		gone := p.Entry.Known && !p.Entry.Exists
		if made, _ := facts.Knows(p.Path); !made && !gone && !p.Pattern && !p.Unknown() && r.Precious(p.Path) {
			return p.Path
		}
	}
	return ""
}

// untouched judges what is deleted or emptied if its commit state is unknown: a folder
// that the session neither created nor looked into, and that no build recreates; or a
// file that it did not create, of which Git was too slow to say whether it is committed
// or which is emptied.
func (t trial) untouched(work *Work) *Finding {
	e, facts := t.e, t.facts
	if e.Kind != destruct.Files || e.Search != nil || e.Overwrites && !e.Empties ||
		!e.Recursive && !e.Empties && !work.Late {
		return nil
	}
	for i := range e.Places {
		p := &e.Places[i]
		if p.Unknown() || p.Pattern || p.Entry.Known && !p.Entry.Exists ||
			t.reader.Rebuilt(p.Path) || t.reader.Temporary(p.Text) {
			continue
		}
		made, looked := facts.Knows(p.Path)
		switch {
		case made:
		case e.Empties && p.Entry.Exists && !p.Entry.Folder:
			return &Finding{
				Decision: Warn, Place: p.Path,
				Says: " empties " + shown(t, p.Path) + ", which this session did not make", Instead: "Copy it first.",
			}
		case work.Late && p.Entry.Exists && !p.Entry.Folder:
			return &Finding{
				Decision: Warn, Place: p.Path, Instead: "Look with git status first.",
				Says: " destroys " + shown(t, p.Path) +
					", which this session did not make and which may not be committed: " + work.Unknown,
			}
		case !e.Empties && !looked && (!p.Entry.Known || p.Entry.Folder):
			return &Finding{
				Decision: Warn, Place: p.Path,
				Says:    " destroys " + shown(t, p.Path) + ", which this session neither made nor looked into",
				Instead: "Look into it first.",
			}
		}
	}
	return nil
}

// loss judges the files that would be lost in an act.
func (t trial) loss(gone []WorkFile, work *Work) *Finding {
	e := t.e
	if len(gone) == 0 {
		return nil
	}
	others := foreign(gone, work)
	switch {
	case e.Overwrites && !e.Empties:
		byTool := e.Rule == destruct.WriteRule || e.Rule == destruct.EditRule // which shows what it changes
		others = slices.DeleteFunc(others, func(f WorkFile) bool {
			return f.Kept || byTool && !f.Before && f.Session == ""
		})
		if len(others) == 0 {
			return nil
		}
		if f := t.unkept(others); f != nil {
			return f
		}
		return &Finding{
			Decision: Keep, Lost: others, Snapshot: work.Root,
			Says:    " writes over work that this session did not do: " + listing(t, others),
			Instead: "A snapshot holds it.",
		}
	case len(others) > 0:
		return t.refused(others, work)
	case e.Kind == destruct.Files:
		return nil
	case e.Weight == destruct.Aside:
		return nil
	}
	return &Finding{
		Decision: Warn, Lost: gone, Snapshot: work.Root,
		Says:    " discards " + text.Count(len(gone), "file") + " not committed (" + listing(t, gone) + ")",
		Instead: "Nobody else is at work there.",
	}
}

// unkept judges overwriting an ignored file that cannot be recreated: a snapshot never
// contains it, since its content may be secret. A tool shows what it changes.
func (t trial) unkept(others []WorkFile) *Finding {
	ignored := slices.DeleteFunc(slices.Clone(others), func(f WorkFile) bool { return !f.Ignored })
	if len(ignored) == 0 || t.e.Rule == destruct.EditRule {
		return nil
	}
	name, _ := strings.CutPrefix(ignored[0].Path, t.e.At+"/")
	f := &Finding{
		Decision: Deny, Lost: ignored,
		Says:    " writes over " + listing(t, ignored) + ", which Git ignores and no snapshot holds",
		Instead: "Copy it first, on the same line: cp " + quote.Path(name) + " " + quote.Path(name+".bak") + ".",
	}
	if t.e.Rule == destruct.WriteRule {
		f.Decision = Warn
	}
	return f
}

// refused judges the loss of another's work. If the owner is unknown and no other session
// is working there, it is a warning; what is moved aside is not lost.
func (t trial) refused(others []WorkFile, work *Work) *Finding {
	e := t.e
	f := &Finding{
		Decision: Deny, Lost: others, Snapshot: work.Root, Instead: "Name only your own files, or ask the person.",
	}
	f.Says = " would destroy work that this session did not do: " + listing(t, others)
	sessions := slices.ContainsFunc(others, func(f WorkFile) bool { return f.Session != "" })
	known := sessions || slices.ContainsFunc(others, func(f WorkFile) bool { return f.Before })
	switch {
	case e.Weight == destruct.Aside && !sessions:
		return nil
	case e.Weight == destruct.Aside:
		f.Says = " would put away work that this session did not do: " + listing(t, others)
	case !known && (len(work.Others) == 0 || e.Kind == destruct.Files):
		f.Decision = Warn
	}
	return f
}

// unknown judges an act on files that only the shell can determine (GD-4).
func (t trial) unknown() *Finding {
	e, facts := t.e, t.facts
	roots := facts.Roots()
	if e.Quiet || e.Roots || len(roots) == 0 {
		return nil
	}
	work := facts.Work(roots[0])
	if work.Unknown != "" {
		return &Finding{Decision: Warn, Says: ": only the shell knows what that is", Instead: "Name the files."}
	}
	others := foreign(work.Files, &work)
	switch {
	case len(others) > 0 && (e.Recursive || e.Force):
		return &Finding{
			Decision: Deny, Lost: others, Snapshot: work.Root,
			Says: " destroys what only the shell knows, and work of somebody else is not committed here: " +
				listing(t, others),
			Instead: "Name the files.",
		}
	case len(work.Files) > 0:
		return &Finding{
			Decision: Keep, Lost: others, Snapshot: work.Root, Says: " destroys what only the shell knows",
			Instead: "A snapshot holds what is not committed here.",
		}
	}
	return nil
}

// searched judges what find deletes below a folder of the workspace.
func (t trial) searched(p *destruct.Place, where string) *Finding {
	e := t.e
	chooses := func(file string) bool {
		if e.Search.Chooses(p.Path, file, false) {
			return true
		}
		byFolder := e.Recursive && e.Rule != "find-delete"
		for folder := path.Dir(file); byFolder && within(folder, p.Path); folder = path.Dir(folder) {
			if e.Search.Chooses(p.Path, folder, true) {
				return true
			}
		}
		return false
	}
	for _, name := range []string{".git/HEAD", ".git/config", ".git/refs/heads/main"} {
		if file := path.Join(where, name); within(file, p.Path) && chooses(file) {
			return &Finding{
				Decision: Deny, Says: " destroys what Git keeps of the repository",
				Instead: "Leave out .git, and name the files.",
			}
		}
	}
	return t.inside(where, only(e, where), func(f *WorkFile) bool { return within(f.Path, p.Path) && chooses(f.Path) })
}

// worktree judges what discards uncommitted changes.
func (t trial) worktree() *Finding {
	e, facts := t.e, t.facts
	if e.At == "" && e.Perhaps {
		return nil
	}
	if e.At == "" {
		return t.unknown()
	}
	work := t.work()
	if work.Unknown != "" {
		if root(facts, e.At) == "" || e.Perhaps {
			return nil // not a known repository
		}
		return t.blind(&work, e.At)
	}
	gone := lost(e, &work, e.At)
	if root(facts, e.At) == "" && !t.reader.TemporaryPlace(e.At, facts) {
		gone = slices.DeleteFunc(gone, func(f WorkFile) bool { return f.Own })
		if len(gone) == 0 {
			return nil
		}
		return &Finding{
			Decision: Deny, Lost: gone, Place: work.Root,
			Says:    " destroys work in " + shown(t, work.Root) + ", which is not this workspace",
			Instead: "Leave it, or ask the person.",
		}
	}
	if root(facts, e.At) == "" {
		return nil
	}
	if f := t.loss(gone, &work); f != nil || !e.Moves {
		return f
	}
	return dropped(e, facts)
}

// work returns the uncommitted work that a Git command can affect.
func (t trial) work() Work {
	e := t.e
	if e.Whole {
		return t.facts.Work(e.At)
	}
	return t.facts.Work(e.At, only(e, root(t.facts, e.At))...)
}

// dropped judges moving a branch to another commit: the commits after it may be on no
// other branch.
func dropped(e *destruct.Effect, facts Facts) *Finding {
	f := &Finding{
		Decision: Warn, Says: " drops commits that no other branch and no remote holds",
		Instead: "Make a branch of them first; git reflog names them.",
	}
	switch b := facts.Branch(e.At, "HEAD"); {
	case e.Kept, b.Own || b.Known && !b.Alone:
		return nil
	case !b.Known:
		f.Says = " drops commits, and nobody looked whether another branch or a remote holds them"
	}
	return f
}

// lost returns the files that would be lost in a Git command.
func lost(e *destruct.Effect, work *Work, at string) []WorkFile {
	var out []WorkFile
	for _, f := range work.Files {
		switch {
		case e.Tracked && (f.Untracked || f.Ignored), e.Untracked && !f.Untracked && !f.Ignored,
			f.Ignored && !e.Ignored:
			continue
		case f.Untracked && e.Weight == destruct.Aside:
			continue // without -u, a stash leaves new files alone
		}
		if e.Whole && (!e.Below && !e.Untracked && !e.Takes || within(f.Path, at)) ||
			slices.ContainsFunc(e.Places, func(p destruct.Place) bool { return p.Unknown() || covers(e, &p, f.Path) }) {
			out = append(out, f)
		}
	}
	return out
}

// foreign returns the files that belong, or may belong, to someone else.
func foreign(files []WorkFile, work *Work) []WorkFile {
	var out []WorkFile
	for _, f := range files {
		if !f.Own && (f.Session != "" || f.Before || work.Unseen || len(work.Others) > 0) {
			out = append(out, f)
		}
	}
	return out
}
