package constraint

import (
	"slices"
	"strings"
)

// Verb is what a constraint lets one do, or not, as a set.
type Verb uint8

// Verbs.
const (
	Change Verb = 1 << iota // edit what exists
	Create                  // make a file
	Delete
	Use // run, call, install
)

// anyFile are the verbs that write a file.
const anyFile = Change | Create | Delete

// Constraint is one thing that a sentence forbids, or the only one it allows.
type Constraint struct {
	Text string // the sentence
	Only bool   // nothing but this; otherwise: not this
	// Verbs are the acts it is about.
	Verbs Verb
	// Paths are files and folders as the sentence names them.
	Paths []string
	// Parts are stems that a path has all of: "database models" is {database, model}.
	// With Only they are allowed beside Paths.
	Parts [][]string
	// Kinds are sorts of files: "config".
	Kinds []string
	// Commands are the words of a command in order, or a lone flag.
	Commands [][]string
	// Places are environments: "production".
	Places []string
	// Outside is everything outside of the project, and the settings of the system.
	Outside bool
	// Ideas are commands that the sentence describes, see rules/constraint.yaml.
	Ideas []*Idea
	// Sort are words that a path has for a limit to concern it: of "only write log
	// files to logs/" those of logs.
	Sort []string
	// Limit is the greatest number of times that something may be done, or, if
	// Concurrent, of things at the same time; 0 for none.
	Limit int
	// Counted is what the limit counts, without its plural ending: "retr", "test"; "" where that is not said.
	Counted    string
	Concurrent bool
	// Unit is what Most counts, in the singular: of "do not parse more than 1000
	// lines" the line. A flag of that name says how much of it a command does.
	Unit string
	Most int
}

// empty reports whether nothing of a constraint can be checked.
func (c *Constraint) empty() bool {
	return len(c.Paths)+len(c.Parts)+len(c.Kinds)+len(c.Commands)+len(c.Places)+len(c.Ideas)+c.Limit+c.Most == 0 && !c.Outside
}

// Lifts reports whether a later message allows what a constraint forbids: it speaks of the act, and
// does not forbid it itself.
func (c *Constraint) Lifts(message string) bool {
	return slices.ContainsFunc(c.Ideas, func(i *Idea) bool {
		return i.lifted != nil && i.lifted.MatchString(message) && !strings.Contains(message, c.Text)
	})
}

// Strength is how sure a breach is.
type Strength int

// Strengths, in rising order.
const (
	None  Strength = iota
	Other          // an environment, a number, a description
	Named          // a command, a flag, a part of a path
	Path           // a path
)

// Breach is what a file or command does against a constraint; the zero value is
// none.
type Breach struct {
	Strength Strength
	What     string // the path, flag, command or number
}
