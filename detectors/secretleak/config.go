package secretleak

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is rules/secretleak.yaml, which explains each field.
type config struct {
	RequestTurns int `yaml:"request_turns" range:"1..10000"`
	MaxLines     int `yaml:"max_lines" range:"1..100000"`
	Confidence   struct {
		Sent   float64 `yaml:"sent" range:"0..1"`
		Copied float64 `yaml:"copied" range:"0..1"`
		Shown  float64 `yaml:"shown" range:"0..1"`
		Likely float64 `yaml:"likely" range:"0..1"`
	} `yaml:"confidence"`
	Cost struct {
		Sent  int `yaml:"sent" range:"1..5"`
		Shown int `yaml:"shown" range:"1..5"`
	} `yaml:"cost"`
	CWE   map[way]int `yaml:"cwe"`
	Names struct {
		Words rules.Words `yaml:"words"`
		Pairs rules.Words `yaml:"pairs"`
		Not   rules.Words `yaml:"not"`
	} `yaml:"names"`
	VariableEnds rules.Words         `yaml:"variable_ends"`
	Files        *pattern.Regexp     `yaml:"files" pattern:"long"`
	Harmless     *pattern.Regexp     `yaml:"harmless_files" pattern:"long"`
	TestPaths    *pattern.Regexp     `yaml:"test_paths" pattern:"long"`
	Readers      []string            `yaml:"readers"`
	ListsOnly    []string            `yaml:"lists_only"`
	Printers     []string            `yaml:"printers"`
	Interpreters []string            `yaml:"interpreters"`
	Shells       []string            `yaml:"shells"`
	Dumps        []string            `yaml:"dumps"`
	DumpFlags    []string            `yaml:"dump_flags"`
	Encoders     []string            `yaml:"encoders"`
	Senders      []string            `yaml:"senders"`
	BodyFlags    []string            `yaml:"body_flags"`
	Copiers      []string            `yaml:"copiers"`
	Publishers   map[string][]string `yaml:"publishers"`
	Reveals      *pattern.Regexp     `yaml:"reveals" pattern:"long"`
	Bare         *pattern.Regexp     `yaml:"bare" pattern:"long"`
	Verbose      []string            `yaml:"verbose_flags"`
	AuthHeader   *pattern.Regexp     `yaml:"auth_header" pattern:"long"`
	ShownHeader  *pattern.Regexp     `yaml:"shown_header" pattern:"lines,long"`
	LocalHost    *pattern.Regexp     `yaml:"local_host" pattern:"long"`
	Masks        *pattern.Regexp     `yaml:"masks" pattern:"long"`
	MaskCommands []string            `yaml:"mask_commands"`
	Masked       *pattern.Regexp     `yaml:"masked" pattern:"long"`
	ShellMasked  *pattern.Regexp     `yaml:"shell_masked" pattern:"long"`
	Placeholders *pattern.Regexp     `yaml:"placeholders" pattern:"long"`
	Assignment   *pattern.Regexp     `yaml:"assignment"` // RE2 needs milliseconds for such counted repeats
	Value        *pattern.Regexp     `yaml:"value" pattern:"long"`
	Logging      *pattern.Regexp     `yaml:"logging" pattern:"long"`
	Throwing     *pattern.Regexp     `yaml:"throwing" pattern:"long"`
	Labels       *pattern.Regexp     `yaml:"labels" pattern:"long"`
	Everything   *pattern.Regexp     `yaml:"everything" pattern:"long"`
	Sending      *pattern.Regexp     `yaml:"sending" pattern:"long"`
	SendsEnv     *pattern.Regexp     `yaml:"sends_environment" pattern:"long"`
	LoginURL     *pattern.Regexp     `yaml:"login_url" pattern:"long"`
	Settings     *pattern.Regexp     `yaml:"settings" pattern:"long"`
	Asks         []string            `yaml:"asks"`
}

type instance struct {
	config config
	shell  *shell.Parser
}
