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

	Asides     []string `yaml:"asides"`
	Companions []string `yaml:"companions"`

	// UnambiguousBelow is the number of word signals from which a ticket is ambiguous
	// (PL-30).
	UnambiguousBelow int `yaml:"unambiguous_below" range:"1..100"`

	Grammar `yaml:",inline"`
}

// Grammar are the lists of words by which a sentence is read, in lower case.
type Grammar struct {
	Pronouns           rules.Words `yaml:"pronouns"`
	Demonstratives     rules.Words `yaml:"demonstratives"`
	AfterDemonstrative rules.Words `yaml:"after_demonstrative"`
	FunctionWords      rules.Words `yaml:"function_words"`

	Be            rules.Words `yaml:"be"`
	Adverbs       rules.Words `yaml:"adverbs"`
	Duties        rules.Words `yaml:"duties"`
	Results       rules.Words `yaml:"results"`
	Effects       rules.Words `yaml:"effects"`
	Subordinators rules.Words `yaml:"subordinators"`
	Irregular     rules.Words `yaml:"irregular_participles"`
	States        rules.Words `yaml:"states"`
	NoAgents      rules.Words `yaml:"no_agents"`
	AgentsBy      rules.Words `yaml:"agents_by"`

	Actions          rules.Words `yaml:"actions"`
	Obligations      rules.Words `yaml:"obligations"`
	GoalHeadings     rules.Words `yaml:"goal_headings"`
	CriteriaHeadings rules.Words `yaml:"criteria_headings"`
	OtherHeadings    rules.Words `yaml:"other_headings"`
	CriterionLeads   rules.Words `yaml:"criterion_leads"`

	Work       rules.Words `yaml:"work"`
	Joints     rules.Words `yaml:"joints"`
	Also       rules.Words `yaml:"also"`
	VagueVerbs rules.Words `yaml:"vague_verbs"`
	VagueNouns rules.Words `yaml:"vague_nouns"`
}

// Analyzer reads tickets. It is read-only and may be shared.
type Analyzer struct {
	Config
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
	a := &Analyzer{}
	if err := set.Decode("ambiguity", &a.Config); err != nil {
		return nil, fmt.Errorf("load ambiguity words: %w", err)
	}
	for _, list := range a.lists() {
		var err error
		if *list.into(a), err = prose.CompilePhrases(pattern.Trusted, list.name, nil, list.entries); err != nil {
			return nil, fmt.Errorf("load ambiguity words: %w", err)
		}
	}
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
