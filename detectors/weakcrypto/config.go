package weakcrypto

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is rules/weakcrypto.yaml; the patterns are in one section per language.
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
	SkippedFiles       *pattern.Regexp    `yaml:"skipped_files"`
	Acknowledgements   *pattern.Regexp    `yaml:"acknowledgements"`
	GrantingCode       *pattern.Regexp    `yaml:"granting_code"`
	OptIn              *pattern.Regexp    `yaml:"opt_in"`
	LiteralData        *pattern.Regexp    `yaml:"literal_data"`
	Salted             *pattern.Regexp    `yaml:"salted"`
	Shape              *pattern.Regexp    `yaml:"shape"`
	Picks              []*pattern.Regexp  `yaml:"picks"`
	Collections        []string           `yaml:"collections"`
	Kinds              map[string]policy  `yaml:"kinds"`
	Outranks           []string           `yaml:"outranks"`
	OutranksPlace      []string           `yaml:"outranks_place"`
	Auth               []family           `yaml:"auth"`
	Purposes           []family           `yaml:"purposes"`
}

// policy is how a kind of weakness is handled.
type policy struct {
	// Scopes are where a name of the auth context counts, nearest first; Shaped applies
	// in addition if the statement matches Shape.
	Scopes []string `yaml:"scopes" allow:"statement|function|path|import"`
	Shaped []string `yaml:"shaped" allow:"statement|function|path|import"`
	// Families are the families of auth that count; all if empty.
	Families []string `yaml:"families"`
	// Outside is the handling outside the auth context: log or silent.
	Outside string `yaml:"outside" allow:"log|silent"`
	// Purposes is set if a checksum or similar purpose means that it is only logged.
	Purposes bool `yaml:"purposes"`
	// Related selects the lines that use the statement's result and count as part of it, besides those
	// that feed it; empty selects none.
	Related string `yaml:"related" allow:"uses|assignments|"`
	// Verb is what the weakness does, for people: "protects".
	Verb string `yaml:"verb"`
}

// Validate refuses families that name what there is not, and choices without their one group.
func (c *config) Validate() error {
	for i, pick := range c.Picks {
		if n := pick.NumSubexp(); n != 1 {
			return &rules.Invalid{Path: []string{"picks", strconv.Itoa(i)}, Why: fmt.Sprintf("%q has %d groups, want one, the collection", pick, n)}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		for _, id := range c.Kinds[kind].Families {
			if !slices.ContainsFunc(c.Auth, func(f family) bool { return f.ID == id }) {
				return &rules.Invalid{Path: []string{"kinds", kind, "families"}, Why: fmt.Sprintf("unknown family %q under auth", id)}
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
			return fmt.Sprintf("unknown kind %q", kind)
		}
	}
	if slices.ContainsFunc(f.Phrases, func(p string) bool { return strings.TrimSpace(p) == "" }) {
		return "a phrase is empty"
	}
	return ""
}

type instance struct {
	config
	engine         *codepattern.Engine
	auth, purposes *vocabulary
	files          *files.Table
}

func newInstance(set *rules.Set) (detect.Instance, error) {
	d := &instance{}
	if err := set.Decode(section, &d.config); err != nil {
		return nil, err
	}
	d.auth, d.purposes = newVocabulary(d.config.Auth), newVocabulary(d.config.Purposes)
	var err error
	if d.engine, err = codepattern.Open(set, section, d.config.Languages, set.Checks(section), d.checkLabels); err != nil {
		return nil, err
	}
	d.files, err = files.Load(set)
	return d, err
}

// section is the name of the rule data.
const section = "weakcrypto"

// checkLabels validates what B3 itself stores with a pattern.
func (d *instance) checkLabels(r *codepattern.Rule) error {
	if kind := r.Labels["kind"]; d.Kinds[kind].Outside == "" {
		return fmt.Errorf("labels.kind is %q, want one of weakcrypto.kinds", kind)
	}
	if _, err := regexp.Compile(r.Labels["buffer"]); err != nil {
		return fmt.Errorf("labels.buffer: %w", err)
	}
	return nil
}
