package ambiguity

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "ambiguity" of the rule data.
type Config struct {
	MaxBytes         int           `yaml:"max_bytes" range:"256..1048576"` // of a ticket that are read
	MaxSentences     int           `yaml:"max_sentences" range:"1..10000"`
	MaxWords         int           `yaml:"max_words" range:"10..10000"` // of a sentence
	WeakModals       []prose.Entry `yaml:"weak_modals"`
	VagueQuantifiers []prose.Entry `yaml:"vague_quantifiers"`
	Exempt           []prose.Entry `yaml:"exempt"`
	Measures         []prose.Entry `yaml:"measures"`
	Expletives       []prose.Entry `yaml:"expletives"`
	Unbounded        []prose.Entry `yaml:"unbounded"`

	Pronouns           []string `yaml:"pronouns"`
	Demonstratives     []string `yaml:"demonstratives"`
	AfterDemonstrative []string `yaml:"after_demonstrative"`
	FunctionWords      []string `yaml:"function_words"`

	Be            []string `yaml:"be"`
	Adverbs       []string `yaml:"adverbs"`
	Duties        []string `yaml:"duties"`
	Results       []string `yaml:"results"`
	Effects       []string `yaml:"effects"`
	Subordinators []string `yaml:"subordinators"`
	Irregular     []string `yaml:"irregular_participles"`
	States        []string `yaml:"states"`
	NoAgents      []string `yaml:"no_agents"`
	AgentsBy      []string `yaml:"agents_by"`

	Actions          []string `yaml:"actions"`
	Obligations      []string `yaml:"obligations"`
	GoalHeadings     []string `yaml:"goal_headings"`
	CriteriaHeadings []string `yaml:"criteria_headings"`
	OtherHeadings    []string `yaml:"other_headings"`
	CriterionLeads   []string `yaml:"criterion_leads"`

	Work       []string `yaml:"work"`
	Joints     []string `yaml:"joints"`
	Also       []string `yaml:"also"`
	Asides     []string `yaml:"asides"`
	Companions []string `yaml:"companions"`

	VagueVerbs []string `yaml:"vague_verbs"`
	VagueNouns []string `yaml:"vague_nouns"`

	// UnambiguousBelow is the number of word signals from which a ticket is ambiguous
	// (PL-30).
	UnambiguousBelow int `yaml:"unambiguous_below" range:"1..100"`
}

// Analyzer reads tickets. It is read-only and may be shared.
type Analyzer struct {
	config     *Config
	words      map[string]map[string]bool // list → its words
	modals     *prose.Phrases
	vague      *prose.Phrases
	exempt     *prose.Phrases
	measures   *prose.Phrases
	expletives *prose.Phrases
	unbounded  *prose.Phrases
	asides     *prose.Phrases
	companions *prose.Phrases
}

// Load compiles the section "ambiguity" of rule data.
func Load(set *rules.Set) (*Analyzer, error) {
	var c Config
	if err := set.Decode("ambiguity", &c); err != nil {
		return nil, fmt.Errorf("load ambiguity words: %w", err)
	}
	a := &Analyzer{config: &c}
	for _, list := range c.lists() {
		var err error
		if *list.into(a), err = prose.CompilePhrases(pattern.Trusted, list.name, nil, list.entries); err != nil {
			return nil, fmt.Errorf("load ambiguity words: %w", err)
		}
	}
	a.index()
	return a, nil
}

// phrases is a list of phrases with the field that stores its compiled form.
type phrases struct {
	name    string
	entries []prose.Entry
	into    func(*Analyzer) **prose.Phrases
}

func (c *Config) lists() []phrases {
	return []phrases{
		{"weak_modals", c.WeakModals, func(a *Analyzer) **prose.Phrases { return &a.modals }},
		{"vague_quantifiers", c.VagueQuantifiers, func(a *Analyzer) **prose.Phrases { return &a.vague }},
		{"exempt", c.Exempt, func(a *Analyzer) **prose.Phrases { return &a.exempt }},
		{"measures", c.Measures, func(a *Analyzer) **prose.Phrases { return &a.measures }},
		{"expletives", c.Expletives, func(a *Analyzer) **prose.Phrases { return &a.expletives }},
		{"unbounded", c.Unbounded, func(a *Analyzer) **prose.Phrases { return &a.unbounded }},
		{"asides", []prose.Entry{{ID: "asides", Variants: c.Asides}}, func(a *Analyzer) **prose.Phrases { return &a.asides }},
		{"companions", []prose.Entry{{ID: "companions", Variants: c.Companions}}, func(a *Analyzer) **prose.Phrases { return &a.companions }},
	}
}

// Validate checks the phrases, so that an error names file and line; rule data are
// validated when they are read.
func (c *Config) Validate() error {
	for _, list := range c.lists() {
		if _, err := prose.CompilePhrases(pattern.Checked, list.name, nil, list.entries); err != nil {
			return err
		}
	}
	return nil
}

func (a *Analyzer) index() {
	c := a.config
	a.words = map[string]map[string]bool{}
	for name, list := range map[string][]string{
		"pronouns": c.Pronouns, "demonstratives": c.Demonstratives, "after": c.AfterDemonstrative, "function": c.FunctionWords,
		"be": c.Be, "adverbs": c.Adverbs, "duties": c.Duties, "results": c.Results, "effects": c.Effects, "subordinators": c.Subordinators,
		"irregular": c.Irregular, "states": c.States, "no agents": c.NoAgents, "agents by": c.AgentsBy,
		"actions": c.Actions, "obligations": c.Obligations, "leads": c.CriterionLeads,
		"goal headings": c.GoalHeadings, "criteria headings": c.CriteriaHeadings, "other headings": c.OtherHeadings,
		"work": c.Work, "joints": c.Joints, "also": c.Also, "vague verbs": c.VagueVerbs, "vague nouns": c.VagueNouns,
	} {
		a.words[name] = rules.Lookup(list)
	}
}

// in reports whether a list of the data contains a word, given in lower case.
func (a *Analyzer) in(list, word string) bool { return a.words[list][word] }
