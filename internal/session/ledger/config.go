package ledger

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/claim"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Limits bound the ledger: numbers of entries, bytes of stored texts, or sentences read
// per turn.
type Limits struct {
	Checks    int `yaml:"checks" range:"4..1000"`
	Files     int `yaml:"files" range:"4..10000"`
	Claims    int `yaml:"claims" range:"4..1000"`
	Promises  int `yaml:"promises" range:"1..1000"`
	Troubles  int `yaml:"troubles" range:"1..1000"`
	TextBytes int `yaml:"text_bytes" range:"40..2000"`
	Sentences int `yaml:"sentences" range:"1..10000"`
}

// section is the section ledger of the rule data, which explains each value.
type section struct {
	Limits    Limits   `yaml:"limits"`
	Documents string   `yaml:"documents"`
	Scratch   string   `yaml:"scratch"`
	Settings  string   `yaml:"settings"`
	Comments  []string `yaml:"comments"`
	Suites    []string `yaml:"suites"`
	// SuiteRunners are words of commands that run a suite.
	SuiteRunners   map[string][]string `yaml:"suite_runners"`
	Located        string              `yaml:"located"`
	Printed        string              `yaml:"printed"`
	Logs           string              `yaml:"logs"`
	AsksCode       string              `yaml:"asks_code"`
	Repaired       string              `yaml:"repaired"`
	Concealed      string              `yaml:"concealed"`
	Secret         string              `yaml:"secret"`
	Elsewhere      string              `yaml:"elsewhere"`
	Hedges         string              `yaml:"hedges"`
	Admits         string              `yaml:"admits"`
	NoChecks       string              `yaml:"no_checks"`
	Reports        string              `yaml:"reports"`
	FinishTools    []string            `yaml:"finish_tools"`
	FinishCommands string              `yaml:"finish_commands"`
	HandsOver      string              `yaml:"hands_over"`
	Forgiven       string              `yaml:"forgiven"`
	Crashed        string              `yaml:"crashed"`
	Aside          string              `yaml:"aside"`
	Troubles       string              `yaml:"troubles"`
	Conceals       string              `yaml:"conceals"`
	TodoTests      string              `yaml:"todo_tests"`
	TodoRuns       string              `yaml:"todo_runs"`
	TodoFiles      string              `yaml:"todo_files"`
	TodoCreates    string              `yaml:"todo_creates"`
	Exists         string              `yaml:"exists"`
	ByHand         string              `yaml:"by_hand"`
	RequestKeys    string              `yaml:"request_keys"`
	Defines        string              `yaml:"defines"`
	Single         string              `yaml:"single"`
	Beyond         string              `yaml:"beyond"`
	Intermittent   string              `yaml:"intermittent"`
	Repeats        string              `yaml:"repeats"`
	EnoughRuns     int                 `yaml:"enough_runs" range:"2..1000"`
	Records        string              `yaml:"records"`
	Lacking        string              `yaml:"lacking"`
	Probes         string              `yaml:"probes"`
	Demands        string              `yaml:"demands"`
	Ambient        string              `yaml:"ambient"`
	InlineTests    string              `yaml:"inline_tests"`
	Blames         []struct {
		Kind  sessionevents.ClaimKind `yaml:"kind" allow:"tests|build|lint"`
		Names string                  `yaml:"names"`
	} `yaml:"blames"`
	// Acts configures commands that perform what a claim can state; Keys matches a line
	// that sets a variable.
	Acts    []actKind `yaml:"acts"`
	Keys    string    `yaml:"keys"`
	Runners []struct {
		Files string `yaml:"files"`
		Test  string `yaml:"test"`
		Build string `yaml:"build"`
	} `yaml:"runners"`
}

// Config is the compiled rule data of the ledger. It is immutable and shared.
type Config struct {
	section
	documents, scratch, settings, keys                  *pattern.Regexp
	hedges, admits, noChecks, reports, finishCommands   *pattern.Regexp
	handsOver, aside, troubles, conceals, forgiven      *pattern.Regexp
	crashed, located, printed, logs, asksCode, repaired *pattern.Regexp
	todoTests, todoRuns, todoFiles, todoCreates         *pattern.Regexp
	concealed, secret, elsewhere, single, beyond        *pattern.Regexp
	intermittent, repeats, records, probes, demands     *pattern.Regexp
	lacking, ambient, inlineTests, exists, requestKeys  *pattern.Regexp
	defines, byHand                                     *pattern.Regexp
	runners, blames                                     []*pattern.Regexp
	acts                                                []compiledAct
	reader                                              *claim.Reader
	commands                                            *shell.Parser
	files                                               *files.Table
}

