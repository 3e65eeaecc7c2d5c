package guard

import (
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
)

// Facts are what is known where a command would run. A fact that nobody can tell is unknown, never
// assumed.
type Facts interface {
	destruct.Facts
	// Work is what is not committed in the worktree that a folder is in.
	Work(folder string) Work
	// Knows reports whether the session wrote or made a file or folder, or something in it, and whether
	// it looked into it.
	Knows(name string) (made, looked bool)
	// Has reports whether the session made a thing that is not a file; without a name, any of its kind.
	Has(t destruct.Thing) bool
	// Branch is what is known of a branch of the repository that a folder is in; HEAD is the one that is
	// checked out.
	Branch(folder, name string) Branch
	// Current is the branch that is checked out in a folder, "" if unknown.
	Current(folder string) string
	// Stashes are those of the repository, the newest first; known says that somebody looked.
	Stashes(folder string) (list []Stash, known bool)
	// Worktrees are the other worktrees of the repository.
	Worktrees(folder string) []string
	// Started reports whether the session started a program of a name.
	Started(name string) bool
	// Packs are the modes of packs that the workspace asks for.
	Packs() Packs
	// Wave reports whether the session is one of a run whose agents have worktrees of their own.
	Wave() bool
}

// Work is what is not committed in a worktree.
type Work struct {
	// Unknown is why nothing is known of it, "" if it is known.
	Unknown string
	Root    string // of the worktree
	Files   []WorkFile
	// Unseen: nobody saw the worktree before the caller's session began, so that what no
	// session wrote may be anybody's.
	Unseen bool
	// Others are other sessions that are at work there.
	Others []string
	// NoIgnored: what Git ignores was not shown, so that a file which Git seldom holds may be there.
	NoIgnored bool
}

// WorkFile is a file that is changed, new, or ignored though precious.
type WorkFile struct {
	Path      string // absolute
	Untracked bool
	Ignored   bool
	Staged    bool   // another version of it is staged
	Own       bool   // the caller's session wrote it
	Session   string // another session wrote it
	Before    bool   // it was changed before the caller's session began
	Kept      bool   // a snapshot that was reported to the session holds it
}

// Whose says whose work a file is.
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

// Branch is what is known of a branch.
type Branch struct {
	Known, Exists bool
	// Alone says that it holds commits which no other branch and no remote holds.
	Alone bool
	// Own says that the session made it.
	Own bool
}

// Stash is one of a repository.
type Stash struct {
	Branch string // that it was made on
	Own    bool   // the session made it
	// Elsewhere says that its branch is checked out in another worktree.
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

// root is the folder of the workspace that a path is in, "" for a path outside. Another worktree of the
// repository is outside, also where it lies inside (GD-2).
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

// worktree is another worktree of the repository that a path is in, "" for none: the innermost.
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
