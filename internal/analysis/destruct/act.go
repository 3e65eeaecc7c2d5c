package destruct

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// Kind is what an act destroys.
type Kind string

// Kinds of acts.
const (
	Worktree       Kind = "worktree" // uncommitted changes
	Branches       Kind = "branches"
	History        Kind = "history"
	Files          Kind = "files"
	Data           Kind = "data"
	Infrastructure Kind = "infrastructure"
	Processes      Kind = "processes"
	Settings       Kind = "settings"  // of the person, in all repositories
	Published      Kind = "published" // what others have from then on
)

// Stash is the kind of what `git stash` makes.
const Stash Kind = "stash"

// Linked is the kind of what `git worktree add` makes: a folder with the settings of its
// repository.
const Linked Kind = "linked"

// Weight is how much of an act is lost.
type Weight string

// Weights of acts.
const (
	Full  Weight = ""      // it cannot be got back, or only in part
	Less  Weight = "less"  // it can be got back, or is seldom somebody else's
	Aside Weight = "aside" // it is put away, not destroyed
)

// Act is one command that destroys something.
type Act struct {
	Rule    string // of rules/destruct.yaml
	Kind    Kind
	Weight  Weight
	Command string // in short, as the line has it
	Line    string // the whole command, with what it reads
	// Directory is where it runs, "" where the line starts; Lost: only the shell knows.
	Directory string
	Lost      bool
	// Targets are paths, branches, tables, names, as far as the line says. Paths are
	// seen from where the line starts.
	Targets []string
	// Whole says that it is about everything there is: the whole worktree, database …
	Whole bool
	// Search chooses the files below its folders, nil where the targets are all there is.
	Search *Search
	// Open says that there are more targets, which another command writes or only the shell knows.
	Open bool
	// Force says that nothing is asked before. Quiet acts are ordinary work unless facts show
	// whose file it was. Roots are about whole trees: the system's, a home, a workspace.
	Force, Quiet, Roots bool
	// Live acts are judged only where facts are at hand.
	Live bool
	// Takes says that files are committed or staged, whoever changed them.
	Takes bool
	// Changes says that a worktree is changed or committed in, and nothing is lost.
	Changes bool
	// Recursive says that folders are meant, Overwrites that something else is written
	// instead, Empties that nothing is, Ignored that files which Git ignores are meant.
	Recursive, Overwrites, Empties, Ignored bool
	// Untracked says that only files are meant that Git does not hold, Tracked those it does.
	Untracked, Tracked bool
	// Unstages says that the index forgets what is staged, and the files stay as they are.
	Unstages bool
	// Perhaps says that the one target may be a branch instead: the act is meant only where
	// uncommitted work is known to be at a path of that name.
	Perhaps bool
	// Moves says that the branch is set to another commit.
	Moves bool
	// Shared says that the line made the worktree whose repository the setting is of.
	Shared bool
	// Elsewhere says that it runs on another machine or in a container.
	Elsewhere bool
	Loses     string // what is lost
	Back      string // how it can be got back, "" if not
}

// Thing is something that a command makes.
type Thing struct {
	Kind Kind
	Name string // "" where it has none
}

// Reading is what a command line destroys, and what it makes.
type Reading struct {
	Acts  []Act
	Makes []Thing
	// Writes are acts that are ordinary work unless facts show whose file it was.
	Writes []Act
	// Commits says that it commits what was changed.
	Commits bool
	// Swept are folders below which the line deletes what find meets, also where a build makes
	// it again.
	Swept []string
	// Programs are the names of all commands.
	Programs []string
}

// shownWords bounds a command that a message quotes whole.
const shownWords = 8

// Shown is the command as a message begins with it: whole, else its program (JD-40).
func (a *Act) Shown() string {
	program := ""
	if words := strings.Fields(a.Command); len(words) > 0 {
		program = " " + quote.Name(words[0])
	}
	return quote.Whole(a.Command, shownWords, "This"+program+" command")
}