// Load compiles the section ledger of the rule data.
func Load(set *rules.Set) (*Config, error) {
	c := &Config{}
	if err := set.Decode("ledger", &c.section); err != nil {
		return nil, err
	}
	var err error
	if c.reader, err = claim.New(set); err != nil {
		return nil, err
	}
	if c.commands, err = shell.New(set); err != nil {
		return nil, err
	}
	from := pattern.For(set, "ledger")
	if c.files, err = files.Load(set); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"documents", c.Documents, &c.documents},
		{"scratch", c.Scratch, &c.scratch},
		{"settings", c.Settings, &c.settings},
		{"hedges", "(?i)" + c.Hedges, &c.hedges},
		{"admits", "(?i)" + c.Admits, &c.admits},
		{"located", c.Located, &c.located},
		{"printed", c.Printed, &c.printed},
		{"logs", c.Logs, &c.logs},
		{"asks_code", c.AsksCode, &c.asksCode},
		{"repaired", c.Repaired, &c.repaired},
		{"concealed", c.Concealed, &c.concealed},
		{"elsewhere", c.Elsewhere, &c.elsewhere},
		{"secret", c.Secret, &c.secret},
		{"no_checks", "(?i)" + c.NoChecks, &c.noChecks},
		{"reports", "(?i)" + c.Reports, &c.reports},
		{"finish_commands", c.FinishCommands, &c.finishCommands},
		{"hands_over", c.HandsOver, &c.handsOver},
		{"forgiven", c.Forgiven, &c.forgiven},
		{"crashed", c.Crashed, &c.crashed},
		{"aside", c.Aside, &c.aside},
		{"troubles", c.section.Troubles, &c.troubles},
		{"conceals", "(?i)" + c.Conceals, &c.conceals},
		{"todo_tests", c.TodoTests, &c.todoTests},
		{"todo_runs", c.TodoRuns, &c.todoRuns},
		{"todo_files", c.TodoFiles, &c.todoFiles},
		{"todo_creates", c.TodoCreates, &c.todoCreates},
		{"exists", c.Exists, &c.exists},
		{"by_hand", "(?i)" + c.ByHand, &c.byHand},
		{"request_keys", c.RequestKeys, &c.requestKeys},
		{"single", c.Single, &c.single},
		{"beyond", c.Beyond, &c.beyond},
		{"intermittent", "(?i)" + c.Intermittent, &c.intermittent},
		{"repeats", c.Repeats, &c.repeats},
		{"records", "(?i)" + c.Records, &c.records},
		{"lacking", c.Lacking, &c.lacking},
		{"probes", c.Probes, &c.probes},
		{"demands", "(?i)" + c.Demands, &c.demands},
		{"ambient", "(?i)" + c.Ambient, &c.ambient},
		{"inline_tests", c.InlineTests, &c.inlineTests},
	} {
		if *p.into, err = from.RE2(p.key, p.text); err != nil {
			return nil, err
		}
	}
	return c, c.compileLists(from)
}

// isTest reports whether a path is test code.
func (c *Config) isTest(path string) bool { return c.files.Is(path, files.Test) }

func (c *Config) compileLists(from pattern.Compiler) error {
	var err error
	if c.defines, err = from.Go("defines", c.Defines); err != nil {
		return err
	}
	if c.keys, err = from.Go("keys", c.Keys); err != nil {
		return err
	}
	for i, k := range c.Acts {
		compiled, err := k.compile(from, fmt.Sprintf("acts.%d", i))
		if err != nil {
			return err
		}
		c.acts = append(c.acts, compiled)
	}
	for i, r := range c.Runners {
		compiled, err := from.Go(fmt.Sprintf("runners.%d.files", i), r.Files)
		if err != nil {
			return err
		}
		c.runners = append(c.runners, compiled)
	}
	for i, b := range c.Blames {
		compiled, err := from.Go(fmt.Sprintf("blames.%d.names", i), "(?i)"+b.Names)
		if err != nil {
			return err
		}
		c.blames = append(c.blames, compiled)
	}
	return nil
}
