package stuckloop

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
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

	TestEffects     []string        `yaml:"test_effects"`
	CleanEffects    []string        `yaml:"clean_effects"`
	ChangingEffects []string        `yaml:"changing_effects"`
	PollEffects     []string        `yaml:"poll_effects"`
	TargetFields    []string        `yaml:"target_fields"`
	EmptyResults    rules.Words     `yaml:"empty_results"`
	GoOn            *pattern.Regexp `yaml:"go_on" pattern:"fold,long"`
	GenericErrors   *pattern.Regexp `yaml:"generic_errors" pattern:"fold,long"`
	PollCalls       *pattern.Regexp `yaml:"poll_calls" pattern:"fold,long"`
	Sleep           *pattern.Regexp `yaml:"sleep" pattern:"fold,long"`
	Running         *pattern.Regexp `yaml:"running" pattern:"fold,long"`
	Ended           *pattern.Regexp `yaml:"ended" pattern:"fold,long"`

	NullCommands    []string          `yaml:"null_commands"`
	Programs        rules.Words       `yaml:"programs"`
	PathFields      []string          `yaml:"path_fields"`
	ContentFields   []string          `yaml:"content_fields"`
	QueryFields     []string          `yaml:"query_fields"`
	FilterFields    []string          `yaml:"filter_fields"`
	SyntaxErrors    *pattern.Regexp   `yaml:"syntax_errors" pattern:"fold,long"`
	UnknownPrograms *pattern.Regexp   `yaml:"unknown_programs" pattern:"fold,long"`
	StrayContent    *pattern.Regexp   `yaml:"stray_content" pattern:"fold,long"`
	HonestContent   *pattern.Regexp   `yaml:"honest_content" pattern:"fold,long"`
	Refusals        *pattern.Regexp   `yaml:"refusals" pattern:"fold,long"`
	Program         *pattern.Regexp   `yaml:"program" pattern:"fold,long"`
	DamagedPath     *pattern.Regexp   `yaml:"damaged_path" pattern:"fold,long"`
	DamagedQuery    *pattern.Regexp   `yaml:"damaged_query" pattern:"fold,long"`
	NoMatch         *pattern.Regexp   `yaml:"no_match" pattern:"fold,long"`
	WebResult       *pattern.Regexp   `yaml:"web_result" pattern:"fold,long"`
	EmptiedBy       *pattern.Regexp   `yaml:"emptied_by" pattern:"fold,long"`
	FailuresOnly    *pattern.Regexp   `yaml:"failures_only" pattern:"fold,long"`
	Noticed         *pattern.Regexp   `yaml:"noticed" pattern:"fold,long"`
	Environment     []*pattern.Regexp `yaml:"environment_errors" pattern:"lines,long"`
	KeepingShells   []string          `yaml:"keeping_shells"`
	Absent          *pattern.Regexp   `yaml:"absent" pattern:"fold,long"`
	ResetFolder     *pattern.Regexp   `yaml:"reset_folder" pattern:"fold,long"`
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
	quotedCommand, wordy *pattern.Regexp
	directories          []string // input fields that name the folder of a call
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{quotedCommand: quotedCommand, wordy: wordy}
	taken := rules.Take(set, "stuckloop", &d.config)
	rules.More(taken, &d.directories, segment.WorkdirFields)
	if taken.Err != nil {
		return nil, taken.Err
	}
	d.EmptyResults[""] = true
	return d, nil
}

// wordy is what every content has, unless it is empty on purpose.
var wordy = pattern.Must(`[\pL\pN]|^\s*(?:\{\s*\}|\[\s*\]|-+)\s*$`)

// quotedCommand is code in a sentence.
var quotedCommand = pattern.Must("`([^`\n]{2,80})`")
