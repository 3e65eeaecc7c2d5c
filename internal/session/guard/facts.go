package guard

import (
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
)

// Facts provides what is known about the place where a command would run. A fact that
// cannot be determined is unknown, never assumed.
type Facts interface {
	destruct.Facts
	// Work returns the uncommitted work in the worktree that a folder belongs to. Only may limit it to some files and
	// folders, given as absolute paths: in a large repository Git answers sooner then. The answer may hold more.
	Work(folder string, only ...string) Work
	// Knows reports whether the session wrote or created a file or folder, or something
	// in it, and whether it has looked into it.
	Knows(name string) (made, looked bool)
	// Has reports whether the session created a thing that is not a file; without a name,
	// any thing of its kind.
	Has(t destruct.Thing) bool
	// Branch returns the facts about a branch of the repository that a folder belongs to;
	// HEAD is the one that is checked out.
	Branch(folder, name string) Branch
	// Current returns the branch that is checked out in a folder, "" if unknown.
	Current(folder string) string
	// Stashes returns the stashes of the repository, the newest first; known reports
	// whether they were listed.
	Stashes(folder string) (list []Stash, known bool)
	// Worktrees returns the other worktrees of the repository.
	Worktrees(folder string) []string
	// Started reports whether the session started a program with this name.
	Started(name string) bool
	// Packs returns the modes of packs that the workspace requests.
	Packs() Packs
	// Wave reports whether the session belongs to a run whose agents have their own
	// worktrees.
	Wave() bool
}

// Work is the uncommitted work in a worktree.
type Work struct {
	// Unknown is the reason why nothing is known, "" if the work is known.
	Unknown string
	// Late means that Git has something to say there, but did not say it in time.
	Late  bool
	Root  string // of the worktree
	Files []WorkFile
	// Unseen is set if the worktree was not observed before the caller's session began,
	// so that what no session wrote may be anyone's.
	Unseen bool
	// Others are other sessions that are working there.
	Others []string
	// NoIgnored is set if ignored files were not listed, so that a file that Git seldom
	// holds may be there.
	NoIgnored bool
}

// WorkFile is a file that is changed, new, or ignored but precious.
type WorkFile struct {
	Path      string // absolute
	Untracked bool
	Ignored   bool
	Staged    bool   // another version of it is staged
	Own       bool   // the caller's session wrote it
	Session   string // another session wrote it
	Before    bool   // it was changed before the caller's session began
	Kept      bool   // a snapshot that was reported to the session contains it
}

// Whose describes whose work a file is.
func (f *WorkFile) Whose() string {
	switch {
	case f.Own:
		return "this session's"
	case f.Session != "":
		return "of session " + f.Session
	case f.Before:
		return "of the person"
	}
	return "of an unknown author"
}

// Branch holds the facts about a branch.
type Branch struct {
	Known, Exists bool
	// Alone reports whether it has commits that are on no other branch and no remote.
	Alone bool
	// Own reports whether the session created it.
	Own bool
}

// Stash is a stash of a repository.
type Stash struct {
	Branch string // that it was created on
	Own    bool   // the session created it
	// Elsewhere reports whether its branch is checked out in another worktree.
	Elsewhere bool
}

// within reports whether a path is a folder or inside it.
func within(name, folder string) bool {
	if name == "" || folder == "" {
		return false
	}
	folder = path.Clean(folder)
	return name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}

// root returns the workspace root that a path is in, "" for a path outside. Another
// worktree of the repository counts as outside even if it is inside (GD-2).
func root(facts Facts, name string) string {
	best := ""
	for _, r := range facts.Roots() {
		if within(name, r) && len(r) > len(best) {
			best = r
		}
	}
	if best == "" || len(worktree(facts, name)) > len(best) {
		return ""
	}
	return best
}

// worktree returns the innermost other worktree of the repository that a path is in, ""
// for none.
func worktree(facts Facts, name string) string {
	best := ""
	for _, r := range facts.Roots() {
		for _, w := range facts.Worktrees(r) {
			if within(name, w) && len(w) > len(best) {
				best = w
			}
		}
	}
	return best
}

// Blind provides facts for a caller that knows only where the command would run.
type Blind struct {
	Workspace string
	Why       string // why nothing else is known
}

// Home is unknown.
func (Blind) Home() string { return "" }

// Roots returns the workspace.
func (b Blind) Roots() []string {
	if b.Workspace == "" {
		return nil
	}
	return []string{b.Workspace}
}

// Entry is unknown.
func (Blind) Entry(string) destruct.Entry { return destruct.Entry{} }

// Script is unknown.
func (Blind) Script(string) (string, bool) { return "", false }

// Work is unknown.
func (b Blind) Work(string, ...string) Work { return Work{Unknown: b.Why} }

// Knows reports that the session made nothing and looked everywhere, so that nothing contradicts the act.
func (Blind) Knows(string) (made, looked bool) { return false, true }

// Has reports false, since nothing is known.
func (Blind) Has(destruct.Thing) bool { return false }

// Branch is unknown.
func (Blind) Branch(string, string) Branch { return Branch{} }

// Current is unknown.
func (Blind) Current(string) string { return "" }

// Stashes are unknown.
func (Blind) Stashes(string) ([]Stash, bool) { return nil, false }

// Worktrees are unknown.
func (Blind) Worktrees(string) []string { return nil }

// Started reports false, since nothing is known about programs.
func (Blind) Started(string) bool { return false }

// Packs returns none: only the operator's modes apply.
func (Blind) Packs() Packs { return nil }

// Wave reports false, since nothing is known about a run.
func (Blind) Wave() bool { return false }
