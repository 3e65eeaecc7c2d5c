package stuckloop

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section stuckloop of the rule data, which explains each value.
type config struct {
	Window  int `yaml:"window" range:"8..64"`
	Streaks int `yaml:"streaks" range:"1..64"`

	Repeat      limits `yaml:"repeat"`
	Unknown     limits `yaml:"unknown_result"`
	Error       limits `yaml:"error"`
	ErrorCalls  int    `yaml:"error_calls" range:"1..64"`
	Transient   limits `yaml:"transient"`
	Varying     limits `yaml:"varying"`
	MaxTargets  int    `yaml:"varying_targets" range:"1..64"`
	Rounds      int    `yaml:"cycle_rounds" range:"2..16"`
	Period      int    `yaml:"cycle_period" range:"2..16"`
	EmptyFactor int    `yaml:"empty_factor" range:"1..8"`
	Polling     limits `yaml:"polling"`
	PollMinutes int    `yaml:"poll_minutes" range:"1..100000"`
	Compactions limits `yaml:"compactions"`
	Failing     struct {
		Edits int `yaml:"edits" range:"1..100"`
		Runs  int `yaml:"runs" range:"2..100"`
	} `yaml:"failing_test"`
	Confidence map[kind]float64 `yaml:"confidence" range:"0..1"`

	TestEffects     []string `yaml:"test_effects"`
	CleanEffects    []string `yaml:"clean_effects"`
	ChangingEffects []string `yaml:"changing_effects"`
	PollEffects     []string `yaml:"poll_effects"`
	DirectoryFields []string `yaml:"directory_fields"`
	TargetFields    []string `yaml:"target_fields"`
	EmptyResults    []string `yaml:"empty_results"`
	GoOn            []string `yaml:"go_on"`
	GenericErrors   []string `yaml:"generic_errors"`
	PollCalls       []string `yaml:"poll_calls"`
	Sleep           string   `yaml:"sleep"`
	Running         []string `yaml:"running"`
	Ended           []string `yaml:"ended"`
}

// limits are the lengths at which a loop is a nudge and a loop; a nudge of 0
// never comes.
type limits struct {
	Nudge int `yaml:"nudge" range:"0..1000"`
	Loop  int `yaml:"loop" range:"0..1000"`
}

func (l limits) times(n int) limits { return limits{l.Nudge * n, l.Loop * n} }

// instance is the detector with its data compiled.
type instance struct {
	config
	goOn, generic, pollCall, sleep, running, ended *pattern.Regexp
	empty                                          map[string]bool
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{empty: map[string]bool{"": true}}
	if err := set.Decode("stuckloop", &d.config); err != nil {
		return nil, err
	}
	var err error
	from := pattern.For(set, "stuckloop")
	for _, p := range []struct {
		key      string
		patterns []string
		into     **pattern.Regexp
	}{
		{"go_on", d.GoOn, &d.goOn},
		{"generic_errors", d.GenericErrors, &d.generic},
		{"poll_calls", d.PollCalls, &d.pollCall},
		{"sleep", []string{d.Sleep}, &d.sleep},
		{"running", d.Running, &d.running},
		{"ended", d.Ended, &d.ended},
	} {
		if *p.into, err = from.RE2(p.key, `(?i)(?:`+strings.Join(p.patterns, "|")+`)`); err != nil {
			return nil, err
		}
	}
	for _, text := range d.EmptyResults {
		d.empty[text] = true
	}
	return d, nil
}
