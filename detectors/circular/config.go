package circular

import (
	"regexp"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section circular of the rule data, which explains each value.
type config struct {
	Similar       float64 `yaml:"similar" range:"0.01..1"`
	AskedWords    int     `yaml:"asked_words" range:"1..20"`
	RaisedWords   int     `yaml:"raised_words" range:"1..20"`
	QueueAt       int     `yaml:"queue_at" range:"1..100"`
	FireAt        int     `yaml:"fire_at" range:"1..100"`
	Remembered    int     `yaml:"remembered" range:"1..1000"`
	QuestionWords int     `yaml:"question_words" range:"3..100"`
	ChoicesKept   int     `yaml:"choices_kept" range:"2..100"`
	SubjectWords  int     `yaml:"subject_words" range:"3..15"`
	UndoneTurns   int     `yaml:"undone_turns" range:"1..100"`
	FindingsKept  int     `yaml:"findings_kept" range:"1..100"`
	ResultsKept   int     `yaml:"results_kept" range:"1..200"`
	Plan          struct {
		Words int     `yaml:"words" range:"1..10000"`
		Share float64 `yaml:"share" range:"0.01..1"`
	} `yaml:"plan"`
	Confidence struct {
		Flipped      float64 `yaml:"flipped" range:"0..1"`
		Returned     float64 `yaml:"returned" range:"0..1"`
		Reconsidered float64 `yaml:"reconsidered" range:"0..1"`
		Asked        float64 `yaml:"asked" range:"0..1"`
		Reversed     float64 `yaml:"reversed" range:"0..1"`
		Repeated     float64 `yaml:"repeated" range:"0..1"`
		Withdrawn    float64 `yaml:"withdrawn" range:"0..1"`
		Undone       float64 `yaml:"undone" range:"0..1"`
		Contradicted float64 `yaml:"contradicted" range:"0..1"`
	} `yaml:"confidence"`
	Marks         []string        `yaml:"marks"`
	Flags         []string        `yaml:"flags"`
	Reconsiders   *pattern.Regexp `yaml:"reconsiders" pattern:"fold,long"`
	Asks          *pattern.Regexp `yaml:"asks" pattern:"fold,long"`
	ToPerson      *pattern.Regexp `yaml:"to_person" pattern:"fold,long"`
	Closes        *pattern.Regexp `yaml:"closes" pattern:"fold,long"`
	Returns       *pattern.Regexp `yaml:"returns" pattern:"fold,long"`
	Rejects       *pattern.Regexp `yaml:"rejects" pattern:"fold,long"`
	RejectsInside *pattern.Regexp `yaml:"rejects_inside" pattern:"fold,long"`
	RejectsNamed  *pattern.Regexp `yaml:"rejects_named" pattern:"fold,long"`
	Proposes      *pattern.Regexp `yaml:"proposes" pattern:"fold,long"`
	Doubts        *pattern.Regexp `yaml:"doubts" pattern:"fold,long"`
	Tests         []string        `yaml:"tests"`
	Announces     *pattern.Regexp `yaml:"announces" pattern:"fold,long"`
	CauseMarks    []string        `yaml:"cause_marks"`
	Causes        *pattern.Regexp `yaml:"causes" pattern:"fold,long"`
	PointsBack    *pattern.Regexp `yaml:"points_back" pattern:"fold,long"`
	Drops         *pattern.Regexp `yaml:"drops" pattern:"fold,long"`
	Hedges        *pattern.Regexp `yaml:"hedges" pattern:"fold,long"`
	Deliberation  []string        `yaml:"deliberation"`
	General       []string        `yaml:"general"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	any                   *pattern.Regexp // a mark that every other pattern requires
	kinds                 *pattern.Set    // what a sentence does, by index
	causal                *pattern.Regexp // a mark of a cause
	deliberation, general map[string]bool // stems
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("circular", &d.config); err != nil {
		return nil, err
	}
	var err error
	from := pattern.For(set, "circular")
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"marks", `\b(?:` + strings.Join(quoteAll(d.Marks), "|") + `)\b`, &d.any},
		{"cause_marks", `\b(?:` + strings.Join(quoteAll(d.CauseMarks), "|") + `)\b`, &d.causal},
	} {
		if *c.into, err = from.RE2(c.key, "(?i)"+c.text); err != nil {
			return nil, err
		}
	}
	patterns := make([]string, kindCount)
	patterns[reconsiders], patterns[toPerson] = d.Reconsiders.String(), d.ToPerson.String()
	patterns[returns], patterns[asks], patterns[closes] = d.Returns.String(), d.Asks.String(), d.Closes.String()
	if d.kinds, err = from.Set("reconsiders", patterns); err != nil {
		return nil, err
	}
	d.deliberation, d.general = stems(d.Deliberation), stems(d.General)
	return d, nil
}

func quoteAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = regexp.QuoteMeta(t)
	}
	return out
}

func stems(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[prose.Stem(w)] = true
	}
	return out
}
