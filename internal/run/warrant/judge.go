package warrant

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// warrants are tried in this order; the first that applies decides.
var warrants = []func(*Config, *State, *Break) *runevents.Warrant{
	recurred, tookBack, redone, failedAfter, stopped, succeededAlone, fixed, otherBreak, boundary, accepted, succeededAfter, quietAfter,
}

// judge returns the verdict on a break, based on what happened after it.
func (c *Config) judge(s *State, b *Break) runevents.Warrant {
	if w := upgraded(c, s, b); w != nil {
		return *w
	}
	for _, rule := range warrants {
		if w := rule(c, s, b); w != nil {
			return *w
		}
	}
	if b.ResumedAt > 0 {
		return *warrant(runevents.TooEarly, runevents.BasisGoesOn, "It was resumed and goes on.", b.Resumed.Event)
	}
	return *warrant(runevents.TooEarly, runevents.BasisStands, "Nobody has resumed or ended it.")
}

func warrant(verdict runevents.WarrantVerdict, basis runevents.WarrantBasis, why string, evidence ...string) *runevents.Warrant {
	return &runevents.Warrant{Verdict: verdict, Basis: basis, Why: why, Evidence: append([]string{}, evidence...)}
}

// upgraded applies if a hard break replaced it; the verdict on that one counts.
func upgraded(c *Config, s *State, b *Break) *runevents.Warrant {
	for i := range s.Breaks {
		next := &s.Breaks[i]
		if b.UpgradedBy != "" && next.ID == b.UpgradedBy && next.At > b.At {
			w := c.judge(s, next)
			return warrant(w.Verdict, runevents.BasisUpgraded, fmt.Sprintf("The hard break %s took its place: %s", next.Trigger, w.Why), append([]string{next.ID}, w.Evidence...)...)
		}
	}
	return nil
}

// recurred applies if the same trigger recurred while the break was open or after it was
// resumed.
func recurred(c *Config, s *State, b *Break) *runevents.Warrant {
	if b.Again != nil {
		return warrant(runevents.Warranted, runevents.BasisSameTriggerOpen, "The same trigger came again while it was open: "+b.Again.Reason, b.Again.Event)
	}
	for i := range s.Breaks {
		next := &s.Breaks[i]
		if b.ResumedAt > 0 && next.At > b.ResumedAt && next.Trigger == b.Trigger && next.Subject == b.Subject {
			return warrant(runevents.Warranted, runevents.BasisSameTriggerAgain, "It was resumed and broke again for the same reason.", b.Resumed.Event, next.ID)
		}
	}
	return nil
}

// tookBack applies if the merge that broke the suite was reverted (RW-30).
func tookBack(_ *Config, _ *State, b *Break) *runevents.Warrant {
	if b.Reverted == "" {
		return nil
	}
	return warrant(runevents.Warranted, runevents.BasisTakenBack, "The merge that broke the suite was reverted.", b.Reverted)
}

// redone applies if a person chose to redo the work (WP-1).
func redone(c *Config, s *State, b *Break) *runevents.Warrant {
	if b.Recovery == nil || !slices.Contains(c.RedoOptions, b.Recovery.Option) {
		return nil
	}
	return warrant(runevents.Warranted, runevents.BasisRedone, fmt.Sprintf("A person chose recovery option %d: the work is done again or investigated.", b.Recovery.Option), b.Recovery.Event)
}

// failedAfter applies if the run was resumed and did not succeed.
func failedAfter(c *Config, s *State, b *Break) *runevents.Warrant {
	if b.ResumedAt == 0 || !s.endedAfter(b.ResumedAt) || c.succeeded(s.Outcome) {
		return nil
	}
	return warrant(runevents.Warranted, runevents.BasisFailedAfter, "It was resumed and the run ended as "+s.Outcome+".", b.Resumed.Event, s.Completed)
}

// stopped applies if the run was not resumed and ended without success.
func stopped(c *Config, s *State, b *Break) *runevents.Warrant {
	switch {
	case b.ResumedAt > 0:
		return nil
	case s.endedAfter(b.At) && !c.succeeded(s.Outcome):
		return warrant(runevents.Warranted, runevents.BasisNotTakenUp, "Nobody resumed it; the run ended as "+s.Outcome+".", s.Completed)
	case b.Closed != "" && !s.endedAfter(b.At):
		return warrant(runevents.Warranted, runevents.BasisNotTakenUp, "Nobody resumed the session; it was closed.", b.Closed)
	}
	return nil
}

// succeededAlone applies if the run succeeded without being resumed.
func succeededAlone(c *Config, s *State, b *Break) *runevents.Warrant {
	if b.ResumedAt > 0 || !s.endedAfter(b.At) {
		return nil
	}
	if b.Kind == runevents.BreakSoft {
		return warrant(runevents.Unclear, runevents.BasisFinishedTask, "The run finished its task and succeeded.", s.Completed)
	}
	return warrant(runevents.NotWarranted, runevents.BasisSucceededAlone, "The run succeeded although nobody resumed it.", append(slices.Clone(b.Ignored), s.Completed)...)
}

