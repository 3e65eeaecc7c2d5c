package guard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// files judges an act on files by the worst of its places.
func (j *Judge) files(e *destruct.Effect, facts Facts) *Finding {
	var worst *Finding
	for i := range e.Places {
		f := j.place(e, &e.Places[i], facts)
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
	return worst
}

// place judges one target.
func (j *Judge) place(e *destruct.Effect, p *destruct.Place, facts Facts) *Finding {
	if p.Unknown() {
		return j.unknown(e, facts)
	}
	where := root(facts, p.Path)
	switch {
	case where == "":
		return j.outside(e, p, facts)
	case e.Roots:
		return nil
	case e.Search != nil && p.Pattern:
		whole := *p
		whole.Path = path.Dir(p.Path[:strings.IndexAny(p.Path, "*?[")] + "x")
		return j.searched(e, &whole, where, facts)
	case e.Search != nil:
		return j.searched(e, p, where, facts)
	case e.Rule == "git-worktree-remove":
		return j.inside(e, where, facts, func(*WorkFile) bool { return true })
	case p.Path == where && e.Recursive && !e.Overwrites:
		return &Finding{Decision: Deny, Says: " destroys the repository with its history", Instead: "Name the files that you made."}
	case e.Overwrites && !e.Empties && besideGit(p.Path, where):
		return kept(p)
	case repository(p.Path, where) && !slices.Contains(j.config.Locks, path.Base(p.Path)):
		return &Finding{Decision: Deny, Says: " destroys what Git keeps of the repository (" + quote.Path(p.Path) + ")", Instead: "Leave .git to Git."}
	}
	return worse(j.holds(e, p, facts), j.inside(e, where, facts, func(f *WorkFile) bool { return covers(e, p, f.Path) }))
}

// holds judges the deletion of a workspace folder that contains another worktree of the
// repository.
func (j *Judge) holds(e *destruct.Effect, p *destruct.Place, facts Facts) *Finding {
	if !e.Recursive || e.Overwrites || e.Kind != destruct.Files {
		return nil
	}
	for _, r := range facts.Roots() {
		for _, w := range facts.Worktrees(r) {
			if root(facts, path.Dir(w)) != "" && covers(e, p, w) {
				return j.removed(&destruct.Place{Path: w}, facts)
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
func kept(p *destruct.Place) *Finding {
	if !p.Entry.Known || !p.Entry.Exists || p.Entry.Folder {
		return nil
	}
	return &Finding{Decision: Warn, Says: " replaces " + quote.Path(p.Path) + ", of which Git keeps no copy", Instead: "Copy it first."}
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
		if matched, err := path.Match(flat.Replace(p.Path), flat.Replace(file)); matched || err != nil {
			return true
		}
	}
	for name := file; len(name) > 1; name = path.Dir(name) {
		if matched, err := path.Match(strings.ReplaceAll(p.Path, "**", "*"), name); matched || err != nil {
			return name == file || deep || err != nil
		}
	}
	return false
}

// inside judges what would be lost in the workspace.
func (j *Judge) inside(e *destruct.Effect, where string, facts Facts, about func(*WorkFile) bool) *Finding {
	work := facts.Work(where)
	if work.Unknown != "" {
		return j.blind(e, &work, where, facts)
	}
	var gone []WorkFile
	for i := range work.Files {
		if about(&work.Files[i]) {
			gone = append(gone, work.Files[i])
		}
	}
	if f := j.loss(e, gone, &work); f != nil {
		return f
	}
	return j.unshown(e, &work, facts)
}

// unshown judges a file that Git seldom holds if ignored files were not listed.
func (j *Judge) unshown(e *destruct.Effect, work *Work, facts Facts) *Finding {
	if !work.NoIgnored || e.Kind != destruct.Files || e.Quiet {
		return nil
	}
	for i := range e.Places {
		p := &e.Places[i]
		if made, _ := facts.Knows(p.Path); !made && !p.Pattern && j.reader.Precious(p.Path) {
			return &Finding{Decision: Warn, Place: p.Path, Says: " destroys " + quote.Path(p.Path) + ", which Git seldom holds", Instead: "Copy it first."}
		}
	}
	return nil
}

// blind judges an act on files whose commit state is unknown.
func (j *Judge) blind(e *destruct.Effect, work *Work, where string, facts Facts) *Finding {
	precious := slices.ContainsFunc(e.Targets, j.reader.Precious)
	if e.Quiet || !e.Whole && !precious {
		return j.untouched(e, facts)
	}
	return &Finding{Decision: Warn, Snapshot: where, Says: ": what is not committed there is not known, " + work.Unknown, Instead: "Look with git status first."}
}

// untouched judges what is deleted or emptied if its commit state is unknown: a folder
// that the session neither created nor looked into, and that no build recreates; or a
// file that it did not create.
func (j *Judge) untouched(e *destruct.Effect, facts Facts) *Finding {
	if e.Kind != destruct.Files || e.Search != nil || e.Overwrites && !e.Empties || !e.Recursive && !e.Empties {
		return nil
	}
	for i := range e.Places {
		p := &e.Places[i]
		if p.Unknown() || p.Pattern || p.Entry.Known && !p.Entry.Exists || j.reader.Rebuilt(p.Path) || j.reader.Temporary(p.Text) {
			continue
		}
		made, looked := facts.Knows(p.Path)
		switch {
		case made:
		case e.Empties && p.Entry.Exists && !p.Entry.Folder:
			return &Finding{Decision: Warn, Place: p.Path, Says: " empties " + quote.Path(p.Path) + ", which this session did not make", Instead: "Copy it first."}
		case !e.Empties && !looked && (!p.Entry.Known || p.Entry.Folder):
			return &Finding{Decision: Warn, Place: p.Path, Says: " destroys " + quote.Path(p.Path) + ", which this session neither made nor looked into", Instead: "Look into it first."}
		}
	}
	return nil
}

// loss judges the files that would be lost in an act.
func (j *Judge) loss(e *destruct.Effect, gone []WorkFile, work *Work) *Finding {
	if len(gone) == 0 {
		return nil
	}
	others := foreign(gone, work)
	switch {
	case e.Overwrites && !e.Empties:
		byTool := e.Rule == destruct.WriteRule || e.Rule == destruct.EditRule // which shows what it changes
		others = slices.DeleteFunc(others, func(f WorkFile) bool { return f.Kept || byTool && !f.Before && f.Session == "" })
		if len(others) == 0 {
			return nil
		}
		if f := j.unkept(e, others); f != nil {
			return f
		}
		return &Finding{Decision: Keep, Lost: others, Snapshot: work.Root, Says: " writes over work that this session did not do: " + j.names(others), Instead: "A snapshot holds it."}
	case len(others) > 0:
		return j.refused(e, others, work)
	case e.Kind == destruct.Files:
		return nil
	case e.Weight == destruct.Aside:
		return nil
	}
	return &Finding{
		Decision: Warn, Lost: gone, Snapshot: work.Root,
		Says: " discards " + text.Count(len(gone), "file") + " not committed (" + j.names(gone) + ")", Instead: "Nobody else is at work there.",
	}
}

// unkept judges overwriting an ignored file that cannot be recreated: a snapshot never
// contains it, since its content may be secret. A tool shows what it changes.
func (j *Judge) unkept(e *destruct.Effect, others []WorkFile) *Finding {
	ignored := slices.DeleteFunc(slices.Clone(others), func(f WorkFile) bool { return !f.Ignored })
	if len(ignored) == 0 || e.Rule == destruct.EditRule {
		return nil
	}
	name := path.Base(ignored[0].Path)
	f := &Finding{Decision: Deny, Lost: ignored, Says: " writes over " + j.names(ignored) + ", which Git ignores and no snapshot holds", Instead: "Copy it first, on the same line: cp " + quote.Path(name) + " " + quote.Path(name+".bak") + "."}
	if e.Rule == destruct.WriteRule {
		f.Decision = Warn
	}
	return f
}

// refused judges the loss of another's work. If the owner is unknown and no other session
// is working there, it is a warning; what is moved aside is not lost.
func (j *Judge) refused(e *destruct.Effect, others []WorkFile, work *Work) *Finding {
	f := &Finding{Decision: Deny, Lost: others, Snapshot: work.Root, Instead: "Name only your own files, or ask the person."}
	f.Says = " would destroy work that this session did not do: " + j.names(others)
	sessions := slices.ContainsFunc(others, func(f WorkFile) bool { return f.Session != "" })
	known := sessions || slices.ContainsFunc(others, func(f WorkFile) bool { return f.Before })
	switch {
	case e.Weight == destruct.Aside && !sessions:
		return nil
	case e.Weight == destruct.Aside:
		f.Says = " would put away work that this session did not do: " + j.names(others)
	case !known && (len(work.Others) == 0 || e.Kind == destruct.Files):
		f.Decision = Warn
	}
	return f
}

// unknown judges an act on files that only the shell can determine (GD-4).
func (j *Judge) unknown(e *destruct.Effect, facts Facts) *Finding {
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
			Says: " destroys what only the shell knows, and work of somebody else is not committed here: " + j.names(others), Instead: "Name the files.",
		}
	case len(work.Files) > 0:
		return &Finding{Decision: Keep, Lost: others, Snapshot: work.Root, Says: " destroys what only the shell knows", Instead: "A snapshot holds what is not committed here."}
	}
	return nil
}

// searched judges what find deletes below a folder of the workspace.
func (j *Judge) searched(e *destruct.Effect, p *destruct.Place, where string, facts Facts) *Finding {
	chooses := func(file string) bool {
		if e.Search.Chooses(p.Path, file, false) {
			return true
		}
		for folder := path.Dir(file); e.Recursive && e.Rule != "find-delete" && within(folder, p.Path); folder = path.Dir(folder) {
			if e.Search.Chooses(p.Path, folder, true) {
				return true
			}
		}
		return false
	}
	for _, name := range []string{".git/HEAD", ".git/config", ".git/refs/heads/main"} {
		if file := path.Join(where, name); within(file, p.Path) && chooses(file) {
			return &Finding{Decision: Deny, Says: " destroys what Git keeps of the repository", Instead: "Leave out .git, and name the files."}
		}
	}
	return j.inside(e, where, facts, func(f *WorkFile) bool { return within(f.Path, p.Path) && chooses(f.Path) })
}

// worktree judges what discards uncommitted changes.
func (j *Judge) worktree(e *destruct.Effect, facts Facts) *Finding {
	if e.At == "" && e.Perhaps {
		return nil
	}
	if e.At == "" {
		return j.unknown(e, facts)
	}
	work := facts.Work(e.At)
	if work.Unknown != "" {
		if root(facts, e.At) == "" || e.Perhaps {
			return nil // not a known repository
		}
		return j.blind(e, &work, e.At, facts)
	}
	gone := lost(e, &work, e.At)
	if root(facts, e.At) == "" && !j.reader.TemporaryPlace(e.At, facts) {
		gone = slices.DeleteFunc(gone, func(f WorkFile) bool { return f.Own })
		if len(gone) == 0 {
			return nil
		}
		return &Finding{Decision: Deny, Lost: gone, Place: work.Root, Says: " destroys work in " + quote.Path(work.Root) + ", which is not this workspace", Instead: "Leave it, or ask the person."}
	}
	if root(facts, e.At) == "" {
		return nil
	}
	if f := j.loss(e, gone, &work); f != nil || !e.Moves {
		return f
	}
	return dropped(e, facts)
}

// dropped judges moving a branch to another commit: the commits after it may be on no
// other branch.
func dropped(e *destruct.Effect, facts Facts) *Finding {
	f := &Finding{Decision: Warn, Says: " drops commits that no other branch and no remote holds", Instead: "Make a branch of them first; git reflog names them."}
	switch b := facts.Branch(e.At, "HEAD"); {
	case b.Own || b.Known && !b.Alone:
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
		case e.Tracked && (f.Untracked || f.Ignored), e.Untracked && !f.Untracked && !f.Ignored, f.Ignored && !e.Ignored:
			continue
		case f.Untracked && e.Weight == destruct.Aside:
			continue // without -u, a stash leaves new files alone
		}
		if e.Whole && (!e.Untracked && !e.Takes || within(f.Path, at)) || slices.ContainsFunc(e.Places, func(p destruct.Place) bool { return p.Unknown() || covers(e, &p, f.Path) }) {
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

// names lists some files and their owners.
func (j *Judge) names(files []WorkFile) string {
	var out []string
	for _, f := range files[:min(len(files), j.config.Named)] {
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
