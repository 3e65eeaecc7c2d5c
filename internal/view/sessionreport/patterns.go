package sessionreport

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// observations are patterns across the session, most of them too minor for an interrupt (DP-31).
func (f closing) observations(m Model) []string {
	text := []string{}
	for _, t := range m.Detectors {
		if heard := t.Detected - t.Suppressed; heard >= 2 {
			text = append(text, f.repeated(t, heard))
		}
	}
	for _, s := range m.Logged {
		if s.Class == "A" || s.Class == "B" {
			text = append(text, fmt.Sprintf("Below threshold in turn %d (%s at %s): %s", s.Turn, s.Detector, s.Urgency, s.Message))
		}
	}
	if n := m.Counts.Corrected; n > 0 {
		text = append(text, fmt.Sprintf("The agent corrected %d of %s itself before anything was said.", n, page.Plural(m.Counts.Detected, "signal")))
	}
	if heeded, ignored := heed(m); ignored > 0 {
		text = append(text, fmt.Sprintf("Interrupts ignored: %d of %d judged.", ignored, heeded+ignored))
	}
	if f.exhausted > 0 {
		text = append(text, fmt.Sprintf("The interrupt budget was spent; up to %s waited for it.", page.Plural(f.exhausted, "signal")))
	}
	for _, r := range m.RedFlags {
		if r.Count >= 3 {
			text = append(text, fmt.Sprintf("Red flag %s came up %d times, first: %s", r.ID, r.Count, quote.Passage(r.Sentence)))
		}
	}
	return text
}

// repeated describes what a detector that fired more than once was about.
func (f closing) repeated(t Tally, heard int) string {
	times := map[string]int{}
	for _, s := range f.order {
		if s.Detector == t.Detector && s.End != endSuppressed {
			times[s.Subject]++
		}
	}
	subjects := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(times[b]-times[a], strings.Compare(a, b))
	})
	shown := subjects[:min(len(subjects), f.settings.Limits.Subjects)]
	list := make([]string, 0, len(shown))
	for _, s := range shown {
		list = append(list, fmt.Sprintf("%s (%d)", quote.Path(s), times[s]))
	}
	if rest := len(subjects) - len(shown); rest > 0 {
		list = append(list, fmt.Sprintf("%d more", rest))
	}
	return fmt.Sprintf("%s: %s about %s: %s", name(t), page.Plural(heard, "signal"), things(len(subjects)), strings.Join(list, ", "))
}

func name(t Tally) string {
	if t.Title == "" {
		return t.Detector
	}
	return t.Detector + " " + t.Title
}

func heed(m Model) (heeded, ignored int) {
	for _, t := range m.Detectors {
		heeded += t.Heeded
		ignored += t.Ignored
	}
	return heeded, ignored
}

// advice is what to do about open findings in the next session, the most expensive first; class C only once
// per detector, since it leaves nothing in the code.
func (f closing) advice() []string {
	var open []*thing
	habits := map[string]bool{}
	for _, t := range f.things() {
		debt := slices.Contains(f.settings.DebtClasses, t.last.Class)
		if !t.open || !debt && habits[t.last.Detector] {
			continue
		}
		habits[t.last.Detector] = true
		open = append(open, t)
	}
	slices.SortStableFunc(open, func(a, b *thing) int {
		return cmp.Or(b.cost-a.cost, cmp.Compare(a.last.Turn, b.last.Turn))
	})
	text := []string{}
	for i, t := range open {
		if i == f.settings.Limits.Recommendations {
			text = append(text, fmt.Sprintf("%d more stand open.", len(open)-i))
			break
		}
		text = append(text, f.recommend(t))
	}
	return text
}

func (f closing) recommend(t *thing) string {
	d := f.settings.Detectors[t.last.Detector]
	what := t.last.Detector + " " + d.Title
	if text := about(t.last.Subject, t.last.Path, t.last.Message); text != "" {
		what += ": " + text
	} else {
		what += fmt.Sprintf(", turn %d", t.last.Turn)
	}
	if d.Recommendation == "" {
		return what
	}
	return what + " — " + d.Recommendation + "."
}

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
