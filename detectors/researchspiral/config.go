package researchspiral

import (
	"fmt"
	"slices"
	"strings"

	re2 "github.com/wasilibs/go-re2"

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
	Confidence  struct {
		Aimless float64 `yaml:"aimless" range:"0..1"`
		Focused float64 `yaml:"focused" range:"0..1"`
	} `yaml:"confidence"`
	Remembered     int      `yaml:"remembered" range:"1..1000"`
	References     int      `yaml:"references" range:"1..1000"`
	NamesInMessage int      `yaml:"names_in_message" range:"1..5"`
	General        []string `yaml:"general"`
	Overviews      []string `yaml:"overviews"`
	Studies        string   `yaml:"studies"`
	Questions      string   `yaml:"questions"`
	Builds         string   `yaml:"builds"`
	Orders         string   `yaml:"orders"`
	Causes         []string `yaml:"causes"`
	Changes        []string `yaml:"changes"`
	Names          string   `yaml:"names"`
	Unanswered     string   `yaml:"unanswered"`
	AnswerBytes    int      `yaml:"answer_bytes" range:"0..1000000"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	studies, questions, builds, orders *re2.Regexp     // over a request
	causes, changes                    *re2.Regexp     // over a turn's sentences, one a line
	stated                             *re2.Regexp     // one of both
	names                              *re2.Regexp     // a name of the code's
	unanswered                         *re2.Regexp     // the answer of a fetch that got nothing
	general                            map[string]bool // stems
	overviews                          map[string]bool // names of files without their ending
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{general: map[string]bool{}, overviews: map[string]bool{}}
	if err := set.Decode("researchspiral", &d.config); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		key, pattern string
		into         **re2.Regexp
	}{
		{"studies", "(?i)" + d.Studies, &d.studies},
		{"questions", "(?i)" + d.Questions, &d.questions},
		{"builds", "(?i)" + d.Builds, &d.builds},
		{"orders", "(?i)" + d.Orders, &d.orders},
		{"causes", "(?i)" + strings.Join(d.Causes, "|"), &d.causes},
		{"changes", "(?i)" + strings.Join(d.Changes, "|"), &d.changes},
		{"causes, changes", "(?i)" + strings.Join(slices.Concat(d.Causes, d.Changes), "|"), &d.stated},
		{"names", d.Names, &d.names},
		{"unanswered", "(?im)" + d.Unanswered, &d.unanswered},
	} {
		var err error
		if *c.into, err = re2.Compile(c.pattern); err != nil {
			return nil, fmt.Errorf("rules: section researchspiral: %s: %w", c.key, err)
		}
	}
	for _, w := range d.General {
		d.general[prose.Stem(w)] = true
	}
	for _, name := range d.Overviews {
		d.overviews[name] = true
	}
	return d, nil
}
