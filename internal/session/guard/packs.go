package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