// fixed applies if a person fixed the cause before the run continued, according to the
// reason of the resume. Without the halt the run would have continued with the cause in
// place.
func fixed(c *Config, _ *State, b *Break) *runevents.Warrant {
	if b.ResumedAt == 0 || slices.Contains(c.Boundaries, b.Trigger) {
		return nil
	}
	if !c.says(b.Resumed.Why) {
		return nil
	}
	return warrant(runevents.Warranted, runevents.BasisFixed, "A person put the cause right and resumed: "+b.Resumed.Why, b.Resumed.Event)
}

// otherBreak applies if the run was resumed and broke for another reason.
func otherBreak(c *Config, s *State, b *Break) *runevents.Warrant {
	for i := range s.Breaks {
		next := &s.Breaks[i]
		if b.ResumedAt > 0 && next.At > b.ResumedAt && next.Subject == b.Subject {
			return warrant(runevents.Unclear, runevents.BasisOtherBreak, fmt.Sprintf("It was resumed and broke for another reason: %s.", next.Trigger), b.Resumed.Event, next.ID)
		}
	}
	return nil
}

// boundary applies if a person moved a boundary; success then says nothing about it.
func boundary(c *Config, s *State, b *Break) *runevents.Warrant {
	if b.ResumedAt == 0 || !s.endedAfter(b.ResumedAt) || !slices.Contains(c.Boundaries, b.Trigger) {
		return nil
	}
	return warrant(runevents.Unclear, runevents.BasisBoundaryMoved, "A person let the run past a boundary, and it succeeded.", b.Resumed.Event, s.Completed)
}

// accepted applies if a person accepted the work as it is and did not check it.
func accepted(c *Config, s *State, b *Break) *runevents.Warrant {
	if b.Recovery == nil || !s.endedAfter(b.At) {
		return nil
	}
	return warrant(runevents.Unclear, runevents.BasisAccepted, "A person accepted the work as it is, and the run succeeded.", b.Recovery.Event, s.Completed)
}

// succeededAfter applies if the run was resumed, did not break again, and succeeded.
func succeededAfter(c *Config, s *State, b *Break) *runevents.Warrant {
	if b.ResumedAt == 0 || !s.endedAfter(b.ResumedAt) {
		return nil
	}
	return warrant(runevents.NotWarranted, runevents.BasisSucceededAfter, "It was resumed, the trigger did not recur, and the run succeeded.", b.Resumed.Event, s.Completed)
}

// quietAfter applies if a session was resumed and closed without the trigger recurring.
func quietAfter(_ *Config, _ *State, b *Break) *runevents.Warrant {
	if b.ResumedAt == 0 || b.Closed == "" {
		return nil
	}
	return warrant(runevents.NotWarranted, runevents.BasisQuietAfter, "The session was resumed and closed; the trigger did not recur.", b.Resumed.Event, b.Closed)
}

// Config is the section "warrant" of the rule data.
type Config struct {
	Success     []string                 `yaml:"success"`      // outcomes of run.completed
	Boundaries  []runevents.BreakTrigger `yaml:"boundaries"`   // triggers that are limits rather than suspicions
	RedoOptions []int                    `yaml:"redo_options"` // recoveries after which work is redone (WP-1)
	// Fixed are words of a person who fixed the cause; Denied are words before them that
	// negate them.
	Fixed  []string `yaml:"fixed"`
	Denied []string `yaml:"denied"`
	Kept   Kept     `yaml:"kept"`
}

// Kept bounds the state.
type Kept struct {
	Breaks int `yaml:"breaks" range:"1..100000"`
	Text   int `yaml:"text" range:"20..100000"` // characters
}

// LoadConfig returns the configuration of a rule set. An error names the file, the
// line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("warrant", &c); err != nil {
		return nil, fmt.Errorf("read warrant configuration: %w", err)
	}
	return &c, nil
}

// succeeded reports whether an outcome of run.completed is a success.
func (c *Config) succeeded(outcome string) bool {
	return slices.Contains(c.Success, strings.ToLower(strings.TrimSpace(outcome)))
}

// short cuts a text to a number of characters.
func (c *Config) short(text string) string {
	runes := 0
	for at := range text {
		if runes == c.Kept.Text {
			return text[:at] + "…"
		}
		runes++
	}
	return text
}

// says reports whether a person's reason states that the cause was fixed.
func (c *Config) says(why string) bool {
	words := strings.FieldsFunc(strings.ToLower(why), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	for i, word := range words {
		if !slices.Contains(c.Fixed, word) {
			continue
		}
		before := words[max(0, i-3):i]
		if !slices.ContainsFunc(before, func(w string) bool { return slices.Contains(c.Denied, w) }) {
			return true
		}
	}
	return false
}
