// Package pagetemplate finds values that a template inserts into a page without escaping
// them (B2). It matches lines with the patterns of rules/pagetemplate.yaml; package
// codepattern handles code.
package pagetemplate

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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

// Read returns the unescaped values in the added lines of a template.
func (r *Reader) Read(s *sessionevents.Segment) (found []codepattern.Match) {
	if s.Diff == nil || s.Path == "" {
		return nil
	}
	for i := range r.Rules {
		if one := &r.Rules[i]; one.Files.MatchString(s.Path) {
			found = append(found, r.read(one, s.Diff)...)
		}
	}
	return found
}

func (r *Reader) read(one *rule, diff *sessionevents.Diff) (found []codepattern.Match) {
	offset := 0
	for _, l := range diff.Added() {
		if len(l.Text) <= r.LongestLine {
			for _, at := range one.Raw.FindAllStringSubmatchIndex(l.Text, 16) {
				if m, is := r.match(one, l, at, diff); is {
					m.Offset = offset + at[0]
					found = append(found, m)
				}
			}
		}
		offset += len(l.Text) + 1
	}
	return found
}

// match returns one place; false if the value is sanitized, or its required source is
// unknown.
func (r *Reader) match(one *rule, l sessionevents.Line, at []int, diff *sessionevents.Diff) (codepattern.Match, bool) {
	value, all := strings.TrimSpace(one.Raw.Group(l.Text, at, "value")), l.Text[at[0]:at[1]]
	if value == "" || literal(value) || r.Sanitized.MatchString(all) || one.Unless != nil && one.Unless.MatchString(all) || one.Inside != nil && one.Inside.MatchString(l.Text[:at[0]]) {
		return codepattern.Match{}, false
	}
	m := codepattern.Match{
		Rule: one.as, Confidence: r.Confidence.Unknown, Length: at[1] - at[0], Line: l.Number, Statement: strings.TrimSpace(l.Text),
		Callee: one.Sink, Value: value, Source: value, Origin: codepattern.Unknown, Tier: "tree",
	}
	if given := r.given(one, value, diff); given != "" {
		m.Origin, m.Source, m.Confidence = codepattern.Request, given, r.Confidence.Request
	}
	return m, m.Origin == codepattern.Request || !one.Known
}

// given returns the request data that a value is, or that was assigned to its variable in
// the hunk; "" for none.
func (r *Reader) given(one *rule, value string, diff *sessionevents.Diff) string {
	if one.Source.MatchString(value) {
		return value
	}
	name := identifier.FindString(value)
	if name == "" {
		return ""
	}
	for _, h := range diff.Hunks {
		for _, l := range h.Lines {
			if l == "" || l[0] == '-' || len(l) > r.LongestLine {
				continue
			}
			for _, m := range assigned.FindAllStringSubmatch(l[1:], 8) {
				if m[1] == name && one.Source.MatchString(m[2]) && !r.Sanitized.MatchString(m[2]) {
					return strings.TrimSpace(m[2])
				}
			}
		}
	}
	return ""
}

var (
	identifier = pattern.Must(`^[A-Za-z_$@][\w$]*$`)
	assigned   = pattern.Must(`([A-Za-z_$@][\w$]*)\s*(?::[^=:]+)?[=:]\s*([^=\s](?:[^;%]|%[^}])*)`)
)

// literal reports whether a value is a text of the template itself.
func literal(value string) bool {
	first, last := value[0], value[len(value)-1]
	return len(value) > 1 && first == last && (first == '"' || first == '\'' || first == '`') && strings.IndexByte(value[1:len(value)-1], first) < 0 &&
		!strings.Contains(value, "${") && !strings.Contains(value, "#{")
}
