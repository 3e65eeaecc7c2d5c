package dispatch

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "govern" of the rule data, which configures what breaks a session
// (RW-35).
type Config struct {
	StuckLoop struct {
		Detectors    []string `yaml:"detectors"`
		FreshRepeats int      `yaml:"fresh_repeats" range:"2..1000"`
	} `yaml:"stuck_loop"`
	IgnoredInterrupts struct {
		Fires int `yaml:"fires" range:"1..1000"`
	} `yaml:"ignored_interrupts"`
	FailedTurns struct {
		Consecutive int      `yaml:"consecutive" range:"1..1000"`
		StopReasons []string `yaml:"stop_reasons"`
	} `yaml:"failed_turns"`
	// Present is what a person sees besides the reason (RW-32).
	Present string `yaml:"present"`
	Kept    struct {
		Sessions int `yaml:"sessions" range:"1..100000"`
		Repeats  int `yaml:"repeats" range:"1..10000"`
		Evidence int `yaml:"evidence" range:"1..10000"`
	} `yaml:"kept"`
}

func loadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("govern", &c); err != nil {
		return nil, err
	}
	for i, reason := range c.FailedTurns.StopReasons {
		c.FailedTurns.StopReasons[i] = word(reason)
	}
	return &c, nil
}

// word returns a stop reason in one spelling, however a publisher writes it.
func word(reason string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(reason)))
}

// failed reports whether a turn ended in an error of the agent rather than of one
// of its actions (RW-35).
func (c *Config) failed(turn *sessionevents.TurnEvaluated) bool {
	return turn.Observed != nil && turn.Observed.StopReason != "" &&
		slices.Contains(c.FailedTurns.StopReasons, word(turn.Observed.StopReason))
}
