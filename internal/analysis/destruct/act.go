package destruct

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// Kind is the kind of thing that an act destroys.
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
	Published      Kind = "published" // what others already have
)

// Stash is the kind of thing that `git stash` creates.
const Stash Kind = "stash"

// Linked is the kind of thing that `git worktree add` creates: a folder with the settings
// of its repository.
const Linked Kind = "linked"

// Weight is the severity of an act's loss.
type Weight string

// Weights of acts.
const (
	Full  Weight = ""      // not recoverable, or only in part
	Less  Weight = "less"  // recoverable, or seldom someone else's
	Aside Weight = "aside" // moved aside rather than destroyed
)

// Act is one command that destroys something.
type Act struct {
	Rule    string // of rules/destruct.yaml
	Kind    Kind
	Weight  Weight
	Command string // shortened, as written in the line
	Line    string // the complete command, with its input
	// Directory is where it runs, "" for where the line starts; Lost means that only the
	// shell knows.
	Directory string
	Lost      bool
	// Targets are paths, branches, tables or names, as far as the line contains them.
	// Paths are relative to where the line starts.
	Targets []string
	// Whole means that it affects everything: the whole worktree, database …
	Whole bool
	// Below limits that to the folder where the command runs, as Git's "." does.
	Below bool
	// Search selects the files below its folders, nil if the targets are complete.
	Search *Search
	// Open means that there are more targets, which another command produces or only the
	// shell knows.
	Open bool
	// Force means that it does not prompt. Quiet acts are ordinary work unless facts show
	// whose file it was. Roots marks acts on entire trees: the system's, a home, a
	// workspace.
	Force, Quiet, Roots bool
	// Live acts are only judged if facts are available.
	Live bool
	// Takes means that files are committed or staged, whoever changed them.
	Takes bool
	// Changes means that something is changed or committed in a worktree, without a loss.
	Changes bool
	// Recursive means that folders are included, Overwrites that something else is
	// written instead, Empties that nothing is, Ignored that files ignored by Git are
	// included.
	Recursive, Overwrites, Empties, Ignored bool
	// Untracked limits it to files that Git does not track, Tracked to those it does.
	Untracked, Tracked bool
	// Unstages means that staged changes are dropped from the index, and the files stay
	// as they are.
	Unstages bool
	// Perhaps means that the single target may be a branch instead: the act applies only
	// if uncommitted work is known at a path of that name.
	Perhaps bool
	// Moves means that the branch is moved to another commit.
	Moves bool
	// Kept means that an earlier command of the line makes a branch or a tag of what the branch is moved from.
	Kept bool
	// Shared means that the line created the worktree whose repository the setting
	// belongs to.
	Shared bool
	// Elsewhere means that it runs on another machine or in a container.
	Elsewhere bool
	Loses     string // what is lost
	Back      string // how to recover it, "" if impossible
}

// Thing is something that a command creates.
type Thing struct {
	Kind Kind
	Name string // "" where it has none
}

// Reading is what a command line destroys and creates.
type Reading struct {
	Acts  []Act
	Makes []Thing
	// Writes are acts that are ordinary work unless facts show whose file it was.
	Writes []Act
	// Commits reports whether the line commits changes.
	Commits bool
	// Swept are folders below which the line deletes whatever find matches, including
	// what a build recreates.
	Swept []string
	// Programs are the names of all commands.
	Programs []string
}

// shownWords is the number of words up to which a message quotes a command in full.
const shownWords = 8

// Shown returns how a message refers to the command: in full, otherwise by its program
// (JD-40).
func (a *Act) Shown() string {
	program := ""
	if words := strings.Fields(a.Command); len(words) > 0 {
		program = " " + quote.Name(words[0])
	}
	return quote.Whole(a.Command, shownWords, "This"+program+" command")
}

// nothing holds commands that print nothing, so that redirecting them empties the file.
var nothing = map[string]bool{"": true, ":": true, "true": true}

// empties reports whether a redirection leaves its file empty: it is emptied before the
// command reads it, or nothing is printed.
func empties(i *shell.Invocation, file string) bool {
	prints := slices.Contains(prints, i.Name) && i.Name != "cat"
	switch {
	case nothing[i.Name] && !i.Fed, i.Name == "cat" && len(i.Args) == 1 && i.Args[0] == "/dev/null":
		return true
	case prints:
		return strings.TrimSpace(i.Prints) == "" && len(i.Args) > 0 && !slices.Contains(i.Exact, false)
	}
	return slices.ContainsFunc(i.Args, func(a string) bool { return !isFlag(a) && under(i.Directory, clean(a)) == file })
}

// redirected records files that a redirection replaces. A file that is emptied, cannot be
// recreated, or belongs to the system makes it an act; any other is ordinary work.
func (l *line) redirected(i *shell.Invocation) {
	for _, o := range i.Outputs {
		empties := empties(i, o.Path)
		if !o.Append && !i.Elsewhere {
			l.add(Act{
				Rule: "redirect", Kind: Files, Command: strings.TrimSpace(i.Name + " > " + o.Path), Directory: i.Directory, Lost: i.Lost, Targets: []string{o.Path},
				Overwrites: true, Empties: empties, Quiet: true, Force: true, Loses: "the former content",
			})
		}
		if !o.Append && !i.Elsewhere && (empties || l.Precious(o.Path) || systemPath(o.Path)) {
			command := strings.TrimSpace(i.Name + " > " + o.Path)
			l.add(Act{
				Rule: "redirect", Kind: Files, Command: command, Directory: i.Directory, Lost: i.Lost, Targets: []string{o.Path},
				Overwrites: true, Empties: empties, Loses: "the former content",
			})
		}
		if !l.Precious(o.Path) && !empties && !systemPath(o.Path) {
			l.out.Makes = append(l.out.Makes, Thing{Files, o.Path})
		}
	}
}
