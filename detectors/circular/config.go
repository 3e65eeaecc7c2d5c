package circular

import (
	"fmt"
	"slices"
	"strings"

	re2 "github.com/wasilibs/go-re2"

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
	} `yaml:"confidence"`
	Flags        []string `yaml:"flags"`
	Reconsiders  []string `yaml:"reconsiders"`
	Asks         []string `yaml:"asks"`
	ToPerson     string   `yaml:"to_person"`
	Closes       []string `yaml:"closes"`
	Returns      []string `yaml:"returns"`
	Rejects      string   `yaml:"rejects"`
	Proposes     []string `yaml:"proposes"`
	Doubts       string   `yaml:"doubts"`
	Tests        []string `yaml:"tests"`
	Announces    string   `yaml:"announces"`
	Deliberation []string `yaml:"deliberation"`
	General      []string `yaml:"general"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	// any finds what may open, close or return to a question.
	any                                          *re2.Regexp
	reconsiders, asks, closes, returns           *re2.Regexp
	toPerson, rejects, doubts, announces, offers *re2.Regexp
	deliberation, general                        map[string]bool // stems
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("circular", &d.config); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		key      string
		patterns []string
		into     **re2.Regexp
	}{
		{"its patterns", slices.Concat(d.Reconsiders, d.Asks, d.Closes, d.Returns, d.Proposes), &d.any},
		{"reconsiders", d.Reconsiders, &d.reconsiders},
		{"asks", d.Asks, &d.asks},
		{"closes", d.Closes, &d.closes},
		{"returns", d.Returns, &d.returns},
		{"proposes", d.Proposes, &d.offers},
		{"to_person", []string{d.ToPerson}, &d.toPerson},
		{"rejects", []string{d.Rejects}, &d.rejects},
		{"doubts", []string{d.Doubts}, &d.doubts},
		{"announces", []string{d.Announces}, &d.announces},
	} {
		var err error
		if *c.into, err = re2.Compile("(?im)" + strings.Join(c.patterns, "|")); err != nil {
			return nil, fmt.Errorf("rules: section circular: %s: %w", c.key, err)
		}
	}
	d.deliberation, d.general = stems(d.Deliberation), stems(d.General)
	return d, nil
}

func stems(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[prose.Stem(w)] = true
	}
	return out
}
