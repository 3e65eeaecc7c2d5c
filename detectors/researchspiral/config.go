package researchspiral

import (
	"slices"
	"strings"

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
	Remembered     int      `yaml:"remembered" range:"1..1000"`
	References     int      `yaml:"references" range:"1..1000"`
	NamesInMessage int      `yaml:"names_in_message" range:"1..5"`
	General        []string `yaml:"general"`
	Overviews      []string `yaml:"overviews"`
	Studies        string   `yaml:"studies"`
	Explorers      string   `yaml:"explorers"`
	Questions      string   `yaml:"questions"`
	Builds         string   `yaml:"builds"`
	Orders         string   `yaml:"orders"`
	Reports        string   `yaml:"reports"`
	Causes         []string `yaml:"causes"`
	Changes        []string `yaml:"changes"`
	Names          string   `yaml:"names"`
	Unanswered     string   `yaml:"unanswered"`
	AnswerBytes    int      `yaml:"answer_bytes" range:"0..1000000"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	studies, questions, builds, orders, told *pattern.Regexp // matched against a request
	explorer                                 *pattern.Regexp // matched against a subagent's role
	causes, changes                          *pattern.Regexp // matched against a turn's sentences, one per line
	stated                                   *pattern.Regexp // either of the two
	names                                    *pattern.Regexp // a name of code
	unanswered                               *pattern.Regexp // the answer of a fetch that failed
	general                                  map[string]bool // stems
	overviews                                map[string]bool // names of files without their extension
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{general: map[string]bool{}, overviews: map[string]bool{}}
	if err := set.Decode("researchspiral", &d.config); err != nil {
		return nil, err
	}
	var err error
	from := pattern.For(set, "researchspiral")
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"studies", "(?i)" + d.Studies, &d.studies},
		{"explorers", "(?i)" + d.Explorers, &d.explorer},
		{"questions", "(?i)" + d.Questions, &d.questions},
		{"builds", "(?i)" + d.Builds, &d.builds},
		{"orders", "(?i)" + d.Orders, &d.orders},
		{"reports", "(?im)" + d.Reports, &d.told},
		{"causes", "(?i)" + strings.Join(d.Causes, "|"), &d.causes},
		{"changes", "(?i)" + strings.Join(d.Changes, "|"), &d.changes},
		{"changes", "(?i)" + strings.Join(slices.Concat(d.Causes, d.Changes), "|"), &d.stated},
		{"names", d.Names, &d.names},
		{"unanswered", "(?im)" + d.Unanswered, &d.unanswered},
	} {
		if *c.into, err = from.RE2(c.key, c.text); err != nil {
			return nil, err
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
