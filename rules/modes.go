package rules

import "sort"

// Mode says whether a detector runs and whether it may speak (DP-25).
type Mode string

// Modes of a detector.
const (
	ModeOff     Mode = "off"     // not run
	ModeObserve Mode = "observe" // run and recorded, never delivered
	ModeOn      Mode = "on"
)

// DetectorRule is one entry of the section `detectors`.
type DetectorRule struct {
	Mode Mode `yaml:"mode" allow:"off|observe|on"`
}

// detectorModes is the section `detectors`: detector id → rule.
type detectorModes map[string]DetectorRule

// checkModes refuses overrides for detectors that do not exist.
func (s *Set) checkModes() error {
	known := map[string]bool{}
	var names []string
	section := s.sections["detectors"]
	if section == nil {
		return nil
	}
	for i := 0; i < len(section.Content); i += 2 {
		if key := section.Content[i]; !s.userNodes[key] {
			known[key.Value] = true
			names = append(names, key.Value)
		}
	}
	sort.Strings(names)
	for i := 0; i < len(section.Content); i += 2 {
		if key := section.Content[i]; !known[key.Value] {
			return s.problem("detectors", key, nil, "no detector %q; %s", key.Value, choices(key.Value, names))
		}
	}
	return s.Decode("detectors", &detectorModes{})
}

// Mode is a detector's mode; one that the data does not name is on.
func (s *Set) Mode(detector string) Mode {
	modes := detectorModes{}
	if err := s.Decode("detectors", &modes); err != nil || modes[detector].Mode == "" {
		return ModeOn // Load has checked the section
	}
	return modes[detector].Mode
}
