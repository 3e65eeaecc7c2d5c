package budget

import (
	"fmt"
	"math"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "dispatch" of the rule data.
type Config struct {
	// Mode is on, or observe: decide and report everything, but deliver nothing (DP-25).
	Mode          rules.Mode            `yaml:"mode" allow:"on|observe"`
	Budget        int                   `yaml:"budget" range:"0..1000"`
	CooldownTurns int                   `yaml:"cooldown_turns" range:"1..1000"`
	Thresholds    Thresholds            `yaml:"thresholds"`
	ClassOrder    []sessionevents.Class `yaml:"class_order" allow:"A|B|C|D|E"`
	Commitment    Commitment            `yaml:"commitment"`
	Escalation    Escalation            `yaml:"escalation"`
	OncePerStreak OncePerStreak         `yaml:"once_per_streak"`
	Queue         QueueLimits           `yaml:"queue"`
	Interrupt     InterruptLimits       `yaml:"interrupt"`
	Watch         Watch                 `yaml:"watch"`
	HeedTurns     int                   `yaml:"heed_turns" range:"1..100"`
	// HeedWithin is the number of turns after delivery beyond which an interrupt can no
	// longer count as ignored (JD-43).
	HeedWithin int           `yaml:"heed_within" range:"1..1000"`
	Kept       Kept          `yaml:"kept"`
	Opinions   OpinionLimits `yaml:"opinions"`
	// Mutes apply to the entire project; they require a reason and an author.
	Mutes []Mute `yaml:"mutes"`
	// Detectors holds the modes of single detectors, from the section "detectors".
	Detectors map[string]rules.Mode `yaml:"-"`
}

// Thresholds are urgencies with one decimal place (DP-2).
type Thresholds struct {
	Fire  float64 `yaml:"fire" range:"0.1..5"`
	Queue float64 `yaml:"queue" range:"0.1..5"`
}

// Commitment is DP-4.
type Commitment struct {
	Classes        []sessionevents.Class `yaml:"classes" allow:"A|B|C|D|E"`
	NotSelfCorrect float64               `yaml:"not_self_correct" range:"0..1"` // minimum of 1 − p
}

// Escalation is the security bypass (DP-3).
type Escalation struct {
	Detectors       []string `yaml:"detectors"`
	ConfidenceAbove float64  `yaml:"confidence_above" range:"0..1"`
}

// OncePerStreak caps signals that would fire a second time about one streak (C4).
type OncePerStreak struct {
	Detectors []string `yaml:"detectors"`
	Cap       float64  `yaml:"cap" range:"0.1..5"`
	// AgainAfter is the number of further repeats after which a repeat may be mentioned
	// at a tool boundary again.
	AgainAfter int `yaml:"again_after" range:"1..1000"`
}

// Watch keeps a signal that would only be logged under watch until the primary commits to
// it (DP-11).
type Watch struct {
	Classes []sessionevents.Class `yaml:"classes" allow:"A|B|C|D|E"`
	Turns   int                   `yaml:"watch_turns" range:"0..1000"` // after its grace turn; 0 disables watching
}

// QueueLimits holds the limits of DP-16 and DP-17; counts and turns.
type QueueLimits struct {
	MaxAgeTurns  int `yaml:"max_age_turns" range:"1..100000"`
	MaxDelivered int `yaml:"max_delivered" range:"0..100000"` // per detector class (JD-44); 0: no limit
	MaxEntries   int `yaml:"max_entries" range:"1..10000"`
	// PatienceTurns is how long an entry waits for a natural pause before a tool boundary
	// is sufficient.
	PatienceTurns int `yaml:"patience_turns" range:"1..100000"`
	// Spirals are detectors whose finding prevents a pause: once it is confirmed, a tool
	// boundary is sufficient.
	Spirals []string `yaml:"spirals"`
}

// InterruptLimits holds the limits of DP-20.
type InterruptLimits struct {
	MaxWords          int `yaml:"max_words" range:"10..200"`
	ExpiresAfterTurns int `yaml:"expires_after_turns" range:"1..1000"`
}

// OpinionLimits restrict the effect of second opinions (AD-7).
type OpinionLimits struct {
	// NeverRefuted are detectors that a second opinion can only confirm, in addition to
	// those that bypass the budget.
	NeverRefuted []string `yaml:"never_refuted"`
	// ConfirmAdded requires that a model confirms its own finding when asked again before
	// it is sent.
	ConfirmAdded bool `yaml:"confirm_added"`
	// MaxAdded bounds the model's own findings that are sent in a session; 0: no limit.
	MaxAdded int `yaml:"max_added" range:"0..1000"`
}

// Kept bounds the state of a session; the oldest entries are dropped first.
type Kept struct {
	Fired    int `yaml:"fired" range:"1..10000"`
	Mutes    int `yaml:"mutes" range:"1..10000"`
	Streaks  int `yaml:"streaks" range:"1..10000"`
	Sessions int `yaml:"sessions" range:"1..100000"` // per group; closed ones are dropped first
}

// LoadConfig reads and validates the data; an error names the file, the line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("dispatch", &c); err != nil {
		return nil, fmt.Errorf("read dispatch configuration: %w", err)
	}
	var detectors map[string]rules.DetectorRule
	if err := set.Decode("detectors", &detectors); err != nil {
		return nil, fmt.Errorf("read detector modes: %w", err)
	}
	c.Detectors = make(map[string]rules.Mode, len(detectors))
	for id, rule := range detectors {
		c.Detectors[id] = rule.Mode
	}
	opinions, err := opinion.Load(set)
	if err != nil {
		return nil, fmt.Errorf("read opinion limits: %w", err)
	}
	for _, id := range opinion.Detectors {
		c.Detectors[id] = opinions.Findings.Mode
	}
	return &c, nil
}

// Validate checks that the values are consistent; rule data are validated when they are
// read.
func (c *Config) Validate() error {
	if c.Thresholds.Fire <= c.Thresholds.Queue {
		return fmt.Errorf("thresholds: fire %.1f must be above queue %.1f", c.Thresholds.Fire, c.Thresholds.Queue)
	}
	sorted := slices.Clone(c.ClassOrder)
	slices.Sort(sorted)
	if !slices.Equal(sorted, []sessionevents.Class{sessionevents.ClassA, sessionevents.ClassB, sessionevents.ClassC, sessionevents.ClassD, sessionevents.ClassE}) {
		return fmt.Errorf("class_order is %v: name A, B, C, D and E once each", c.ClassOrder)
	}
	for _, id := range []string{"B1", "B2", "E3"} {
		if !slices.Contains(c.Opinions.NeverRefuted, id) {
			return fmt.Errorf("opinions: never_refuted: %s is missing: a model's answer must not silence it", id)
		}
	}
	for i, m := range c.Mutes {
		if err := m.Scope.Check(m.Detector, m.Subject); err != nil {
			return fmt.Errorf("mutes: entry %d: %w", i+1, err)
		}
		if m.Reason == "" || m.By == "" {
			return fmt.Errorf("mutes: entry %d: a mute requires a reason and an author (by)", i+1)
		}
	}
	return nil
}

func (c *Config) fire() sessionevents.Urgency  { return tenths(c.Thresholds.Fire) }
func (c *Config) queue() sessionevents.Urgency { return tenths(c.Thresholds.Queue) }

func (c *Config) observes(detector string) bool { return c.Detectors[detector] == rules.ModeObserve }
func (c *Config) off(detector string) bool      { return c.Detectors[detector] == rules.ModeOff }

func tenths(v float64) sessionevents.Urgency { return sessionevents.Urgency(math.Round(v * 10)) }
