package secrets

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "secrets" of the rule data.
type Config struct {
	Keywords map[string][]string `yaml:"keywords"` // gitleaks rule id → keywords instead of its own
	Generic  []string            `yaml:"generic"`  // gitleaks rules whose values are judged like literals after a name
	Judged   map[string]Look     `yaml:"judged"`   // gitleaks rule id → what its value must look like
	Before   map[string]int      `yaml:"before"`   // gitleaks rule id → bytes a match may begin before its keyword

	WholeWordLength int      `yaml:"whole_word_length"`
	Terms           []Term   `yaml:"terms"`
	Triggers        []string `yaml:"triggers"`
	SpokenAfter     []string `yaml:"spoken_after"`
	NotAfter        []string `yaml:"not_after"`
	NotBefore       []string `yaml:"not_before"`
	Never           []string `yaml:"never"`
	MockNames       []string `yaml:"mock_names"` // words of names whose values are examples
	WeakTerms       []string `yaml:"weak_terms"`

	NotChosen   []string `yaml:"not_chosen"`   // what a chosen password is not
	PhraseWords []string `yaml:"phrase_words"` // words that no passphrase has
	// ThingWords are those of names and texts about credentials, which no secret of words has;
	// PublicWords those near random literals that are not secret.
	ThingWords  []string        `yaml:"thing_words"`
	PublicWords []string        `yaml:"public_words"`
	CodeFiles   *pattern.Regexp `yaml:"code_files"` // in which entropy alone counts

	Calls      []CallRule `yaml:"calls"`       // calls that expect a credential
	Wrappers   []string   `yaml:"wrappers"`    // calls that turn a literal into bytes
	NeverGiven []string   `yaml:"never_given"` // arguments that are not credentials

	PlaceholderWords     []string        `yaml:"placeholder_words"`
	PlaceholderParts     []string        `yaml:"placeholder_parts"`
	PlaceholderPasswords []string        `yaml:"placeholder_passwords"`
	ReferenceParts       []string        `yaml:"reference_parts"`
	PlaceholderPatterns  *pattern.Regexp `yaml:"placeholder_patterns"`
	ReferencePatterns    *pattern.Regexp `yaml:"reference_patterns"`
	ReferenceStarts      []string        `yaml:"reference_starts"`
	PlainValues          []string        `yaml:"plain_values"`
	CommonPairs          []string        `yaml:"common_pairs"` // pairs of letters that words are made of

	Entropy         float64    `yaml:"entropy"`        // bits per character
	EntropyLength   int        `yaml:"entropy_length"` // bytes
	MinimumPassword int        `yaml:"minimum_password"`
	MinimumToken    int        `yaml:"minimum_token"`
	Confidence      Confidence `yaml:"confidence"`

	Files        *files.Table    `yaml:"-"` // which files are tests (SW-40, JD-50)
	MachineFiles *pattern.Regexp `yaml:"machine_files"`
	ConfigFiles  *pattern.Regexp `yaml:"config_files"`
	ShellFiles   *pattern.Regexp `yaml:"shell_files"`
	LabelFiles   *pattern.Regexp `yaml:"label_files"`

	DocumentFiles    *pattern.Regexp `yaml:"document_files"`
	DocumentExamples *pattern.Regexp `yaml:"document_examples"` // regular expressions on values
	PathKeys         []string        `yaml:"path_keys"`         // keys of a tool's input that name its file
}

// Term is a word that makes a name credential-like.
type Term struct {
	ID   string `yaml:"id"` // lower case, without separators
	Kind Kind   `yaml:"kind"`
}

// Kind selects the literals that count after a term.
type Kind string

// Kinds of terms, from the least to the most demanding.
const (
	KindPassword Kind = "password" // every literal except placeholders
	KindSecret   Kind = "secret"   // words without separators, or with digits
	KindToken    Kind = "token"    // only what looks generated
)

// Confidence is the confidence of each tier (B1).
type Confidence struct {
	Provider     float64 `yaml:"provider"`
	NamedEntropy float64 `yaml:"named_entropy"`
	NamedLiteral float64 `yaml:"named_literal"`
	Entropy      float64 `yaml:"entropy"`
	Placeholder  float64 `yaml:"placeholder"`
}

// LoadConfig reads the section "secrets".
func LoadConfig(set *rules.Set) (Config, error) {
	var c Config
	if err := set.Decode("secrets", &c); err != nil {
		return Config{}, fmt.Errorf("read the secret scanner's data: %w", err)
	}
	var err error
	c.Files, err = files.Load(set)
	return c, err
}

// Validate refuses kinds and looks that the scanner does not know and calls that name nothing.
func (c *Config) Validate() error {
	for _, t := range c.Terms {
		if t.Kind != KindPassword && t.Kind != KindSecret && t.Kind != KindToken {
			return fmt.Errorf("term %q has kind %q; choose password, secret or token", t.ID, t.Kind)
		}
	}
	for rule, look := range c.Judged {
		if !slices.Contains([]Look{LookChosen, LookGenerated, LookCookie, LookPhrase, LookBasic}, look) {
			return fmt.Errorf("judged rule %q has the look %q; choose chosen, generated, cookie, phrase or basic", rule, look)
		}
	}
	for _, call := range c.Calls {
		if len(call.Calls) == 0 {
			return fmt.Errorf("a row of calls names none; give some under calls.calls")
		}
		for _, name := range call.Calls {
			if len(name) < 3 || name[len(name)-1] != '(' && name[len(name)-1] != '{' {
				return fmt.Errorf("call %q does not end in ( or {; add the bracket", name)
			}
		}
		if call.Argument < 0 && call.Name == "" {
			return fmt.Errorf("calls %q name neither an argument nor a name", call.Calls)
		}
	}
	return nil
}
