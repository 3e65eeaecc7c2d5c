package sessionreport

import (
	"fmt"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Settings are the section "report" of the rule data, and the initial budget of a session, shown until an
// interrupt states the real one.
type Settings struct {
	Limits      Limits                `yaml:"limits"`
	Detectors   map[string]Detector   `yaml:"detectors"`
	Duplication []string              `yaml:"duplication"`
	DebtClasses []sessionevents.Class `yaml:"debt_classes" allow:"A|B|C|D|E"`
	Reasons     map[string]string     `yaml:"reasons"` // why a signal was not sent, in words
	Finish      Finish                `yaml:"finish"`
	Budget      int                   `yaml:"-"`
}

// Limits are the maximum lengths of lists; what is left out is counted.
type Limits struct {
	Timeline        int `yaml:"timeline" range:"1..100000"`
	Turns           int `yaml:"turns" range:"1..100000"`
	Recommendations int `yaml:"recommendations" range:"1..1000"`
	Subjects        int `yaml:"observations_of_subjects" range:"1..100"`
}

// Detector is what the report says about one detector.
type Detector struct {
	Title          string `yaml:"title"`
	Recommendation string `yaml:"recommendation"`
	// CWE lists the weaknesses that it detects, for signals that name none.
	CWE []int `yaml:"cwe"`
	// Severity of the weakness on the CVSS scale, 0–10; 0 if it is not a security issue.
	Severity float64 `yaml:"severity" range:"0..10"`
}

// LoadSettings reads the rule data; an error names file, line and cure.
func LoadSettings(set *rules.Set) (*Settings, error) {
	var s Settings
	if err := set.Decode("report", &s); err != nil {
		return nil, fmt.Errorf("read report settings: %w", err)
	}
	var start struct {
		Budget int            `yaml:"budget" range:"0..1000"`
		Rest   map[string]any `yaml:",inline"`
	}
	if err := set.Decode("dispatch", &start); err != nil {
		return nil, fmt.Errorf("read the budget for reports: %w", err)
	}
	s.Budget = start.Budget
	return &s, nil
}

// defaultSettings are those of the embedded rule data.
func defaultSettings() *Settings {
	s, err := LoadSettings(rules.Default())
	if err != nil {
		panic(err) // the embedded data is checked by this package's tests
	}
	return s
}

// worded returns a code or reason in words, or unchanged if the data has no words for it.
func (s *Settings) worded(code string) string {
	if words := s.Reasons[code]; words != "" {
		return words
	}
	return strings.ReplaceAll(code, "_", " ")
}

func (s *Settings) title(detector string) string { return s.Detectors[detector].Title }
