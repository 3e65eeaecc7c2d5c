package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Mode is whether a detector runs and whether it may interrupt (DP-25).
type Mode string

// Modes of a detector.
const (
	ModeOff     Mode = "off"     // does not run
	ModeObserve Mode = "observe" // runs and is recorded, but never delivered
	ModeOn      Mode = "on"
)

// DetectorRule is one entry of the section `detectors`.
type DetectorRule struct {
	Mode Mode `yaml:"mode" allow:"off|observe|on"`
}

// detectorModes is the section `detectors`: detector id → rule.
type detectorModes map[string]DetectorRule

// loadModes reads the section `detectors` and refuses overrides for detectors that do not
// exist.
func (s *Set) loadModes() error {
	s.modes = detectorModes{}
	if s.shipped.sections["detectors"] == nil {
		return nil
	}
	if s.Checks("detectors") {
		if err := s.checkModes(s.changed["detectors"]); err != nil {
			return err
		}
	}
	return s.Decode("detectors", &s.modes)
}

func (s *Set) checkModes(section *yaml.Node) error {
	var names []string
	for i := 0; i < len(section.Content); i += 2 {
		if key := section.Content[i]; !s.user.nodes[key] {
			names = append(names, key.Value)
		}
	}
	slices.Sort(names)
	for i := 0; i < len(section.Content); i += 2 {
		if key := section.Content[i]; !slices.Contains(names, key.Value) {
			return s.user.problem("detectors", key, nil, "no detector %q; %s", key.Value, Choices(key.Value, names))
		}
	}
	return nil
}

// Mode returns a detector's mode; a detector that the data does not name is on.
func (s *Set) Mode(detector string) Mode {
	if mode := s.modes[detector].Mode; mode != "" {
		return mode
	}
	return ModeOn
}
