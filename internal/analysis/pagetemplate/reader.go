package pagetemplate

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// section is rules/pagetemplate.yaml.
type section struct {
	Confidence struct {
		Request float64 `yaml:"request" range:"0..1"`
		Unknown float64 `yaml:"unknown" range:"0..1"`
	} `yaml:"confidence"`
	LongestLine int             `yaml:"longest_line" range:"80..65536"`
	Sanitized   *pattern.Regexp `yaml:"sanitized"`
	Rules       []rule          `yaml:"rules"`
}

// rule is one way in which a kind of template leaves a value unescaped.
type rule struct {
	ID     string          `yaml:"id"`
	Files  *pattern.Regexp `yaml:"files"`
	Raw    *pattern.Regexp `yaml:"raw" pattern:"group=value"`
	Unless *pattern.Regexp `yaml:"unless" pattern:"optional"`
	Inside *pattern.Regexp `yaml:"inside" pattern:"optional"` // what sanitizes the value if it precedes it on the line
	Source *pattern.Regexp `yaml:"source"`
	// Known is set if a value with an unknown source does not count.
	Known bool   `yaml:"known"`
	Sink  string `yaml:"sink"`
	Fix   string `yaml:"fix"`

	as *codepattern.Rule
}

// Reader finds unescaped values.
type Reader struct {
	section
}

// New reads the rules of a set; an error names section and key.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{}
	if err := set.Decode("pagetemplate", &r.section); err != nil {
		return nil, err
	}
	for i := range r.Rules {
		r.Rules[i].prepare()
	}
	return r, nil
}

// prepare makes what the engine reports of the rule.
func (r *rule) prepare() {
	r.as = &codepattern.Rule{
		ID: "template-" + r.ID, Title: "A template that does not escape a value", CWE: 79,
		Flow: &codepattern.Flow{Category: "html"}, Message: "the template does not escape it", Fix: r.Fix,
		Labels: map[string]string{"sink": "HTML", "category": "html"},
	}
}
