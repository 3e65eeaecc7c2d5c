package policy

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/convergence"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "run" of the rule data.
type Config struct {
	Failures       FailureLimits     `yaml:"failures"`
	RepeatedShadow int               `yaml:"repeated_shadow" range:"1..1000"`
	Oscillating    int               `yaml:"oscillating_findings" range:"1..1000"`
	Convergence    ConvergenceLimits `yaml:"convergence"`
	Budget         []Threshold       `yaml:"budget"`
	Checkpoint     CheckpointPolicy  `yaml:"checkpoint"`
	Escalation     Reminding         `yaml:"escalation"`
	Interrupt      InterruptLimits   `yaml:"interrupt"`
	Ladder         Ladder            `yaml:"ladder"`
	Breaks         map[string]Break  `yaml:"breaks"` // by trigger
	Present        Present           `yaml:"present"`
	Kept           Kept              `yaml:"kept"`
	// observe: tell every decision, halt nothing (DP-25).
	observe bool
}

// FailureLimits are how many failures in a row break a run (RW-30).
type FailureLimits struct {
	Agents int `yaml:"agents" range:"1..1000"`
	Tasks  int `yaml:"tasks" range:"1..1000"`
}

// ConvergenceLimits are RW-31.
type ConvergenceLimits struct {
	convergence.Config `yaml:",inline"`
	ScoreBelow         float64 `yaml:"score_below" range:"0..1"`
	LowCycles          int     `yaml:"low_cycles" range:"1..1000"`
	Increases          int     `yaml:"increases" range:"1..1000"`
}

// Threshold is one of RW-21; Trigger is the break it leads to, "" for none.
type Threshold struct {
	Percent int                    `yaml:"percent" range:"1..1000"`
	Action  string                 `yaml:"action" allow:"warn|downgrade_models|finish_then_stop|stop"`
	Trigger runevents.BreakTrigger `yaml:"trigger"`
}

// CheckpointPolicy is RW-20.
type CheckpointPolicy struct {
	Every            time.Duration `yaml:"every"`
	Tasks            int           `yaml:"tasks" range:"1..1000"`
	StopAbovePercent float64       `yaml:"stop_above_percent" range:"0..1000"`
	Silent           int           `yaml:"silent" range:"1..1000"`
	FindingsMore     int           `yaml:"findings_more" range:"1..1000"`
	ReworkMore       int           `yaml:"rework_more" range:"1..1000"`
	Steps            []string      `yaml:"steps"`
}

// Reminding is RW-41.
type Reminding struct {
	Reminder time.Duration `yaml:"reminder"`
}

// InterruptLimits are those of what is said outside the interrupt budget.
type InterruptLimits struct {
	ExpiresAfterTurns int `yaml:"expires_after_turns" range:"1..1000"`
}

// Ladder are the texts of RW-40 from the second step on.
type Ladder struct {
	Archetype struct {
		Replace  string `yaml:"replace"`
		Escalate string `yaml:"escalate"`
	} `yaml:"archetype"`
	System struct {
		Pause    string `yaml:"pause"`
		Escalate string `yaml:"escalate"`
	} `yaml:"system"`
	Policy struct {
		Stop     string `yaml:"stop"`
		Escalate string `yaml:"escalate"`
	} `yaml:"policy"`
}

// Break is what is said of a trigger (RW-32).
type Break struct {
	Kind    runevents.BreakKind `yaml:"kind" allow:"hard|soft"`
	Layer   sessionevents.Layer `yaml:"layer" allow:"session|archetype|system|policy|wave|pipeline"`
	Present string              `yaml:"present" allow:"best|approach|none"`
	Cause   string              `yaml:"cause"`
	// AgainstHalt makes it a break of its own though the run is halted already:
	// WP-2 can only be broken then, and RW-32 would hide it in a note.
	AgainstHalt bool     `yaml:"against_halt"`
	Options     []Option `yaml:"options"`
}

// Option is one answer a person can give to a break.
type Option struct {
	ID       string `yaml:"id"`
	Text     string `yaml:"text"`
	Tradeoff string `yaml:"tradeoff"`
}

// Present are the texts of what a break presents.
type Present struct {
	Best     string `yaml:"best"`
	Approach string `yaml:"approach"`
}

// Kept bounds what a run remembers; the oldest is forgotten first.
type Kept struct {
	Sessions    int `yaml:"sessions" range:"1..100000"`
	Agents      int `yaml:"agents" range:"1..10000"`
	Findings    int `yaml:"findings" range:"1..10000"`
	Text        int `yaml:"text" range:"1..100000"`
	Unresolved  int `yaml:"unresolved" range:"1..10000"`
	Escalations int `yaml:"escalations" range:"1..10000"`
	Issues      int `yaml:"issues" range:"1..10000"`
	Events      int `yaml:"events" range:"1..1000"`
}

// LoadConfig reads and checks the data; an error names file, line and the cure.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("run", &c); err != nil {
		return nil, fmt.Errorf("read run configuration: %w", err)
	}
	sessions, err := budget.LoadConfig(set)
	if err != nil {
		return nil, err
	}
	c.observe = sessions.Mode == rules.ModeObserve
	return &c, nil
}

// Validate checks how values stand to each other.
func (c *Config) Validate() error {
	if c.Checkpoint.Every <= 0 {
		return fmt.Errorf("checkpoint.every is %s: use a duration such as 45m", c.Checkpoint.Every)
	}
	if c.Escalation.Reminder <= 0 {
		return fmt.Errorf("escalation.reminder is %s: use a duration such as 4h", c.Escalation.Reminder)
	}
	for i, t := range c.Budget {
		if i > 0 && t.Percent <= c.Budget[i-1].Percent {
			return fmt.Errorf("budget: %d per cent stands behind %d: order them upwards", t.Percent, c.Budget[i-1].Percent)
		}
		if _, known := c.Breaks[string(t.Trigger)]; t.Trigger != "" && !known {
			return fmt.Errorf("budget: no break is called %q", t.Trigger)
		}
	}
	return nil
}
