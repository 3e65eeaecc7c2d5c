package destruct

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/permission"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Rule is a command that destroys or creates something; rules/destruct.yaml explains each
// field.
type Rule struct {
	ID          string            `yaml:"id"`
	Names       []string          `yaml:"names"`
	Words       []string          `yaml:"words"`
	UnlessWords []string          `yaml:"unless_words"`
	Need        [][]string        `yaml:"need"`
	Unless      []string          `yaml:"unless"`
	Values      []string          `yaml:"values"`
	Kind        Kind              `yaml:"kind" allow:"worktree|branches|history|files|data|infrastructure|processes|settings|linked|stash|published|leak|takeover"`
	Weight      Weight            `yaml:"weight" allow:"less|aside"`
	Targets     string            `yaml:"targets" allow:"none|operands|first|last|flag|flag_topic|copy|rest"`
	Form        string            `yaml:"form"`
	Flags       []string          `yaml:"flags"`
	Scripts     []string          `yaml:"scripts"`
	Fold        bool              `yaml:"fold"`
	Patterns    []*pattern.Regexp `yaml:"patterns" pattern:"long"`
	Spares      []*pattern.Regexp `yaml:"spares" pattern:"long"` // lines that the rule leaves alone
	Loses       string            `yaml:"loses"`
	Pack        string            `yaml:"pack" allow:"core|data|infra|hijack|secrets"`
	Live        bool              `yaml:"live"` // judged only if facts are available
	Back        string            `yaml:"back"`
}

// Config is the section "destruct" of the rules.
type Config struct {
	MaxActs    int                 `yaml:"max_acts" range:"1..256"`
	MaxTargets int                 `yaml:"max_targets" range:"1..256"`
	GitAliases map[string]string   `yaml:"git_aliases"`
	Backslash  *pattern.Regexp     `yaml:"backslash" pattern:"long"`
	Globals    map[string][]string `yaml:"globals"`
	Rebuilt    struct {
		Anywhere []string `yaml:"anywhere"`
		AtEnd    []string `yaml:"at_end"`
		Endings  []string `yaml:"endings"`
	} `yaml:"rebuilt"`
	Temporary struct {
		Folders   []string `yaml:"folders"`
		Variables []string `yaml:"variables"`
		Words     []string `yaml:"words"`
		// Environment are variables that contain the temporary folder wherever a line
		// runs.
		Environment []string `yaml:"environment"`
		Caches      []string `yaml:"caches"`
	} `yaml:"temporary"`
	TestData       []string        `yaml:"test_data"`
	TestSettings   []string        `yaml:"test_settings"`
	Links          *pattern.Regexp `yaml:"links"`
	Precious       []string        `yaml:"precious"`
	PreciousExcept []string        `yaml:"precious_except"`
	SharedBranches []string        `yaml:"shared_branches"`
	Requests       Requests        `yaml:"requests"`
	Makers         []Rule          `yaml:"makers"`
	Rules          []Rule          `yaml:"rules"`
	Writers        []Rule          `yaml:"writers"`
	Languages      []Language      `yaml:"languages"`
	Calls          []Call          `yaml:"calls"`
	Scratch        []string        `yaml:"scratch"`
	Fetches        []string        `yaml:"fetches"`
	Decodes        []string        `yaml:"decodes"`
	Joins          []string        `yaml:"joins"`
	Hijack         Hijack          `yaml:"hijack"`
	ProcessLookups []string        `yaml:"process_lookups"`
	CommonPrograms []string        `yaml:"common_programs"`
}

// Reader reads command lines. It holds no state and is safe for concurrent use.
type Reader struct {
	config Config
	shell  *shell.Parser
	back   *pattern.Regexp    // commands whose paths use backslashes
	rules  map[string][]*Rule // by name of the command
	makers map[string][]*Rule
	// writers are commands that overwrite files; packs maps each rule to its table.
	writers map[string][]*Rule
	packs   map[string]string
	// permission reads what a person asked for.
	permission *permission.Reader
}

// pack returns the table that a rule belongs to.
func (r *Rule) pack() string {
	switch {
	case r.Pack != "":
		return r.Pack
	case r.Kind == Data:
		return "data"
	case r.Kind == Infrastructure:
		return "infra"
	}
	return "core"
}

// New returns a Reader for the section "destruct" of the rules.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{rules: map[string][]*Rule{}, makers: map[string][]*Rule{}, writers: map[string][]*Rule{}, packs: map[string]string{}}
	if err := set.Decode("destruct", &r.config); err != nil {
		return nil, fmt.Errorf("load destructive commands: %w", err)
	}
	r.config.Requests.prepare()
	var err error
	if r.shell, err = shell.New(set); err != nil {
		return nil, err
	}
	if r.permission, err = permission.New(set); err != nil {
		return nil, err
	}
	r.back = r.config.Backslash
	for i := range r.config.Rules {
		rule := &r.config.Rules[i]
		if rule.Form != "" && forms[rule.Form] == nil {
			return nil, fmt.Errorf("load destructive commands: rule %s: unknown form %q", rule.ID, rule.Form)
		}
		for _, name := range rule.Names {
			r.rules[name] = append(r.rules[name], rule)
		}
		r.packs[rule.ID] = rule.pack()
	}
	for i := range r.config.Writers {
		for _, name := range r.config.Writers[i].Names {
			r.writers[name] = append(r.writers[name], &r.config.Writers[i])
		}
	}
	for i := range r.config.Makers {
		for _, name := range r.config.Makers[i].Names {
			r.makers[name] = append(r.makers[name], &r.config.Makers[i])
		}
	}
	return r, nil
}
