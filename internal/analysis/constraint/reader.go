package constraint

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section constraint of the rule data, which explains each value.
type config struct {
	Never   string `yaml:"never"`
	Only    string `yaml:"only"`
	Order   string `yaml:"order"`
	Clauses string `yaml:"clauses"`
	Verbs   struct {
		Change []string `yaml:"change"`
		Create []string `yaml:"create"`
		Delete []string `yaml:"delete"`
		Use    []string `yaml:"use"`
	} `yaml:"verbs"`
	OtherVerbs []string `yaml:"other_verbs"`
	Filler     []string `yaml:"filler"`
	Containers []string `yaml:"containers"`
	Kinds      map[string]struct {
		Words []string `yaml:"words"`
		Paths string   `yaml:"paths"`
	} `yaml:"kinds"`
	FlagWords    string                       `yaml:"flag_words"`
	Elsewhere    string                       `yaml:"elsewhere"`
	Beyond       string                       `yaml:"beyond"`
	Path         string                       `yaml:"path"`
	NotPaths     string                       `yaml:"not_paths"`
	Vague        string                       `yaml:"vague"`
	Literal      string                       `yaml:"literal"`
	Programs     []string                     `yaml:"programs"`
	ShortFlags   map[string]map[string]string `yaml:"short_flags"`
	FlagPrefixes []string                     `yaml:"flag_prefixes"`

	Outside        string   `yaml:"outside"`
	Within         string   `yaml:"within"`
	SystemPaths    []string `yaml:"system_paths"`
	SystemFree     []string `yaml:"system_free"`
	SystemCommands []string `yaml:"system_commands"`
	Temporary      []string `yaml:"temporary"`
	RootCommands   string   `yaml:"root_commands"`

	Places    map[string][]string `yaml:"places"`
	Looks     string              `yaml:"looks"`
	Queries   string              `yaml:"queries"`
	Changes   string              `yaml:"changes"`
	Leftovers string              `yaml:"leftovers"`

	Limit            string   `yaml:"limit"`
	LimitUnits       []string `yaml:"limit_units"`
	Repeated         []string `yaml:"repeated"`
	Work             string   `yaml:"work"`
	Counts           []string `yaml:"counts"`
	Endless          string   `yaml:"endless"`
	Concurrent       string   `yaml:"concurrent"`
	ConcurrentCounts []string `yaml:"concurrent_counts"`

	Ideas []Idea `yaml:"ideas"`
}

// Idea is a kind of command that a sentence describes without naming one.
type Idea struct {
	ID     string `yaml:"id"`
	Says   string `yaml:"says"`   // matches the sentence
	Breach string `yaml:"breach"` // matches one command of a line
	With   string `yaml:"with"`   // … if the line matches this as well
	Tool   string `yaml:"tool"`   // or a call of this kind of tool: "agent"
	Lifted string `yaml:"lifted"` // matches a later message that allows it

	says, breach, with, lifted *pattern.Regexp
}

// Reader reads constraints and checks files and commands against them. It is safe for
// concurrent use.
type Reader struct {
	config
	marker, order, clauses, elsewhere, beyond, path, literal, outside, within             *pattern.Regexp
	looks, queries, changes, leftovers, limit, work, endless, concurrent, root, flagWords *pattern.Regexp
	notPaths, vague                                                                       *pattern.Regexp
	system, counts, concurrentCounts                                                      []*pattern.Regexp
	verbs                                                                                 map[string]Verb
	filler, containers, programs, units                                                   map[string]bool
	kindOf                                                                                map[string]string          // word → kind of file
	kinds                                                                                 map[string]*pattern.Regexp // kind → its paths
	placeOf                                                                               map[string]string          // word → place
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
	r.filler, r.containers, r.programs, r.units = rules.Lookup(r.Filler), rules.Lookup(r.Containers), rules.Lookup(r.Programs), rules.Lookup(r.LimitUnits)
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
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"never", `(?i)\b(?:(?P<never>` + r.config.Never + `)|(?P<only>` + r.config.Only + `))\b`, &r.marker},
		{"order", `(?i)` + r.config.Order, &r.order},
		{"clauses", `(?i)` + r.Clauses, &r.clauses},
		{"elsewhere", `(?i)` + r.Elsewhere, &r.elsewhere},
		{"beyond", `(?i)` + r.Beyond, &r.beyond},
		{"path", r.Path, &r.path},
		{"not_paths", r.NotPaths, &r.notPaths},
		{"vague", r.Vague, &r.vague},
		{"literal", r.Literal, &r.literal},
		{"outside", `(?i)` + r.Outside, &r.outside},
		{"within", `(?i)` + r.Within, &r.within},
		{"looks", r.Looks, &r.looks},
		{"queries", r.Queries, &r.queries},
		{"changes", r.Changes, &r.changes},
		{"leftovers", r.Leftovers, &r.leftovers},
		{"concurrent", `(?i)` + r.Concurrent, &r.concurrent},
		{"flag_words", `(?i)` + r.FlagWords, &r.flagWords},
		{"limit", `(?i)` + r.config.Limit, &r.limit},
		{"work", `(?i)` + r.Work, &r.work},
		{"endless", r.Endless, &r.endless},
		{"root_commands", r.RootCommands, &r.root},
	} {
		if *c.into, err = from.Go(c.key, c.text); err != nil {
			return err
		}
	}
	r.kindOf, r.kinds = map[string]string{}, map[string]*pattern.Regexp{}
	for kind, k := range r.Kinds {
		for _, word := range k.Words {
			r.kindOf[word] = kind
		}
		if r.kinds[kind], err = from.Go("kinds."+kind, `(?i)`+k.Paths); err != nil {
			return err
		}
	}
	if r.system, err = all(from, "system_commands", r.SystemCommands); err != nil {
		return err
	}
	if r.counts, err = all(from, "counts", r.Counts); err != nil {
		return err
	}
	if r.concurrentCounts, err = all(from, "concurrent_counts", r.ConcurrentCounts); err != nil {
		return err
	}
	for i := range r.config.Ideas {
		if err := r.config.Ideas[i].compile(from); err != nil {
			return err
		}
	}
	return nil
}

func all(from pattern.Compiler, key string, texts []string) (out []*pattern.Regexp, err error) {
	for _, text := range texts {
		compiled, err := from.Go(key, text)
		if err != nil {
			return nil, err
		}
		out = append(out, compiled)
	}
	return out, nil
}

func (i *Idea) compile(from pattern.Compiler) (err error) {
	if i.says, err = from.Go("ideas."+i.ID+".says", `(?i)`+i.Says); err != nil {
		return err
	}
	if i.Breach == "" && i.Tool != "" {
		return nil
	}
	if i.breach, err = from.Go("ideas."+i.ID+".breach", i.Breach); err != nil {
		return err
	}
	if strings.TrimSpace(i.With) != "" {
		if i.with, err = from.Go("ideas."+i.ID+".with", i.With); err != nil {
			return err
		}
	}
	if i.Lifted != "" {
		i.lifted, err = from.Go("ideas."+i.ID+".lifted", `(?i)`+i.Lifted)
	}
	return err
}
