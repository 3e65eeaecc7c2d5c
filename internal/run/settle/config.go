package settle

import (
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Config is the part of the section "run" of the rule data that settle reads.
type Config struct {
	Escalation Reminding        `yaml:"escalation"`
	Interrupt  InterruptLimits  `yaml:"interrupt"`
	Breaks     map[string]Break `yaml:"breaks"` // by trigger
	Present    Present          `yaml:"present"`
	Kept       Kept             `yaml:"kept"`
	// ObserveOnly publishes every decision and halts nothing (DP-25).
	ObserveOnly bool `yaml:"-"`
}

// Reminding is RW-41.
type Reminding struct {
	Reminder time.Duration `yaml:"reminder"`
}

// InterruptLimits bound interrupts outside the interrupt budget.
type InterruptLimits struct {
	ExpiresAfterTurns int `yaml:"expires_after_turns" range:"1..1000"`
}

// Break describes the break of a trigger (RW-32).
type Break struct {
	Kind    runevents.BreakKind `yaml:"kind" allow:"hard|soft"`
	Layer   sessionevents.Layer `yaml:"layer" allow:"session|archetype|system|policy|wave|pipeline"`
	Present string              `yaml:"present" allow:"best|approach|none"`
	Cause   string              `yaml:"cause"`
	// AgainstHalt gives the trigger a break of its own while the run is halted: WP-2 can
	// only be violated then, and RW-32 would reduce it to a note.
	AgainstHalt bool     `yaml:"against_halt"`
	Options     []Option `yaml:"options"`
}

// Option is one answer that a person can give to a break.
type Option struct {
	ID       string `yaml:"id"`
	Text     string `yaml:"text"`
	Tradeoff string `yaml:"tradeoff"`
}

// Present holds the texts that a break presents to people.
type Present struct {
	Best     string `yaml:"best"`
	Approach string `yaml:"approach"`
}

// Kept bounds what a run remembers; the oldest is dropped first.
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
