package policy

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/convergence"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "run" of the rule data.
type Config struct {
	settle.Config  `yaml:",inline"`
	Failures       FailureLimits `yaml:"failures"`
	RepeatedShadow int           `yaml:"repeated_shadow" range:"1..1000"`
	// ReportedShadows are those that the orchestrator reports itself (IN-12).
	ReportedShadows struct {
		Count bool `yaml:"count"`
	} `yaml:"reported_shadows"`
	Oscillating int               `yaml:"oscillating_findings" range:"1..1000"`
	Convergence ConvergenceLimits `yaml:"convergence"`
	Budget      []Threshold       `yaml:"budget"`
	Models      Models            `yaml:"models"`
	Checkpoint  CheckpointPolicy  `yaml:"checkpoint"`
	Ladder      Ladder            `yaml:"ladder"`
	Refused     struct {
		// Facts are types of run events. While one of these was refused and no event of
		// its type was accepted since, every gate of the run is denied (EV-3a).
		Facts []string `yaml:"facts"`
	} `yaml:"refused"`
}

// FailureLimits are the numbers of consecutive failures that break a run (RW-30).
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
	Action  runevents.BudgetAction `yaml:"action" allow:"warn|downgrade_models|finish_then_stop|stop"`
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
	Handoffs         []string      `yaml:"handoffs"` // names of the handoff summary, in lower case
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

// LoadConfig returns the configuration of a rule set. An error names the file, the
// line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("run", &c); err != nil {
		return nil, fmt.Errorf("read run configuration: %w", err)
	}
	sessions, err := budget.LoadConfig(set)
	if err != nil {
		return nil, err
	}
	c.ObserveOnly = sessions.Mode == rules.ModeObserve
	return &c, nil
}

// Validate checks that the values are consistent.
func (c *Config) Validate() error {
	if c.Checkpoint.Every <= 0 {
		return fmt.Errorf("checkpoint.every is %s: use a duration such as 45m", c.Checkpoint.Every)
	}
	if c.Escalation.Reminder <= 0 {
		return fmt.Errorf("escalation.reminder is %s: use a duration such as 4h", c.Escalation.Reminder)
	}
	if name := checkFacts(c.Refused.Facts); name != "" {
		return fmt.Errorf("refused.facts: %q is not a type of run event", name)
	}
	for i, t := range c.Budget {
		if i > 0 && t.Percent <= c.Budget[i-1].Percent {
			return fmt.Errorf("budget: %d%% comes after %d%%: list thresholds in ascending order", t.Percent, c.Budget[i-1].Percent)
		}
		if _, known := c.Breaks[string(t.Trigger)]; t.Trigger != "" && !known {
			return fmt.Errorf("budget: unknown break %q", t.Trigger)
		}
	}
	return nil
}
