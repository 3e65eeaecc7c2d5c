package patterncontradiction

import (
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/constraint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section patterncontradiction of the rule data, which explains
// each value.
type config struct {
	IndependentFiles int `yaml:"independent_files" range:"2..100"`
	SimilarPlaces    int `yaml:"similar_places" range:"2..100"`
	Limits           struct {
		Uses         int `yaml:"uses" range:"1..1000"`
		FilesPerUse  int `yaml:"files_per_use" range:"2..100"`
		Groups       int `yaml:"groups" range:"1..1000"`
		Told         int `yaml:"told" range:"1..1000"`
		Made         int `yaml:"made" range:"0..1000"`
		Named        int `yaml:"named" range:"0..1000"`
		Conventions  int `yaml:"conventions" range:"0..1000"`
		Rules        int `yaml:"rules" range:"1..10000"`
		Instructions int `yaml:"instructions" range:"0..1000"`
		Decided      int `yaml:"decided" range:"0..1000"`
		QuoteWords   int `yaml:"quote_words" range:"3..20"`
		ExcerptWords int `yaml:"excerpt_words" range:"1..20"`
	} `yaml:"limits"`
	Confidence struct {
		Declared     float64 `yaml:"declared" range:"0..1"`
		Words        float64 `yaml:"words" range:"0..1"`
		Decision     float64 `yaml:"decision" range:"0..1"`
		WeakDecision float64 `yaml:"weak_decision" range:"0..1"`
		Manifest     float64 `yaml:"manifest" range:"0..1"`
		Imports      float64 `yaml:"imports" range:"0..1"`
		Path         float64 `yaml:"path" range:"0..1"`
		Layer        float64 `yaml:"layer" range:"0..1"`
		Structure    float64 `yaml:"structure" range:"0..1"`
		Instruction  float64 `yaml:"instruction" range:"0..1"`
		Denied       float64 `yaml:"denied" range:"0..1"`
		Dropped      float64 `yaml:"dropped" range:"0..1"`
		BreachedPath float64 `yaml:"breached_path" range:"0..1"`
		BreachedName float64 `yaml:"breached_name" range:"0..1"`
		Breached     float64 `yaml:"breached" range:"0..1"`
	} `yaml:"confidence"`
	SameTopic      float64             `yaml:"same_topic" range:"0..1"`
	Macros         map[string]string   `yaml:"macros"`
	Statements     []prose.Entry       `yaml:"statements"`
	Soft           string              `yaml:"soft"`
	KeptEnd        string              `yaml:"kept_end"`
	KeptFiller     string              `yaml:"kept_filler"`
	Order          string              `yaml:"order"`
	Sorts          map[string][]string `yaml:"sorts"`
	ConfigFiles    []string            `yaml:"config_files"`
	Path           string              `yaml:"path"`
	Place          string              `yaml:"place"`
	NotModules     []string            `yaml:"not_modules"`
	Identifier     string              `yaml:"identifier"`
	Directly       []string            `yaml:"directly"`
	Layer          string              `yaml:"layer"`
	Layers         []layerKind         `yaml:"layers"`
	LayerSuffixes  []string            `yaml:"layer_suffixes"`
	PlainDomains   []string            `yaml:"plain_domains"`
	StructureWords []string            `yaml:"structure_words"`
	Roles          []string            `yaml:"roles"`
	ExemptDirs     []string            `yaml:"exempt_dirs"`
	ExemptNames    string              `yaml:"exempt_names"`
	TestDirs       []string            `yaml:"test_dirs"`
	TestNames      string              `yaml:"test_names"`
	Scratch        string              `yaml:"scratch"`
	ScratchDirs    []string            `yaml:"scratch_dirs"`
	Reasons        string              `yaml:"reasons"`
	Changes        []string            `yaml:"changes"`
	Requests       []string            `yaml:"requests"`
	Negations      []string            `yaml:"negations"`
	NegationWords  int                 `yaml:"negation_words" range:"0..20"`
	Adds           string              `yaml:"adds"`
	AddsNot        string              `yaml:"adds_not"`
	ConventionFile string              `yaml:"conventions_file"`
	Orders         []order             `yaml:"orders"`
	Runners        []string            `yaml:"runners"`
	BeforeCommit   string              `yaml:"before_commit"`
	Commits        string              `yaml:"commits"`
	Conditional    string              `yaml:"conditional"`
	Ready          string              `yaml:"ready"`
	DemandCall     string              `yaml:"demand_call"`
	DemandFile     string              `yaml:"demand_file"`
	DemandTurns    int                 `yaml:"demand_turns" range:"0..1000"`
}

// layerKind is a kind of layer: the words of its files, folders and classes,
// and what people call it.
type layerKind struct {
	ID    string   `yaml:"id"`
	Words []string `yaml:"words"`
	Said  []string `yaml:"said"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	libraries                                                         *families.Catalogue
	decisions                                                         *decisions
	place                                                             *pattern.Regexp
	notModules                                                        map[string]bool
	commands                                                          *shell.Parser
	constraints                                                       *constraint.Reader
	destructive                                                       *destruct.Reader
	said                                                              *prose.Phrases
	soft, keptEnd, filler, order, path, identifier, layerForm         *pattern.Regexp
	exemptNames, testNames, scratch, reasons                          *pattern.Regexp
	change, request, adds, addsNot, negation                          *pattern.Regexp
	beforeCommit, commits, conditional, ready, demandCall, demandFile *pattern.Regexp
	directly                                                          []*pattern.Regexp
	orders                                                            []order
	exemptDirs, testDirs, roles, suffixes                             map[string]bool
	structure, plain                                                  map[string]bool
	sorts                                                             map[string]string // phrase → sort
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("patterncontradiction", &d.config); err != nil {
		return nil, err
	}
	var err error
	if d.libraries, err = families.Load(set); err != nil {
		return nil, err
	}
	chosen, err := topics.Load(set)
	if err != nil {
		return nil, err
	}
	d.decisions = &decisions{libraries: d.libraries, topics: chosen}
	if d.commands, err = shell.New(set); err != nil {
		return nil, err
	}
	if d.destructive, err = destruct.New(set); err != nil {
		return nil, err
	}
	if d.constraints, err = constraint.New(set); err != nil {
		return nil, err
	}
	from := pattern.For(set, "patterncontradiction")
	if d.said, err = prose.CompilePhrases(from, "statements", d.Macros, d.Statements); err != nil {
		return nil, err
	}
	if err := d.patterns(from); err != nil {
		return nil, err
	}
	d.exemptDirs, d.testDirs, d.roles = rules.Lookup(d.ExemptDirs), rules.Lookup(d.TestDirs), rules.Lookup(d.Roles)
	d.plain, d.notModules = rules.Lookup(d.PlainDomains), rules.Lookup(d.NotModules)
	d.suffixes, d.structure = rules.Lookup(d.LayerSuffixes), rules.Lookup(d.StructureWords)
	d.sorts = map[string]string{}
	for sort, phrases := range d.Sorts {
		for _, phrase := range phrases {
			d.sorts[phrase] = sort
		}
	}
	return d, nil
}

func (d *instance) patterns(from pattern.Compiler) (err error) {
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
		groups    []string
	}{
		{"soft", "(?i)" + d.Soft, &d.soft, nil},
		{"kept_end", "(?i)" + d.KeptEnd, &d.keptEnd, nil},
		{"kept_filler", "(?i)" + d.KeptFiller, &d.filler, nil},
		{"order", d.Order, &d.order, nil},
		{"path", d.Path, &d.path, nil},
		{"place", "(?i)" + d.Place, &d.place, []string{"path"}},
		{"identifier", d.Identifier, &d.identifier, nil},
		{"layer", d.Layer, &d.layerForm, []string{"domain", "kind"}},
		{"exempt_names", d.ExemptNames, &d.exemptNames, nil},
		{"test_names", d.TestNames, &d.testNames, nil},
		{"scratch", d.Scratch, &d.scratch, nil},
		{"reasons", d.Reasons, &d.reasons, nil},
		{"adds", d.Adds, &d.adds, []string{"names"}},
		{"adds_not", d.AddsNot, &d.addsNot, nil},
		{"before_commit", "(?i)" + d.BeforeCommit, &d.beforeCommit, nil},
		{"commits", d.Commits, &d.commits, nil},
		{"conditional", "(?i)" + d.Conditional, &d.conditional, nil},
		{"ready", "(?i)" + d.Ready, &d.ready, nil},
		{"demand_call", "(?i)" + d.DemandCall, &d.demandCall, nil},
		{"demand_file", "(?i)" + d.DemandFile, &d.demandFile, nil},
		{"changes", anyOf(`(?:^|\W)`, d.Changes, verbEnd), &d.change, nil},
		{"requests", anyOf(`(?:^|\W)`, d.Requests, verbEnd), &d.request, nil},
		{"negations", anyOf(`(?:^|\W|n)`, d.Negations, ""), &d.negation, nil},
	} {
		if *c.into, err = from.Go(c.key, c.text, c.groups...); err != nil {
			return err
		}
	}
	d.orders = slices.Clone(d.Orders)
	for i := range d.orders {
		if err := d.orders[i].compile(from); err != nil {
			return err
		}
	}
	for _, text := range d.Directly {
		directly, err := from.Go("directly", text, "thing")
		if err != nil {
			return err
		}
		d.directly = append(d.directly, directly)
	}
	return nil
}

// verbEnd is how a verb's beginning may go on.
const verbEnd = `(?:e|es|ed|s|ing|ion|ions|ped|ping|ting)?`

// anyOf compiles a case-insensitive match of any of the phrases, with an optional prefix and
// suffix.
func anyOf(before string, phrases []string, end string) string {
	quoted := make([]string, len(phrases))
	for i, p := range phrases {
		quoted[i] = regexp.QuoteMeta(p)
	}
	return `(?i)` + before + `(?:` + strings.Join(quoted, "|") + `)` + end + `(?:\W|$)`
}
