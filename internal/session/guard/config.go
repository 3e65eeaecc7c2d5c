package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Mode is how strict a pack is.
type Mode string

// Modes of a pack. Deny for core depends on ownership.
const (
	ModeOff     Mode = "off"
	ModeObserve Mode = "observe"
	ModeWarn    Mode = "warn"
	ModeDeny    Mode = "deny"
)

// Config is the section "guard" of the rules; rules/guard.yaml explains each field.
type Config struct {
	Packs struct {
		Core    Mode `yaml:"core" allow:"off|observe|warn|deny"`
		Data    Mode `yaml:"data" allow:"off|observe|warn|deny"`
		Infra   Mode `yaml:"infra" allow:"off|observe|warn|deny"`
		Hijack  Mode `yaml:"hijack" allow:"off|observe|warn|deny"`
		Secrets Mode `yaml:"secrets" allow:"off|observe|warn|deny"`
	} `yaml:"packs"`
	Deny        []string `yaml:"deny"`
	Silent      []string `yaml:"silent"`
	Production  []string `yaml:"production"`
	SystemTrees []string `yaml:"system_trees"`
	Locks       []string `yaml:"locks"`
	Notes       []string `yaml:"notes"`
	Named       int      `yaml:"named" range:"1..20"`
}

// Mode returns the mode of a pack.
func (c *Config) Mode(pack string) Mode {
	switch pack {
	case "data":
		return c.Packs.Data
	case "infra":
		return c.Packs.Infra
	case "hijack":
		return c.Packs.Hijack
	case "secrets":
		return c.Packs.Secrets
	}
	return c.Packs.Core
}

// Judge judges command lines. It holds no state and is safe for concurrent use.
type Judge struct {
	config Config
	reader *destruct.Reader
}

// New returns a Judge for the rules.
func New(set *rules.Set) (*Judge, error) {
	j := &Judge{}
	if err := set.Decode("guard", &j.config); err != nil {
		return nil, fmt.Errorf("load the guard: %w", err)
	}
	var err error
	j.reader, err = destruct.New(set)
	return j, err
}

// Reader returns the reader of the command lines to judge.
func (j *Judge) Reader() *destruct.Reader { return j.reader }

// Permission returns a function that reports whether a person asked for an act, in one of
// the messages, oldest first, or by accepting the agent's offer (JD-30).
func (j *Judge) Permission(messages []string, offer string) func(*destruct.Act) bool {
	return func(a *destruct.Act) bool { return j.reader.Asked(messages, offer, a) }
}

// Effects returns the effects of a command line that starts in a folder (GD-1).
func (j *Judge) Effects(command, folder string, facts Facts) []destruct.Effect {
	return j.reader.Effects(command, folder, facts)
}

// Packs holds the modes of packs that a workspace requests. Each applies only if it is
// stricter than the operator's: a file that an agent can write must not loosen the guard
// (GD-9).
type Packs map[string]Mode

// names lists the packs, modes the modes of a pack, mildest first.
var (
	names = []string{"core", "data", "infra", "hijack", "secrets"}
	modes = []Mode{ModeOff, ModeObserve, ModeWarn, ModeDeny}
)

// Check returns the first unknown pack or mode, with the fix.
func (p Packs) Check() (pack string, err error) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(names, name) {
			return name, fmt.Errorf("there is no such pack; use %s", strings.Join(names, ", "))
		}
		if !slices.Contains(modes, p[name]) {
			return name, fmt.Errorf("%q is not a mode; use off, observe, warn or deny", p[name])
		}
	}
	return "", nil
}

// Over returns the stricter of a mode and the mode that the workspace requests for the
// pack.
func (p Packs) Over(pack string, mode Mode) Mode {
	if asked := p[pack]; slices.Index(modes, asked) > slices.Index(modes, mode) {
		return asked
	}
	return mode
}

// Stricter returns the packs that are stricter than the shipped or the operator's modes.
func (p Packs) Stricter(c *Config) Packs {
	out := Packs{}
	for name, mode := range p {
		if slices.Contains(names, name) && p.Over(name, c.Mode(name)) == mode && mode != c.Mode(name) {
			out[name] = mode
		}
	}
	return out
}
