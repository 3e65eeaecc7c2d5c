package dispatch

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Mode says how far decisions go (DP-25).
type Mode string

// Modes. Off is for single detectors only.
const (
	ModeOn      Mode = "on"
	ModeObserve Mode = "observe"
	ModeOff     Mode = "off"
)

// Config is the section "dispatch" of the rule data.
type Config struct {
	Mode          Mode            `yaml:"mode"`
	Budget        int             `yaml:"budget"`
	CooldownTurns int             `yaml:"cooldown_turns"`
	Thresholds    Thresholds      `yaml:"thresholds"`
	ClassOrder    []events.Class  `yaml:"class_order"`
	Commitment    Commitment      `yaml:"commitment"`
	Escalation    Escalation      `yaml:"escalation"`
	OncePerStreak OncePerStreak   `yaml:"once_per_streak"`
	Queue         QueueLimits     `yaml:"queue"`
	Interrupt     InterruptLimits `yaml:"interrupt"`
	HeedTurns     int             `yaml:"heed_turns"`
	Kept          Kept            `yaml:"kept"`
	Detectors     map[string]Mode `yaml:"detectors"`
	Mutes         []ProjectMute   `yaml:"mutes"`
}

// Thresholds are urgencies (DP-2), e.g. 4.0.
type Thresholds struct {
	Fire  float64 `yaml:"fire"`
	Queue float64 `yaml:"queue"`
}

// Commitment is DP-4.
type Commitment struct {
	Classes        []events.Class `yaml:"classes"`
	NotSelfCorrect float64        `yaml:"not_self_correct"` // least 1 − p
}

// Escalation is the security bypass (DP-3).
type Escalation struct {
	Detectors       []string `yaml:"detectors"`
	ConfidenceAbove float64  `yaml:"confidence_above"`
}

// OncePerStreak caps what would fire a second time about one streak (C4).
type OncePerStreak struct {
	Detectors []string `yaml:"detectors"`
	Cap       float64  `yaml:"cap"`
}

// QueueLimits are DP-17; counts and turns.
type QueueLimits struct {
	MaxAgeTurns  int `yaml:"max_age_turns"`
	MaxDelivered int `yaml:"max_delivered"` // 0: no limit
	MaxEntries   int `yaml:"max_entries"`
}

// InterruptLimits are DP-20.
type InterruptLimits struct {
	MaxWords          int `yaml:"max_words"`
	ExpiresAfterTurns int `yaml:"expires_after_turns"`
}

// Kept bounds what a session remembers; the oldest is forgotten first.
type Kept struct {
	Fired   int `yaml:"fired"`
	Mutes   int `yaml:"mutes"`
	Streaks int `yaml:"streaks"`
}

// ProjectMute is a mute that stands in the configuration (DP-25). Until is an
// RFC 3339 time, empty for no expiry.
type ProjectMute struct {
	Scope    Scope  `yaml:"scope"`
	Detector string `yaml:"detector"`
	Subject  string `yaml:"subject"`
	Reason   string `yaml:"reason"`
	By       string `yaml:"by"`
	Until    string `yaml:"until"`
}

// LoadConfig reads and checks the section; an error names the key and the cure.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("dispatch", &c); err != nil {
		return nil, fmt.Errorf("read dispatch configuration: %w", err)
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("dispatch configuration: %w", err)
	}
	return &c, nil
}

// Validate checks values and the relations between them.
func (c *Config) Validate() error {
	if c.Mode != ModeOn && c.Mode != ModeObserve {
		return fmt.Errorf("mode %q: use on or observe", c.Mode)
	}
	if c.Thresholds.Queue <= 0 || c.Thresholds.Fire <= c.Thresholds.Queue {
		return fmt.Errorf("thresholds: fire %.1f must be above queue %.1f, and queue above 0", c.Thresholds.Fire, c.Thresholds.Queue)
	}
	if err := c.checkFractions(); err != nil {
		return err
	}
	if err := c.checkCounts(); err != nil {
		return err
	}
	if err := checkClasses(c.ClassOrder); err != nil {
		return err
	}
	for detector, mode := range c.Detectors {
		if !slices.Contains([]Mode{ModeOn, ModeObserve, ModeOff}, mode) {
			return fmt.Errorf("detectors: %s: mode %q: use off, observe or on", detector, mode)
		}
	}
	for i, m := range c.Mutes {
		if err := m.check(); err != nil {
			return fmt.Errorf("mutes: entry %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *Config) checkFractions() error {
	for _, v := range []struct {
		key   string
		value float64
	}{
		{"commitment.not_self_correct", c.Commitment.NotSelfCorrect},
		{"escalation.confidence_above", c.Escalation.ConfidenceAbove},
	} {
		if v.value < 0 || v.value > 1 || math.IsNaN(v.value) {
			return fmt.Errorf("%s is %v: use a number from 0 to 1", v.key, v.value)
		}
	}
	return nil
}

func (c *Config) checkCounts() error {
	for _, v := range []struct {
		key          string
		value, least int
	}{
		{"budget", c.Budget, 0},
		{"cooldown_turns", c.CooldownTurns, 1},
		{"queue.max_age_turns", c.Queue.MaxAgeTurns, 1},
		{"queue.max_delivered", c.Queue.MaxDelivered, 0},
		{"queue.max_entries", c.Queue.MaxEntries, 1},
		{"interrupt.max_words", c.Interrupt.MaxWords, 10},
		{"interrupt.expires_after_turns", c.Interrupt.ExpiresAfterTurns, 1},
		{"heed_turns", c.HeedTurns, 1},
		{"kept.fired", c.Kept.Fired, 1},
		{"kept.mutes", c.Kept.Mutes, 1},
		{"kept.streaks", c.Kept.Streaks, 1},
	} {
		if v.value < v.least {
			return fmt.Errorf("%s is %d: use %d or more", v.key, v.value, v.least)
		}
	}
	return nil
}

func checkClasses(order []events.Class) error {
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	if !slices.Equal(sorted, []events.Class{events.ClassA, events.ClassB, events.ClassC, events.ClassD}) {
		return fmt.Errorf("class_order is %v: name A, B, C and D once each", order)
	}
	return nil
}

func (m ProjectMute) check() error {
	if err := m.mute().check(); err != nil {
		return err
	}
	if m.Reason == "" || m.By == "" {
		return fmt.Errorf("a mute needs a reason and an author (by)")
	}
	if m.Until == "" {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, m.Until); err != nil {
		return fmt.Errorf("until %q: use a time such as 2026-12-31T00:00:00Z", m.Until)
	}
	return nil
}

// mute is the same as a running mute; an unreadable time counts as none, but
// check has refused it before.
func (m ProjectMute) mute() Mute {
	until, _ := time.Parse(time.RFC3339, m.Until)
	return Mute{Scope: m.Scope, Detector: m.Detector, Subject: m.Subject, Reason: m.Reason, By: m.By, Until: until}
}

func (c *Config) fire() events.Urgency  { return tenths(c.Thresholds.Fire) }
func (c *Config) queue() events.Urgency { return tenths(c.Thresholds.Queue) }

func (c *Config) detectorMode(detector string) Mode {
	if m, ok := c.Detectors[detector]; ok {
		return m
	}
	return ModeOn
}

func tenths(v float64) events.Urgency { return events.Urgency(math.Round(v * 10)) }
