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
	LongestLine int    `yaml:"longest_line" range:"80..65536"`
	Sanitized   string `yaml:"sanitized"`
	Rules       []rule `yaml:"rules"`
}

// rule is one way in which a kind of template leaves a value unescaped.
type rule struct {
	ID     string `yaml:"id"`
	Files  string `yaml:"files"`
	Raw    string `yaml:"raw"`
	Unless string `yaml:"unless"`
	Inside string `yaml:"inside"` // what sanitizes the value if it precedes it on the line
	Source string `yaml:"source"`
	// Known is set if a value with an unknown source does not count.
	Known bool   `yaml:"known"`
	Sink  string `yaml:"sink"`
	Fix   string `yaml:"fix"`

	files, raw, unless, inside, source *pattern.Regexp
	as                                 *codepattern.Rule
}

// Reader finds unescaped values.
type Reader struct {
	section
	sanitized *pattern.Regexp
}

// New reads the rules of a set; an error names section and key.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{}
	if err := set.Decode("pagetemplate", &r.section); err != nil {
		return nil, err
	}
	from := pattern.For(set, "pagetemplate")
	var err error
	if r.sanitized, err = from.Go("sanitized", r.Sanitized); err != nil {
		return nil, err
	}
	for i := range r.Rules {
		if err := r.Rules[i].compile(from); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *rule) compile(from pattern.Compiler) (err error) {
	key := "rules." + r.ID
	if r.files, err = from.Go(key+".files", r.Files); err != nil {
		return err
	}
	if r.raw, err = from.Go(key+".raw", r.Raw, "value"); err != nil {
		return err
	}
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{{"unless", r.Unless, &r.unless}, {"inside", r.Inside, &r.inside}} {
		if c.text == "" {
			continue
		}
		if *c.into, err = from.Go(key+"."+c.key, c.text); err != nil {
			return err
		}
	}
	if r.source, err = from.Go(key+".source", r.Source); err != nil {
		return err
	}
	r.as = &codepattern.Rule{
		ID: "template-" + r.ID, Title: "A template that does not escape a value", CWE: 79,
		Flow: &codepattern.Flow{Category: "html"}, Message: "the template does not escape it", Fix: r.Fix,
		Labels: map[string]string{"sink": "HTML", "category": "html"},
	}
	return nil
}
