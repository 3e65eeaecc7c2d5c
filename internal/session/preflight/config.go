package preflight

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

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
