// Package constraint turns what people forbid or require for a piece of work into objects
// that a file or command can be checked against (PD-10): paths, parts of paths, commands
// and flags, environments, numbers and amounts. The words are data
// (rules/constraint.yaml).
//
// What cannot be checked ("keep it simple") is left out. Nothing is executed, and no
// input makes it fail.
package constraint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
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
	// Branch is the only branch of Git that may change, "" for any.
	Branch string
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
	return len(c.Paths)+len(c.Parts)+len(c.Kinds)+len(c.Commands)+len(c.Places)+len(c.Ideas)+c.Limit+c.Most == 0 &&
		!c.Outside && c.Branch == ""
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

// config is the section constraint of the rule data, which explains each value.
type config struct {
	Never   string          `yaml:"never"`
	Only    string          `yaml:"only"`
	Order   *pattern.Regexp `yaml:"order" pattern:"fold"`
	Clauses *pattern.Regexp `yaml:"clauses" pattern:"fold"`
	Verbs   struct {
		Change []string `yaml:"change"`
		Create []string `yaml:"create"`
		Delete []string `yaml:"delete"`
		Use    []string `yaml:"use"`
	} `yaml:"verbs"`
	OtherVerbs []string    `yaml:"other_verbs"`
	Filler     rules.Words `yaml:"filler"`
	Containers rules.Words `yaml:"containers"`
	Kinds      map[string]struct {
		Words []string        `yaml:"words"`
		Paths *pattern.Regexp `yaml:"paths" pattern:"fold"`
	} `yaml:"kinds"`
	FlagWords    *pattern.Regexp              `yaml:"flag_words" pattern:"fold"`
	Elsewhere    *pattern.Regexp              `yaml:"elsewhere" pattern:"fold"`
	Beyond       *pattern.Regexp              `yaml:"beyond" pattern:"fold"`
	Path         *pattern.Regexp              `yaml:"path"`
	NotPaths     *pattern.Regexp              `yaml:"not_paths"`
	Vague        *pattern.Regexp              `yaml:"vague"`
	Branch       branchWords                  `yaml:"branch"`
	Literal      *pattern.Regexp              `yaml:"literal"`
	Programs     rules.Words                  `yaml:"programs"`
	ShortFlags   map[string]map[string]string `yaml:"short_flags"`
	FlagPrefixes []string                     `yaml:"flag_prefixes"`

	Outside        *pattern.Regexp   `yaml:"outside" pattern:"fold"`
	Within         *pattern.Regexp   `yaml:"within" pattern:"fold"`
	SystemPaths    []string          `yaml:"system_paths"`
	SystemFree     []string          `yaml:"system_free"`
	SystemCommands []*pattern.Regexp `yaml:"system_commands"`
	Temporary      []string          `yaml:"temporary"`
	RootCommands   *pattern.Regexp   `yaml:"root_commands"`

	Places    map[string][]string `yaml:"places"`
	Looks     *pattern.Regexp     `yaml:"looks"`
	Queries   *pattern.Regexp     `yaml:"queries"`
	Changes   *pattern.Regexp     `yaml:"changes"`
	Leftovers *pattern.Regexp     `yaml:"leftovers"`

	Limit            *pattern.Regexp   `yaml:"limit" pattern:"fold"`
	LimitUnits       rules.Words       `yaml:"limit_units"`
	Repeated         []string          `yaml:"repeated"`
	Work             *pattern.Regexp   `yaml:"work" pattern:"fold"`
	Counts           []*pattern.Regexp `yaml:"counts"`
	Endless          *pattern.Regexp   `yaml:"endless"`
	Concurrent       *pattern.Regexp   `yaml:"concurrent" pattern:"fold"`
	ConcurrentCounts []*pattern.Regexp `yaml:"concurrent_counts"`

	Ideas []Idea `yaml:"ideas"`
}

// branchWords say how a sentence names the only branch that may change, and how commands name theirs.
type branchWords struct {
	Says   []*pattern.Regexp `yaml:"says" pattern:"fold,group=name"`
	Enters *pattern.Regexp   `yaml:"enters"`
	Writes *pattern.Regexp   `yaml:"writes"`
	Pushes *pattern.Regexp   `yaml:"pushes" pattern:"group=to"`
	Lifted *pattern.Regexp   `yaml:"lifted" pattern:"fold"`
}

// Idea is a kind of command that a sentence describes without naming one.
type Idea struct {
	ID     string          `yaml:"id"`
	Says   *pattern.Regexp `yaml:"says" pattern:"fold"`            // matches the sentence
	Breach *pattern.Regexp `yaml:"breach" pattern:"optional"`      // matches one command of a line
	With   *pattern.Regexp `yaml:"with" pattern:"optional"`        // … if the line matches this as well
	Tool   string          `yaml:"tool"`                           // or a call of this kind of tool: "agent"
	Lifted *pattern.Regexp `yaml:"lifted" pattern:"fold,optional"` // matches a later message that allows it
}

// Reader reads constraints and checks files and commands against them. It is safe for
// concurrent use.
type Reader struct {
	grammar
	kinds map[string]*pattern.Regexp // kind of file → its paths
}

// grammar reads sentences.
type grammar struct {
	config
	marker  *pattern.Regexp
	verbs   map[string]Verb
	kindOf  map[string]string // word → kind of file
	placeOf map[string]string // word → place
}

// New returns a reader for the section "constraint" of the rules.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{kinds: map[string]*pattern.Regexp{}}
	if err := set.Decode("constraint", &r.config); err != nil {
		return nil, fmt.Errorf("load constraints: %w", err)
	}
	var err error
	r.marker, err = pattern.For(set, "constraint").Go("never", `(?i)\b(?:(?P<never>`+r.Never+`)|(?P<only>`+r.Only+`))\b`)
	if err != nil {
		return nil, fmt.Errorf("load constraints: %w", err)
	}
	r.verbs, r.kindOf, r.placeOf = map[string]Verb{}, map[string]string{}, map[string]string{}
	for _, group := range []struct {
		verb  Verb
		words []string
	}{{Change, r.Verbs.Change}, {Create, r.Verbs.Create}, {Delete, r.Verbs.Delete}, {Use, r.Verbs.Use}, {0, r.OtherVerbs}} {
		for _, word := range group.words {
			r.verbs[prose.Stem(word)] |= group.verb
		}
	}
	for kind, k := range r.Kinds {
		for _, word := range k.Words {
			r.kindOf[word] = kind
		}
		r.kinds[kind] = k.Paths
	}
	for place, words := range r.Places {
		for _, word := range words {
			r.placeOf[word] = place
		}
	}
	return r, nil
}

// connectives join verbs, or precede them.
var connectives = map[string]bool{"or": true, "and": true, "directly": true, "ever": true, "please": true}

var (
	alternatives = pattern.Must(`,\s*(?:or |and )?|\s+(?:or|and)\s+|/ `)
	devices      = pattern.Must(`/dev/\S+`)
	camel        = pattern.Must(`[A-Z]+[a-z0-9]*|[a-z]+[0-9]*|[0-9]+`)
)
