package workhours

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Section is the section "hours" of the rule data (PL-51).
type Section struct {
	Dispatch      Hours `yaml:"dispatch"`      // when work may start
	Notifications Hours `yaml:"notifications"` // when people are notified
}

// Load reads and validates the section.
func Load(set *rules.Set) (Section, error) {
	var s Section
	if err := set.Decode("hours", &s); err != nil {
		return s, fmt.Errorf("read the working hours: %w", err)
	}
	return s, nil
}

// Validate validates the hours when the file is read.
func (s *Section) Validate() error {
	if _, err := s.Dispatch.Window(); err != nil {
		return Below(err, "dispatch")
	}
	_, err := s.Notifications.Window()
	return Below(err, "notifications")
}
