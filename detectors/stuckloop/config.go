package stuckloop

import (
	"strconv"
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
	// Trackers of their own.
	Scattered        limits  `yaml:"scattered"`
	MixedBytes       int     `yaml:"mixed_bytes" range:"0..100000"`
	Malformed        limits  `yaml:"malformed"`
	Idle             int     `yaml:"idle" range:"0..64"`
	RelapseCalls     int     `yaml:"relapse_calls" range:"0..64"`
	Refused          limits  `yaml:"refused_edit"`
	RefusedTries     int     `yaml:"refused_tries" range:"1..1000"`
	RefusedCalls     int     `yaml:"refused_calls" range:"1..64"`
	MalformedCalls   int     `yaml:"malformed_calls" range:"1..64"`
	EmptySearches    limits  `yaml:"empty_searches"`
	Lost             limits  `yaml:"lost"`
	SearchCalls      int     `yaml:"search_calls" range:"1..64"`
	Untested         limits  `yaml:"ran_no_test"`
	Missing          limits  `yaml:"missing"`
	Churn            limits  `yaml:"churn"`
	Monologue        limits  `yaml:"monologue"`
	MonologueWords   int     `yaml:"monologue_shingles" range:"1..64"`
	MonologueSimilar float64 `yaml:"monologue_similar" range:"0..1"`

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

	NullCommands    []string `yaml:"null_commands"`
	Programs        []string `yaml:"programs"`
	PathFields      []string `yaml:"path_fields"`
	ContentFields   []string `yaml:"content_fields"`
	QueryFields     []string `yaml:"query_fields"`
	FilterFields    []string `yaml:"filter_fields"`
	SyntaxErrors    []string `yaml:"syntax_errors"`
	UnknownPrograms []string `yaml:"unknown_programs"`
	StrayContent    string   `yaml:"stray_content"`
	HonestContent   string   `yaml:"honest_content"`
	Refusals        []string `yaml:"refusals"`
	Program         string   `yaml:"program"`
	DamagedPath     string   `yaml:"damaged_path"`
	DamagedQuery    []string `yaml:"damaged_query"`
	NoMatch         []string `yaml:"no_match"`
	WebResult       string   `yaml:"web_result"`
	EmptiedBy       string   `yaml:"emptied_by"`
	FailuresOnly    string   `yaml:"failures_only"`
	Noticed         []string `yaml:"noticed"`
	Environment     []string `yaml:"environment_errors"`
	KeepingShells   []string `yaml:"keeping_shells"`
	Absent          []string `yaml:"absent"`
	ResetFolder     string   `yaml:"reset_folder"`
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
	goOn, generic, pollCall, sleep, running, ended                       *pattern.Regexp
	syntaxErrors, unknownPrograms, program, damagedPath, damagedQuery    *pattern.Regexp
	noMatch, webResult, emptiedBy, failuresOnly                          *pattern.Regexp
	noticed, quotedCommand, wordy, strayContent, honestContent, refusals *pattern.Regexp
	absent, resetFolder                                                  *pattern.Regexp
	environment                                                          []*pattern.Regexp
	empty, knownPrograms                                                 map[string]bool
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{empty: map[string]bool{"": true}, knownPrograms: map[string]bool{}, quotedCommand: quotedCommand, wordy: wordy}
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
		{"syntax_errors", d.SyntaxErrors, &d.syntaxErrors},
		{"unknown_programs", d.UnknownPrograms, &d.unknownPrograms},
		{"program", []string{d.Program}, &d.program},
		{"stray_content", []string{d.StrayContent}, &d.strayContent},
		{"honest_content", []string{d.HonestContent}, &d.honestContent},
		{"refusals", d.Refusals, &d.refusals},
		{"damaged_path", []string{d.DamagedPath}, &d.damagedPath},
		{"damaged_query", d.DamagedQuery, &d.damagedQuery},
		{"no_match", d.NoMatch, &d.noMatch},
		{"web_result", []string{d.WebResult}, &d.webResult},
		{"emptied_by", []string{d.EmptiedBy}, &d.emptiedBy},
		{"failures_only", []string{d.FailuresOnly}, &d.failuresOnly},
		{"noticed", d.Noticed, &d.noticed},
		{"absent", d.Absent, &d.absent},
		{"reset_folder", []string{d.ResetFolder}, &d.resetFolder},
	} {
		if *p.into, err = from.RE2(p.key, `(?i)(?:`+strings.Join(p.patterns, "|")+`)`); err != nil {
			return nil, err
		}
	}
	for _, text := range d.EmptyResults {
		d.empty[text] = true
	}
	for _, name := range d.Programs {
		d.knownPrograms[name] = true
	}
	d.environment, err = all(from, "environment_errors", d.Environment)
	return d, err
}

// wordy is what every content has, unless it is empty on purpose.
var wordy = pattern.Must(`[\pL\pN]|^\s*(?:\{\s*\}|\[\s*\]|-+)\s*$`)

// quotedCommand is code in a sentence.
var quotedCommand = pattern.Must("`([^`\n]{2,80})`")

// all compiles patterns one by one, whose groups are names.
func all(from pattern.Compiler, key string, texts []string) (out []*pattern.Regexp, err error) {
	for i, text := range texts {
		p, err := from.RE2(key+"."+strconv.Itoa(i), `(?m)`+text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
