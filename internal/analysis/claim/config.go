package claim

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// phrase is one wording of a kind of claim.
type phrase struct {
	then  *pattern.Regexp         // nil for anything
	Kind  sessionevents.ClaimKind `yaml:"kind" allow:"tests|build|lint|works|done|deployed|cause|excuse|created|deleted|moved|committed|pushed|pull_request|tagged|installed|applied|variable|endpoint"`
	Broad bool                    `yaml:"broad"`
	Loose bool                    `yaml:"loose"`
	// Names is what a clause must name to be a claim, Where on which side of the words.
	// Then must match the words that follow.
	Names   string `yaml:"names" allow:"path|variable|address"`
	Where   string `yaml:"where" allow:"before"`
	Then    string `yaml:"then"`
	Pattern string `yaml:"pattern"`
}

// section is the section claims of the rule data, which explains each value.
type section struct {
	Marks     []string `yaml:"marks"`
	Splits    string   `yaml:"splits"`
	Claims    []phrase `yaml:"claims"`
	Linted    string   `yaml:"linted"`
	Excused   string   `yaml:"excused"`
	Denied    string   `yaml:"denied"`
	Guesses   string   `yaml:"guesses"`
	Partly    string   `yaml:"partly"`
	UnitTests string   `yaml:"unit_tests"`
	Entire    string   `yaml:"entire"`
	Made      string   `yaml:"made"`
	Maker     string   `yaml:"maker"`
	AddsTests string   `yaml:"adds_tests"`
	Wired     string   `yaml:"wired"`
	Whole     string   `yaml:"whole"`
	Negated   string   `yaml:"negated"`
	Affirmed  string   `yaml:"affirmed"`
	Claimed   string   `yaml:"claimed"`
	Plans     string   `yaml:"plans"`
	Supposed  string   `yaml:"supposed"`
	Labels    string   `yaml:"labels"`
	Remarks   string   `yaml:"remarks"`
	Foreign   string   `yaml:"foreign"`
	Suites    string   `yaml:"suites"`
	Nouns     string   `yaml:"nouns"`
	Figures   string   `yaml:"figures"`
	Paths     string   `yaml:"paths"`
	Variables string   `yaml:"variables"`
	Addresses string   `yaml:"addresses"`
	Places    string   `yaml:"places"`
	Beside    string   `yaml:"beside"`
}

// Reader reads claims. It is immutable and safe for concurrent use.
type Reader struct {
	phrases                                                             []phrase
	claims                                                              *pattern.Set
	marks, splits, linted, excused, denied, guesses                     *pattern.Regexp
	partly, unitTests, entire                                           *pattern.Regexp
	made, maker, addsTests, wired, whole                                *pattern.Regexp
	negated, affirmed, claimed, plans, supposed                         *pattern.Regexp
	labels, remarks, foreign                                            *pattern.Regexp
	suites, nouns, figures, paths, variables, addresses, places, beside *pattern.Regexp
}

// New compiles the section claims of the rule data.
func New(set *rules.Set) (*Reader, error) {
	var c section
	if err := set.Decode("claims", &c); err != nil {
		return nil, fmt.Errorf("load claims: %w", err)
	}
	r := &Reader{phrases: c.Claims}
	from := pattern.For(set, "claims")
	for _, p := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"marks", "(?i)" + strings.Join(c.Marks, "|"), &r.marks},
		{"splits", c.Splits, &r.splits},
		{"linted", "(?i)" + c.Linted, &r.linted},
		{"excused", "(?i)" + c.Excused, &r.excused},
		{"denied", "(?i)" + c.Denied, &r.denied},
		{"guesses", "(?i)" + c.Guesses, &r.guesses},
		{"partly", "(?i)" + c.Partly, &r.partly},
		{"unit_tests", "(?i)" + c.UnitTests, &r.unitTests},
		{"entire", "(?i)" + c.Entire, &r.entire},
		{"made", c.Made, &r.made},
		{"maker", c.Maker, &r.maker},
		{"adds_tests", c.AddsTests, &r.addsTests},
		{"wired", "(?i)" + c.Wired, &r.wired},
		{"whole", "(?i)" + c.Whole, &r.whole},
		{"negated", "(?i)" + c.Negated, &r.negated},
		{"affirmed", "(?i)" + c.Affirmed, &r.affirmed},
		{"claimed", "(?i)" + c.Claimed, &r.claimed},
		{"plans", "(?i)" + c.Plans, &r.plans},
		{"supposed", "(?i)" + c.Supposed, &r.supposed},
		{"labels", c.Labels, &r.labels},
		{"remarks", c.Remarks, &r.remarks},
		{"foreign", c.Foreign, &r.foreign},
		{"suites", c.Suites, &r.suites},
		{"nouns", c.Nouns, &r.nouns},
		{"figures", c.Figures, &r.figures},
		{"paths", c.Paths, &r.paths},
		{"variables", c.Variables, &r.variables},
		{"addresses", c.Addresses, &r.addresses},
		{"places", c.Places, &r.places},
		{"beside", "(?i)" + c.Beside, &r.beside},
	} {
		var err error
		if *p.into, err = from.RE2(p.key, p.text); err != nil {
			return nil, fmt.Errorf("load claims: %w", err)
		}
	}
	patterns := make([]string, len(c.Claims))
	var err error
	for i := range r.phrases {
		p := &r.phrases[i]
		patterns[i] = "(?i)" + p.Pattern
		if p.Then == "" {
			continue
		}
		if p.then, err = from.RE2("claims.then", "(?i)"+p.Then); err != nil {
			return nil, fmt.Errorf("load claims: %w", err)
		}
	}
	if r.claims, err = from.Set("claims", patterns); err != nil {
		return nil, fmt.Errorf("load claims: %w", err)
	}
	return r, nil
}
