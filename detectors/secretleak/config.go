package secretleak

import (
	"fmt"
	"strings"

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
		Words []string `yaml:"words"`
		Pairs []string `yaml:"pairs"`
		Not   []string `yaml:"not"`
	} `yaml:"names"`
	VariableEnds []string            `yaml:"variable_ends"`
	Files        []string            `yaml:"files"`
	Harmless     []string            `yaml:"harmless_files"`
	TestPaths    string              `yaml:"test_paths"`
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
	Reveals      []string            `yaml:"reveals"`
	Bare         []string            `yaml:"bare"`
	Verbose      []string            `yaml:"verbose_flags"`
	AuthHeader   string              `yaml:"auth_header"`
	ShownHeader  string              `yaml:"shown_header"`
	LocalHost    string              `yaml:"local_host"`
	Masks        []string            `yaml:"masks"`
	MaskCommands []string            `yaml:"mask_commands"`
	Masked       string              `yaml:"masked"`
	ShellMasked  string              `yaml:"shell_masked"`
	Placeholders string              `yaml:"placeholders"`
	Assignment   string              `yaml:"assignment"`
	Value        string              `yaml:"value"`
	Logging      string              `yaml:"logging"`
	Throwing     string              `yaml:"throwing"`
	Labels       string              `yaml:"labels"`
	Everything   string              `yaml:"everything"`
	Sending      string              `yaml:"sending"`
	SendsEnv     string              `yaml:"sends_environment"`
	LoginURL     string              `yaml:"login_url"`
	Settings     string              `yaml:"settings"`
	Asks         []string            `yaml:"asks"`
}

type instance struct {
	config config
	shell  *shell.Parser
	words  map[string]bool
	pairs  map[string]bool
	not    map[string]bool
	ends   map[string]bool

	files, harmless, reveals, bare, masks                                  *pattern.Regexp
	testPaths, authHeader, shownHeader, localHost                          *pattern.Regexp
	masked, shellMasked, placeholder, assignment, value                    *pattern.Regexp
	logging, throwing, labels, everything, sending, sendsEnv, login, reset *pattern.Regexp
}

func (d *instance) compile(set *rules.Set) error {
	c := &d.config
	d.words, d.pairs, d.not, d.ends = rules.Lookup(c.Names.Words), rules.Lookup(c.Names.Pairs), rules.Lookup(c.Names.Not), rules.Lookup(c.VariableEnds)
	from := pattern.For(set, "secretleak")
	for _, p := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"files", either(c.Files), &d.files},
		{"harmless_files", either(c.Harmless), &d.harmless},
		{"reveals", either(c.Reveals), &d.reveals},
		{"bare", either(c.Bare), &d.bare},
		{"masks", either(c.Masks), &d.masks},
		{"test_paths", c.TestPaths, &d.testPaths},
		{"auth_header", c.AuthHeader, &d.authHeader},
		{"shown_header", "(?m)" + c.ShownHeader, &d.shownHeader},
		{"local_host", c.LocalHost, &d.localHost},
		{"masked", c.Masked, &d.masked},
		{"shell_masked", c.ShellMasked, &d.shellMasked},
		{"placeholders", c.Placeholders, &d.placeholder},
		{"value", c.Value, &d.value},
		{"logging", c.Logging, &d.logging},
		{"throwing", c.Throwing, &d.throwing},
		{"labels", c.Labels, &d.labels},
		{"everything", c.Everything, &d.everything},
		{"sending", c.Sending, &d.sending},
		{"sends_environment", c.SendsEnv, &d.sendsEnv},
		{"login_url", c.LoginURL, &d.login},
		{"settings", c.Settings, &d.reset},
	} {
		var err error
		if *p.into, err = from.RE2(p.key, p.text); err != nil {
			return fmt.Errorf("start secret leaks: %w", err)
		}
	}
	var err error
	if d.assignment, err = from.Go("assignment", c.Assignment); err != nil { // RE2 needs milliseconds for such counted repeats
		return fmt.Errorf("start secret leaks: %w", err)
	}
	return nil
}

func either(list []string) string { return "(?:" + strings.Join(list, ")|(?:") + ")" }
