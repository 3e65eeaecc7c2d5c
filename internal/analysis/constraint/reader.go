package constraint

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

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
	config
	marker  *pattern.Regexp
	verbs   map[string]Verb
	kindOf  map[string]string          // word → kind of file
	kinds   map[string]*pattern.Regexp // kind → its paths
	placeOf map[string]string          // word → place
}

// New returns a reader for the section "constraint" of the rules.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{}
	if err := set.Decode("constraint", &r.config); err != nil {
		return nil, fmt.Errorf("load constraints: %w", err)
	}
	if err := r.compile(pattern.For(set, "constraint")); err != nil {
		return nil, fmt.Errorf("load constraints: %w", err)
	}
	r.verbs = map[string]Verb{}
	for _, group := range []struct {
		verb  Verb
		words []string
	}{{Change, r.Verbs.Change}, {Create, r.Verbs.Create}, {Delete, r.Verbs.Delete}, {Use, r.Verbs.Use}, {0, r.OtherVerbs}} {
		for _, word := range group.words {
			r.verbs[prose.Stem(word)] |= group.verb
		}
	}
	r.placeOf = map[string]string{}
	for place, words := range r.Places {
		for _, word := range words {
			r.placeOf[word] = place
		}
	}
	return r, nil
}

func (r *Reader) compile(from pattern.Compiler) (err error) {
	if r.marker, err = from.Go("never", `(?i)\b(?:(?P<never>`+r.config.Never+`)|(?P<only>`+r.config.Only+`))\b`); err != nil {
		return err
	}
	r.kindOf, r.kinds = map[string]string{}, map[string]*pattern.Regexp{}
	for kind, k := range r.Kinds {
		for _, word := range k.Words {
			r.kindOf[word] = kind
		}
		r.kinds[kind] = k.Paths
	}
	return nil
}
