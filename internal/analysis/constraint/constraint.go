package constraint

import (
	"slices"
	"strings"
)

// Verb is a set of acts that a constraint allows or forbids.
type Verb uint8

// Verbs.
const (
	Change Verb = 1 << iota // edit what exists
	Create                  // create a file
	Delete
	Use // run, call, install
)

// anyFile is the set of verbs that write a file.
const anyFile = Change | Create | Delete

// Constraint is one thing that a sentence forbids, or the only one that it allows.
type Constraint struct {
	Text string // the sentence
	Only bool   // only this is allowed; otherwise this is forbidden
	// Verbs are the acts it is about.
	Verbs Verb
	// Paths are files and folders as the sentence names them.
	Paths []string
	// Parts are lists of stems, all of which a path must contain: "database models" is
	// {database, model}. With Only they are allowed in addition to Paths.
	Parts [][]string
	// Kinds are kinds of files: "config".
	Kinds []string
	// Commands are the words of a command in order, or a lone flag.
	Commands [][]string
	// Places are environments: "production".
	Places []string
	// Outside means everything outside the project, and the settings of the system.
	Outside bool
	// Ideas are commands that the sentence describes, see rules/constraint.yaml.
	Ideas []*Idea
	// Sort holds words that a path must contain for a limit to apply: for "only write log
	// files to logs/" those for logs.
	Sort []string
	// Limit is the maximum number of repetitions or, if Concurrent, of simultaneous
	// things; 0 for none.
	Limit int
	// Counted is what the limit counts, without its plural ending: "retr", "test"; "" if
	// unspecified.
	Counted    string
	Concurrent bool
	// Unit is what Most counts, in the singular: for "do not parse more than 1000 lines"
	// it is line. A flag of that name shows how much of it a command does.
	Unit string
	Most int
}

// empty reports whether a constraint contains nothing that can be checked.
func (c *Constraint) empty() bool {
	return len(c.Paths)+len(c.Parts)+len(c.Kinds)+len(c.Commands)+len(c.Places)+len(c.Ideas)+c.Limit+c.Most == 0 && !c.Outside
}

// Lifts reports whether a later message allows what a constraint forbids: it mentions the
// act and does not itself forbid it.
func (c *Constraint) Lifts(message string) bool {
	return slices.ContainsFunc(c.Ideas, func(i *Idea) bool {
		return i.Lifted != nil && i.Lifted.MatchString(message) && !strings.Contains(message, c.Text)
	})
}

// Strength is how certain a breach is.
type Strength int

// Strengths in ascending order.
const (
	None  Strength = iota
	Other          // an environment, a number, a description
	Named          // a command, a flag, a part of a path
	Path           // a path
)

// Breach is how a file or command violates a constraint; the zero value means that it
// does not.
type Breach struct {
	Strength Strength
	What     string // the path, flag, command or number
}
