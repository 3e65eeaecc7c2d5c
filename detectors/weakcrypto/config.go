package weakcrypto

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is rules/weakcrypto.yaml; the patterns stand in one section a language.
type config struct {
	Languages          []string           `yaml:"languages"`
	SelfCorrect        float64            `yaml:"self_correct" range:"0..1"`
	AuthCost           int                `yaml:"auth_cost" range:"1..5"`
	OtherCost          int                `yaml:"other_cost" range:"1..5"`
	AuthFloor          float64            `yaml:"auth_floor" range:"0..5"`
	AcknowledgedCap    float64            `yaml:"acknowledged_cap" range:"0..5"`
	ScopeConfidence    map[string]float64 `yaml:"scope_confidence" range:"0..1"`
	OtherConfidence    float64            `yaml:"other_confidence" range:"0..1"`
	AcknowledgedFactor float64            `yaml:"acknowledged_factor" range:"0..1"`
	StatementLines     int                `yaml:"statement_lines" range:"1..200"`
	TestFactor         float64            `yaml:"test_factor" range:"0..1"`
	Reach              int                `yaml:"reach" range:"0..100"`
	PerTurn            int                `yaml:"per_turn" range:"1..1000"`
	Remembered         int                `yaml:"remembered" range:"1..256"`
	SkippedFiles       string             `yaml:"skipped_files"`
	Acknowledgements   string             `yaml:"acknowledgements"`
	GrantingCode       string             `yaml:"granting_code"`
	Salted             string             `yaml:"salted"`
	Shape              string             `yaml:"shape"`
	Picks              []string           `yaml:"picks"`
	Collections        []string           `yaml:"collections"`
	Kinds              map[string]policy  `yaml:"kinds"`
	Outranks           []string           `yaml:"outranks"`
	Auth               []family           `yaml:"auth"`
	Purposes           []family           `yaml:"purposes"`
}

// policy is what is done with a kind of weakness.
type policy struct {
	// Scopes are where a name of the auth context counts, nearest first;
	// Shaped count as well where the statement matches Shape.
	Scopes []string `yaml:"scopes" allow:"statement|function|path|import"`
	Shaped []string `yaml:"shaped" allow:"statement|function|path|import"`
	// Families are those of auth that count, all where none is given.
	Families []string `yaml:"families"`
	// Outside of the auth context: log or silent.
	Outside string `yaml:"outside" allow:"log|silent"`
	// Purposes says that a checksum or its like makes it a matter for the log.
	Purposes bool `yaml:"purposes"`
	// Related says which lines that use what the statement makes count as it,
	// beside those that feed it; none where it is left out.
	Related string `yaml:"related" allow:"uses|assignments|"`
	// What the weakness does, for people: "protects".
	Verb string `yaml:"verb"`
}

// Validate refuses families that name what there is not.
func (c *config) Validate() error {
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		for _, id := range c.Kinds[kind].Families {
			if !slices.ContainsFunc(c.Auth, func(f family) bool { return f.ID == id }) {
				return &rules.Invalid{Path: []string{"kinds", kind, "families"}, Why: fmt.Sprintf("there is no family %q under auth", id)}
			}
		}
	}
	for _, list := range []struct {
		key      string
		families []family
	}{{"auth", c.Auth}, {"purposes", c.Purposes}} {
		for i := range list.families {
			if why := c.fault(&list.families[i]); why != "" {
				return &rules.Invalid{Path: []string{list.key, list.families[i].ID}, Why: why}
			}
		}
	}
	return nil
}

func (c *config) fault(f *family) string {
	for _, kind := range f.Kinds {
		if _, ok := c.Kinds[kind]; !ok {
			return fmt.Sprintf("there is no kind %q", kind)
		}
	}
	if slices.ContainsFunc(f.Phrases, func(p string) bool { return strings.TrimSpace(p) == "" }) {
		return "a phrase is empty"
	}
	return ""
}

type instance struct {
	config
	// buffers are, by rule, how a language makes a buffer of zeros.
	buffers                                        map[string]*regexp.Regexp
	engine                                         *codepattern.Engine
	auth, purposes                                 *vocabulary
	skipped, acknowledged, granting, salted, shape *regexp.Regexp
	testFile                                       *regexp.Regexp
	picks                                          []*regexp.Regexp // each with a group, the collection
}

func newInstance(set *rules.Set) (detect.Instance, error) {
	d := &instance{buffers: map[string]*regexp.Regexp{}}
	if err := set.Decode(section, &d.config); err != nil {
		return nil, err
	}
	d.auth, d.purposes = newVocabulary(d.config.Auth), newVocabulary(d.config.Purposes)
	for _, expression := range []struct {
		key, text string
		into      **regexp.Regexp
	}{
		{"skipped_files", d.SkippedFiles, &d.skipped},
		{"acknowledgements", d.Acknowledgements, &d.acknowledged},
		{"granting_code", d.GrantingCode, &d.granting},
		{"salted", d.Salted, &d.salted},
		{"shape", d.Shape, &d.shape},
	} {
		compiled, err := regexp.Compile(expression.text)
		if err != nil {
			return nil, fmt.Errorf("rules: %s.%s: %w", section, expression.key, err)
		}
		*expression.into = compiled
	}
	if err := d.compilePicks(); err != nil {
		return nil, err
	}
	patterns, err := d.patterns(set)
	if err != nil {
		return nil, err
	}
	if d.engine, err = codepattern.New(set, section, patterns); err != nil {
		return nil, err
	}
	d.testFile, err = secrets.TestFilePattern(set)
	return d, err
}

// section is the name of the rule data.
const section = "weakcrypto"

// patterns are the rules of all languages; each must say which kind it is.
func (d *instance) patterns(set *rules.Set) ([]codepattern.Rule, error) {
	var out []codepattern.Rule
	for _, language := range d.config.Languages {
		var file struct {
			Rules []codepattern.Rule `yaml:"rules"`
		}
		if err := set.Decode(section+"_"+language, &file); err != nil {
			return nil, err
		}
		for i := range file.Rules {
			if err := d.label(&file.Rules[i]); err != nil {
				return nil, fmt.Errorf("rules: %s_%s: rules.%s: %w", section, language, file.Rules[i].ID, err)
			}
		}
		out = append(out, file.Rules...)
	}
	return out, nil
}

// label reads what B3 itself keeps with a pattern.
func (d *instance) label(r *codepattern.Rule) error {
	if kind := r.Labels["kind"]; d.Kinds[kind].Outside == "" {
		return fmt.Errorf("labels.kind is %q, want one of weakcrypto.kinds", kind)
	}
	buffer := r.Labels["buffer"]
	if buffer == "" {
		return nil
	}
	fresh, err := regexp.Compile(buffer)
	if err != nil {
		return fmt.Errorf("labels.buffer: %w", err)
	}
	d.buffers[r.ID] = fresh
	return nil
}
