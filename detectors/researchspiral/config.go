package researchspiral

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section researchspiral of the rule data, which explains each value.
type config struct {
	LogAt       int     `yaml:"log_at" range:"2..100"`
	QueueAt     int     `yaml:"queue_at" range:"2..100"`
	AgainAt     []int   `yaml:"again_at" range:"2..1000"`
	GapTurns    int     `yaml:"gap_turns" range:"0..100"`
	FocusShare  float64 `yaml:"focus_share" range:"0..1"`
	SameWords   float64 `yaml:"same_words" range:"0.01..1"`
	ErrorTurns  int     `yaml:"error_turns" range:"0..1000"`
	IntentTurns int     `yaml:"intent_turns" range:"0..1000"`
	RemarkWords int     `yaml:"remark_words" range:"0..1000"`
	SameCause   float64 `yaml:"same_cause" range:"0.01..1"`
	CausesKept  int     `yaml:"causes_kept" range:"1..100"`
	Confidence  struct {
		Aimless float64 `yaml:"aimless" range:"0..1"`
		Focused float64 `yaml:"focused" range:"0..1"`
	} `yaml:"confidence"`
	Remembered     int             `yaml:"remembered" range:"1..1000"`
	References     int             `yaml:"references" range:"1..1000"`
	NamesInMessage int             `yaml:"names_in_message" range:"1..5"`
	General        []string        `yaml:"general"`
	Overviews      rules.Words     `yaml:"overviews"`
	Studies        *pattern.Regexp `yaml:"studies" pattern:"fold,long"`
	Explorers      *pattern.Regexp `yaml:"explorers" pattern:"fold,long"`
	Questions      *pattern.Regexp `yaml:"questions" pattern:"fold,long"`
	Builds         *pattern.Regexp `yaml:"builds" pattern:"fold,long"`
	Orders         *pattern.Regexp `yaml:"orders" pattern:"fold,long"`
	Reports        *pattern.Regexp `yaml:"reports" pattern:"fold,lines,long"`
	Causes         *pattern.Regexp `yaml:"causes" pattern:"fold,long"`
	Changes        *pattern.Regexp `yaml:"changes" pattern:"fold,long"`
	Names          *pattern.Regexp `yaml:"names" pattern:"long"`
	Unanswered     *pattern.Regexp `yaml:"unanswered" pattern:"fold,lines,long"`
	AnswerBytes    int             `yaml:"answer_bytes" range:"0..1000000"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	stated  *pattern.Regexp // either of the two
	general map[string]bool // stems
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{general: map[string]bool{}}
	if err := set.Decode("researchspiral", &d.config); err != nil {
		return nil, err
	}
	d.stated = pattern.MustRE2(d.Causes.String() + "|" + d.Changes.String())
	for _, w := range d.General {
		d.general[prose.Stem(w)] = true
	}
	return d, nil
}
