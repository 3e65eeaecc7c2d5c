package ledger

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/claim"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
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
	Limits    Limits          `yaml:"limits"`
	Documents *pattern.Regexp `yaml:"documents" pattern:"long"`
	Scratch   *pattern.Regexp `yaml:"scratch" pattern:"long"`
	Outputs   *pattern.Regexp `yaml:"outputs" pattern:"long"`
	Shared    *pattern.Regexp `yaml:"shared" pattern:"long"`
	Settings  *pattern.Regexp `yaml:"settings" pattern:"long"`
	Comments  []string        `yaml:"comments"`
	Suites    []string        `yaml:"suites"`
	// SuiteRunners are words of commands that run a suite.
	SuiteRunners map[string][]string `yaml:"suite_runners"`
	Located      *pattern.Regexp     `yaml:"located" pattern:"long"`
	Printed      *pattern.Regexp     `yaml:"printed" pattern:"long"`
	Logs         *pattern.Regexp     `yaml:"logs" pattern:"long"`
	AsksCode     *pattern.Regexp     `yaml:"asks_code" pattern:"long"`
	Repaired     *pattern.Regexp     `yaml:"repaired" pattern:"long"`
	Concealed    *pattern.Regexp     `yaml:"concealed" pattern:"long"`
	Secret       *pattern.Regexp     `yaml:"secret" pattern:"long"`
	Elsewhere    *pattern.Regexp     `yaml:"elsewhere" pattern:"long"`
	Remote       remoteRules         `yaml:"remote"`
	Hedges       *pattern.Regexp     `yaml:"hedges" pattern:"fold,long"`
	Admits       *pattern.Regexp     `yaml:"admits" pattern:"fold,long"`
	Rests        *pattern.Regexp     `yaml:"rests" pattern:"long"`
	Explains     *pattern.Regexp     `yaml:"explains" pattern:"fold,long"`
	Everywhere   *pattern.Regexp     `yaml:"everywhere" pattern:"long"`
	AllOfIt      *pattern.Regexp     `yaml:"all_of_it" pattern:"long"`
	HandChecked  *pattern.Regexp     `yaml:"hand_checked" pattern:"fold,long"`
	Fixes        *pattern.Regexp     `yaml:"fixes" pattern:"long"`
	Builds       *pattern.Regexp     `yaml:"builds" pattern:"long"`
	Versions     *pattern.Regexp     `yaml:"versions"`
	// Circumstances are conditions that words of a claim name, and what a command has that meets them.
	Circumstances []struct {
		Words   *pattern.Regexp `yaml:"words"`
		Command *pattern.Regexp `yaml:"command"`
	} `yaml:"circumstances"`
	// Alternatives matches two things, its groups, for both of which something holds.
	Alternatives *pattern.Regexp `yaml:"alternatives" pattern:"fold"`
	// Omits are tests that a command leaves out by the custom of its runner.
	Omits []struct {
		Command *pattern.Regexp `yaml:"command"`
		Unless  *pattern.Regexp `yaml:"unless"`
		Files   *pattern.Regexp `yaml:"files"`
	} `yaml:"omits"`
	Prepares    *pattern.Regexp `yaml:"prepares" pattern:"long"`
	OwnPrograms *pattern.Regexp `yaml:"own_programs" pattern:"long"`
	Introduces  *pattern.Regexp `yaml:"introduces"`
	OfItself    *pattern.Regexp `yaml:"of_itself"`
	OnlyLoads   *pattern.Regexp `yaml:"only_loads" pattern:"long"`
	Rehearses   *pattern.Regexp `yaml:"rehearses" pattern:"long"`
	Packages    *pattern.Regexp `yaml:"packages"`
	Excludes    *pattern.Regexp `yaml:"excludes"`
	Measures    *pattern.Regexp `yaml:"measures"`
	Gauges      *pattern.Regexp `yaml:"gauges"`
	Linters     *pattern.Regexp `yaml:"linters" pattern:"long"`
	LinterWords []struct {
		Words  *pattern.Regexp `yaml:"words" pattern:"fold"`
		Linter string          `yaml:"linter"`
	} `yaml:"linter_words"`
	Everything     []string        `yaml:"everything"`
	Narrowing      rules.Words     `yaml:"narrowing"`
	Projects       []string        `yaml:"projects"`
	Launches       *pattern.Regexp `yaml:"launches" pattern:"fold"`
	Answers        *pattern.Regexp `yaml:"answers" pattern:"long"`
	Interpreters   []string        `yaml:"interpreters"`
	Links          *pattern.Regexp `yaml:"links" pattern:"long"`
	Beside         *pattern.Regexp `yaml:"beside"`
	Unfinished     *pattern.Regexp `yaml:"unfinished"`
	NoChecks       *pattern.Regexp `yaml:"no_checks" pattern:"fold,long"`
	Reports        *pattern.Regexp `yaml:"reports" pattern:"fold,long"`
	Edits          *pattern.Regexp `yaml:"edits" pattern:"fold,long"`
	EditPlaces     *pattern.Regexp `yaml:"edit_places" pattern:"fold"`
	EditVerbs      []editVerb      `yaml:"edit_verbs"`
	Settles        rules.Words     `yaml:"settles"`
	FinishTools    []string        `yaml:"finish_tools"`
	FinishCommands *pattern.Regexp `yaml:"finish_commands" pattern:"long"`
	HandsOver      *pattern.Regexp `yaml:"hands_over" pattern:"long"`
	Forgiven       *pattern.Regexp `yaml:"forgiven" pattern:"long"`
	Silenced       *pattern.Regexp `yaml:"silenced"`
	Crashed        *pattern.Regexp `yaml:"crashed" pattern:"long"`
	Joins          *pattern.Regexp `yaml:"joins" pattern:"long"`
	Aside          *pattern.Regexp `yaml:"aside" pattern:"long"`
	Stashes        *pattern.Regexp `yaml:"stashes"`
	Unstashes      *pattern.Regexp `yaml:"unstashes"`
	Things         *pattern.Regexp `yaml:"things"`
	Troubles       *pattern.Regexp `yaml:"troubles" pattern:"long"`
	Conceals       *pattern.Regexp `yaml:"conceals" pattern:"fold,long"`
	TodoTests      *pattern.Regexp `yaml:"todo_tests" pattern:"long"`
	TodoRuns       *pattern.Regexp `yaml:"todo_runs" pattern:"long"`
	TodoFiles      *pattern.Regexp `yaml:"todo_files" pattern:"long"`
	TodoCreates    *pattern.Regexp `yaml:"todo_creates" pattern:"long"`
	Exists         *pattern.Regexp `yaml:"exists" pattern:"long"`
	ByHand         *pattern.Regexp `yaml:"by_hand" pattern:"fold,long"`
	RequestKeys    *pattern.Regexp `yaml:"request_keys" pattern:"long"`
	Defines        *pattern.Regexp `yaml:"defines"`
	Single         *pattern.Regexp `yaml:"single" pattern:"long"`
	Beyond         *pattern.Regexp `yaml:"beyond" pattern:"long"`
	Intermittent   *pattern.Regexp `yaml:"intermittent" pattern:"fold,long"`
	Repeats        *pattern.Regexp `yaml:"repeats" pattern:"long"`
	EnoughRuns     int             `yaml:"enough_runs" range:"2..1000"`
	Records        *pattern.Regexp `yaml:"records" pattern:"fold,long"`
	Lacking        *pattern.Regexp `yaml:"lacking" pattern:"long"`
	Probes         *pattern.Regexp `yaml:"probes" pattern:"long"`
	Demands        *pattern.Regexp `yaml:"demands" pattern:"fold,long"`
	Ambient        *pattern.Regexp `yaml:"ambient" pattern:"fold,long"`
	InlineTests    *pattern.Regexp `yaml:"inline_tests" pattern:"long"`
	Blames         []struct {
		Kind  sessionevents.ClaimKind `yaml:"kind" allow:"tests|build|lint"`
		Names *pattern.Regexp         `yaml:"names" pattern:"fold"`
	} `yaml:"blames"`
	// ActOf are the sorts of things that acts of a kind are about, by words of a claim.
	ActOf []struct {
		Of    string          `yaml:"of"`
		Words *pattern.Regexp `yaml:"words" pattern:"fold"`
	} `yaml:"act_of"`
	// Acts configures commands that perform what a claim can state; Keys matches a line
	// that sets a variable.
	Acts    []actKind       `yaml:"acts"`
	Keys    *pattern.Regexp `yaml:"keys"`
	Assigns *pattern.Regexp `yaml:"assigns"`
	// Rewrites matches a command that writes into a file.
	Rewrites *pattern.Regexp `yaml:"rewrites"`
	Runners  []struct {
		Files *pattern.Regexp `yaml:"files"`
		Test  string          `yaml:"test"`
		Build string          `yaml:"build"`
	} `yaml:"runners"`
}

// editVerb are verbs of a claim that speak of lines that an edit added ("+"), removed ("-") or either ("=").
type editVerb struct {
	Words *pattern.Regexp `yaml:"words" pattern:"fold"`
	Side  string          `yaml:"side" allow:"+|-|="`
}

// Config is the compiled rule data of the ledger. It is immutable and shared.
type Config struct {
	section
	reader   *claim.Reader
	commands *shell.Parser
	files    *files.Table
	workdirs []string // the segmenter's names for the folder of a call
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
	if c.files, err = files.Load(set); err != nil {
		return nil, err
	}
	if c.workdirs, err = segment.WorkdirFields(set); err != nil {
		return nil, err
	}
	return c, nil
}

// ofPart reports whether a command is told to check one package or folder.
func (c *Config) ofPart(command string) bool {
	return slices.ContainsFunc(c.Packages.FindAllStringSubmatch(command, -1), func(m []string) bool {
		return m[1] != "" && !c.Scratch.MatchString(m[1]+"/")
	})
}

// isTest reports whether a path is test code.
func (c *Config) isTest(path string) bool { return c.files.Is(path, files.Test) }
