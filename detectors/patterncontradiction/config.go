package patterncontradiction

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/constraint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
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
	Soft           *pattern.Regexp     `yaml:"soft" pattern:"fold"`
	KeptEnd        *pattern.Regexp     `yaml:"kept_end" pattern:"fold"`
	KeptFiller     *pattern.Regexp     `yaml:"kept_filler" pattern:"fold"`
	Order          *pattern.Regexp     `yaml:"order"`
	Narrates       *pattern.Regexp     `yaml:"narrates" pattern:"fold"`
	Sorts          map[string][]string `yaml:"sorts"`
	Languages      map[string][]string `yaml:"languages"`
	ConfigFiles    []string            `yaml:"config_files"`
	Path           *pattern.Regexp     `yaml:"path"`
	Place          *pattern.Regexp     `yaml:"place" pattern:"fold,group=path"`
	NotModules     rules.Words         `yaml:"not_modules"`
	Identifier     *pattern.Regexp     `yaml:"identifier"`
	Directly       []*pattern.Regexp   `yaml:"directly" pattern:"group=thing"`
	Layer          *pattern.Regexp     `yaml:"layer" pattern:"group=domain,group=kind"`
	Layers         []layerKind         `yaml:"layers"`
	LayerSuffixes  rules.Words         `yaml:"layer_suffixes"`
	PlainDomains   rules.Words         `yaml:"plain_domains"`
	StructureWords rules.Words         `yaml:"structure_words"`
	Roles          rules.Words         `yaml:"roles"`
	ExemptNames    *pattern.Regexp     `yaml:"exempt_names"`
	Scratch        *pattern.Regexp     `yaml:"scratch"`
	Reasons        *pattern.Regexp     `yaml:"reasons"`
	Changes        []string            `yaml:"changes"`
	Requests       []string            `yaml:"requests"`
	Negations      []string            `yaml:"negations"`
	NegationWords  int                 `yaml:"negation_words" range:"0..20"`
	Adds           *pattern.Regexp     `yaml:"adds" pattern:"group=names"`
	AddsNot        *pattern.Regexp     `yaml:"adds_not"`
	ConventionFile string              `yaml:"conventions_file"`
	Plans          []*pattern.Regexp   `yaml:"plans"`
	PlansNot       *pattern.Regexp     `yaml:"plans_not"`
	PlansManager   *pattern.Regexp     `yaml:"plans_manager"`
	Orders         []order             `yaml:"orders"`
	Runners        []string            `yaml:"runners"`
	BeforeCommit   *pattern.Regexp     `yaml:"before_commit" pattern:"fold"`
	Commits        *pattern.Regexp     `yaml:"commits"`
	Conditional    *pattern.Regexp     `yaml:"conditional" pattern:"fold"`
	Ready          *pattern.Regexp     `yaml:"ready" pattern:"fold"`
	DemandCall     *pattern.Regexp     `yaml:"demand_call" pattern:"fold"`
	DemandFile     *pattern.Regexp     `yaml:"demand_file" pattern:"fold"`
	DemandTurns    int                 `yaml:"demand_turns" range:"0..1000"`
	Limit          *pattern.Regexp     `yaml:"limit" pattern:"fold"`
	LimitUnits     rules.Words         `yaml:"limit_units"`
	LimitLines     rules.Words         `yaml:"limit_lines"`
	LimitFiller    rules.Words         `yaml:"limit_filler"`
	LimitReports   *pattern.Regexp     `yaml:"limit_reports" pattern:"fold"`
	Assigned       *pattern.Regexp     `yaml:"assigned"`

	files *files.Table
}

// layerKind is a kind of layer: the words of its files, folders and classes,
// and what people call it.
type layerKind struct {
	ID     string   `yaml:"id"`
	Family string   `yaml:"family"` // of libraries whose job it does, may be empty
	Words  []string `yaml:"words"`
	Said   []string `yaml:"said"`
}

// instance is the detector with its data compiled.
type instance struct {
	reader
	commands                  *shell.Parser
	constraints               *constraint.Reader
	destructive               *destruct.Reader
	change, request, negation *pattern.Regexp
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	d.decisions = &decisions{}
	taken := rules.Take(set, "patterncontradiction", &d.config)
	rules.More(taken, &d.files, files.Load)
	rules.More(taken, &d.libraries, families.Load)
	rules.More(taken, &d.decisions.topics, topics.Load)
	rules.More(taken, &d.commands, shell.New)
	rules.More(taken, &d.destructive, destruct.New)
	rules.More(taken, &d.constraints, constraint.New)
	err := taken.Err
	if err != nil {
		return nil, err
	}
	d.decisions.libraries = d.libraries
	from := pattern.For(set, "patterncontradiction")
	if d.said, err = prose.CompilePhrases(from, "statements", d.Macros, d.Statements); err != nil {
		return nil, err
	}
	return d, d.patterns(from)
}

func (d *instance) patterns(from pattern.Compiler) (err error) {
	if d.change, err = from.Go("changes", anyOf(`(?:^|\W)`, d.Changes, verbEnd)); err != nil {
		return err
	}
	if d.request, err = from.Go("requests", anyOf(`(?:^|\W)`, d.Requests, verbEnd)); err != nil {
		return err
	}
	d.negation, err = from.Go("negations", anyOf(`(?:^|\W|n)`, d.Negations, ""))
	return err
}

// verbEnd is how a verb's beginning may go on.
const verbEnd = `(?:e|es|ed|s|ing|ion|ions|ped|ping|ting)?`

// anyOf compiles a case-insensitive match of any of the phrases, with an optional prefix and
// suffix.
func anyOf(before string, phrases []string, end string) string {
	return pattern.Phrases(before, phrases, end+`(?:\W|$)`)
}

// isTest reports whether a file holds tests.
func (c *config) isTest(file string) bool { return c.files.Is(file, files.AnyTest) }

// exempt reports whether nothing in a file contradicts the product's patterns:
// tests, scripts, migrations, one-off files, documents.
func (c *config) exempt(file string) bool {
	return c.files.Is(file, apart) || c.ExemptNames.MatchString(path.Base(file)) || c.isScratch(file)
}

// apart are kinds of files that do not belong to the code of the product.
const apart = files.AnyTest | files.Document | files.Generated | files.Lock | files.Vendored | files.Example |
	files.Aside

// isScratch reports whether a file is outside the work: below a scratch folder,
// or a one-off script at the top of the workspace.
func (c *config) isScratch(file string) bool {
	if c.inScratchDir(file) {
		return true
	}
	top := strings.Count(file, "/") == 0 || strings.HasPrefix(file, "/") && strings.Count(file, "/") == 2
	return top && c.Scratch.MatchString(path.Base(file))
}

// inScratchDir: a folder for files that nobody keeps.
func (c *config) inScratchDir(file string) bool {
	return c.files.Is(file, files.Scratch) || strings.HasPrefix(file, "/dev/")
}

// entryOf is the entry of a table that has a word, "" for none.
func entryOf(table map[string][]string, word string) string {
	for _, sort := range slices.Sorted(maps.Keys(table)) {
		if slices.Contains(table[sort], word) {
			return sort
		}
	}
	return ""
}

// isLayerName reports whether a name's words are the domain's and a layer's suffix.
func (c *config) isLayerName(name, domain []string) bool {
	if len(name) != len(domain)+1 || !c.LayerSuffixes[name[len(name)-1]] {
		return false
	}
	for i, w := range domain {
		if similarity.Normal(w) != similarity.Normal(name[i]) {
			return false
		}
	}
	return true
}
