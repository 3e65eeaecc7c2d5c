package preflight

import (
	"fmt"
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// security answers for escalations in what the call would write (DP-3).
func (c *Checker) security(call *Call) Answer {
	mode := c.config.Classes.Security
	if mode == ModeOff || c.content == nil {
		return allowed("")
	}
	found, silenced := c.escalations(call)
	if len(found) == 0 {
		return allowed(silenced)
	}
	lead := &found[0]
	answer := Answer{
		Decision: mode.decision(), Class: ClassSecurity, Rule: lead.Detector,
		Text: c.worded(lead.Message), Reason: lead.Reason, Signals: found,
	}
	if more := len(found) - 1; more > 0 {
		answer.Reason += fmt.Sprintf(" (%d more in this call.)", more)
	}
	return c.observed(answer)
}

// observed allows a call in modes that deliver nothing (DP-25). A halt is a separate
// decision and still applies.
func (c *Checker) observed(a Answer) Answer {
	if c.dispatch.Mode != rules.ModeObserve || a.Decision == Allow {
		return a
	}
	return Answer{Decision: Allow, Reason: "observe mode: would have been " + string(a.Decision) + ", " + a.Rule, Signals: a.Signals}
}

// escalations returns the findings of B1, B2 and E4 in the call, in order; silenced is
// the reason why other findings were left out.
func (c *Checker) escalations(call *Call) (found []sessionevents.Signal, silenced string) {
	for _, s := range c.content.Signals(call) {
		if !c.dispatch.Escalates(&s) {
			continue
		}
		if s.Suppressed != "" {
			silenced = s.Suppressed
			continue
		}
		if reason, muted := c.muted(call, &s); muted {
			silenced = reason
			continue
		}
		found = append(found, s)
	}
	return found, silenced
}

// muted returns the author and reason of the mute that covers a finding in a call.
func (c *Checker) muted(call *Call, s *sessionevents.Signal) (reason string, ok bool) {
	return c.dispatch.Muted(s, call.Turn, call.At, slices.Concat(call.Mutes, c.dispatch.MutesIn(call.Workspace)))
}

// Mode is how strict a class is.
type Mode string

// Modes of a class.
const (
	ModeOff  Mode = "off"
	ModeWarn Mode = "warn"
	ModeDeny Mode = "deny"
)

// Config is the section "preflight" of the rules; rules/preflight.yaml explains each
// field.
type Config struct {
	Classes       Classes                  `yaml:"classes"`
	HaltStates    []runevents.ControlState `yaml:"halt_states" allow:"halted|paused|draining"`
	MaxBytes      int                      `yaml:"max_bytes" range:"1024..4194304"`
	MainBranches  []string                 `yaml:"main_branches"`
	Commits       []string                 `yaml:"commits"`
	Switches      []string                 `yaml:"switches"`
	Dry           []string                 `yaml:"dry"`
	AllowVariable string                   `yaml:"allow_variable"`
	Release       Release                  `yaml:"release"`
}

// Classes are the modes of the classes (DP-24).
type Classes struct {
	SelfRelease  Mode `yaml:"self_release" allow:"off|warn|deny"`
	Halt         Mode `yaml:"halt" allow:"off|warn|deny"`
	Security     Mode `yaml:"security" allow:"off|warn|deny"`
	CommitToMain Mode `yaml:"commit_to_main" allow:"off|warn|deny"`
	Destructive  Mode `yaml:"destructive" allow:"off|warn|deny"`
}

// LoadConfig reads and validates the data; an error names the file, the line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("preflight", &c); err != nil {
		return nil, fmt.Errorf("read preflight configuration: %w", err)
	}
	return &c, nil
}

// decision returns the decision of a class in this mode.
func (m Mode) decision() Decision {
	switch m {
	case ModeDeny:
		return Deny
	case ModeWarn:
		return Warn
	default:
		return Allow
	}
}
