package aftermath

import (
	"fmt"
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Verdict says whether a break was warranted, by what happened after it (RW-32).
type Verdict string

// Verdicts.
const (
	Warranted    Verdict = "warranted"
	NotWarranted Verdict = "not_warranted"
	Unclear      Verdict = "unclear"   // what happened says neither
	TooEarly     Verdict = "too_early" // nothing has happened yet
)

// Warrant is a verdict with what it rests on.
type Warrant struct {
	Verdict Verdict `json:"verdict"`
	// Basis is the rule behind it in a word, see docs/report.md.
	Basis    string   `json:"basis"`
	Why      string   `json:"why"`
	Evidence []string `json:"evidence"` // event ids
}

// warrants are asked in this order; the first that applies decides.
var warrants = []func(*State, *Settings, *Break) *Warrant{
	recurred, tookBack, redone, failedAfter, stopped, succeededAlone, otherBreak, boundary, accepted, succeededAfter, quietAfter,
}

// Warrant judges a break by what came after it.
func (s *State) Warrant(set *Settings, b *Break) Warrant {
	if w := s.upgraded(set, b); w != nil {
		return *w
	}
	for _, rule := range warrants {
		if w := rule(s, set, b); w != nil {
			if w.Evidence == nil {
				w.Evidence = []string{}
			}
			return *w
		}
	}
	if b.ResumedAt > 0 {
		return Warrant{TooEarly, "goes_on", "It was resumed and goes on.", []string{b.Resumed.Event}}
	}
	return Warrant{TooEarly, "stands", "Nobody has resumed or ended it.", []string{}}
}

// upgraded: a hard break took its place, and the verdict on that one holds.
func (s *State) upgraded(set *Settings, b *Break) *Warrant {
	for i := range s.Breaks {
		next := &s.Breaks[i]
		if b.UpgradedBy != "" && next.ID == b.UpgradedBy && next.At > b.At {
			w := s.Warrant(set, next)
			return &Warrant{w.Verdict, "upgraded", fmt.Sprintf("The hard break %s took its place: %s", next.Trigger, w.Why), append([]string{next.ID}, w.Evidence...)}
		}
	}
	return nil
}

// recurred: the same trigger came again, while it stood or after it was resumed.
func recurred(s *State, set *Settings, b *Break) *Warrant {
	for _, n := range b.Noted {
		if n.Trigger == b.Trigger {
			return &Warrant{Warranted, "same_trigger_while_it_stood", "What broke it went on while it stood: " + n.Reason, []string{n.Event}}
		}
	}
	for i := range s.Breaks {
		next := &s.Breaks[i]
		if b.ResumedAt > 0 && next.At > b.ResumedAt && next.Trigger == b.Trigger && next.Subject == b.Subject {
			return &Warrant{Warranted, "same_trigger_again", "It was resumed and broke again for the same reason.", []string{b.Resumed.Event, next.ID}}
		}
	}
	return nil
}

// tookBack: the merge that broke the suite was reverted (RW-30).
func tookBack(_ *State, _ *Settings, b *Break) *Warrant {
	if b.Reverted == "" {
		return nil
	}
	return &Warrant{Warranted, "work_taken_back", "The merge that broke the suite was reverted.", []string{b.Reverted}}
}

// redone: a person chose to do the work again (WP-1).
func redone(s *State, set *Settings, b *Break) *Warrant {
	if b.Recovery == nil || !slices.Contains(set.RedoOptions, b.Recovery.Option) {
		return nil
	}
	return &Warrant{Warranted, "work_redone", fmt.Sprintf("A person chose recovery option %d: the work is done again or looked into.", b.Recovery.Option), []string{b.Recovery.Event}}
}

// failedAfter: it was resumed and did not succeed.
func failedAfter(s *State, set *Settings, b *Break) *Warrant {
	if b.ResumedAt == 0 || !s.endedAfter(b.ResumedAt) || set.Succeeded(s.Outcome) {
		return nil
	}
	return &Warrant{Warranted, "failed_after_resume", "It was resumed and the run ended as " + s.Outcome + ".", []string{b.Resumed.Event, s.Completed}}
}

// stopped: nobody resumed it, and it ended without success.
func stopped(s *State, set *Settings, b *Break) *Warrant {
	switch {
	case b.ResumedAt > 0:
		return nil
	case s.endedAfter(b.At) && !set.Succeeded(s.Outcome):
		return &Warrant{Warranted, "not_taken_up", "Nobody resumed it; the run ended as " + s.Outcome + ".", []string{s.Completed}}
	case b.Closed != "" && !s.endedAfter(b.At):
		return &Warrant{Warranted, "not_taken_up", "Nobody resumed the session; it was closed.", []string{b.Closed}}
	}
	return nil
}

// succeededAlone: nobody resumed it, and the run succeeded all the same.
func succeededAlone(s *State, set *Settings, b *Break) *Warrant {
	if b.ResumedAt > 0 || !s.endedAfter(b.At) {
		return nil
	}
	if b.Kind == runevents.BreakSoft {
		return &Warrant{Unclear, "finished_what_was_begun", "The run succeeded with what it was allowed to finish.", []string{s.Completed}}
	}
	return &Warrant{NotWarranted, "succeeded_without_resume", "The run succeeded without anybody resuming it.", append(slices.Clone(b.Ignored), s.Completed)}
}

// otherBreak: it was resumed and broke for another reason.
func otherBreak(s *State, set *Settings, b *Break) *Warrant {
	for i := range s.Breaks {
		next := &s.Breaks[i]
		if b.ResumedAt > 0 && next.At > b.ResumedAt && next.Subject == b.Subject {
			return &Warrant{Unclear, "broke_otherwise", fmt.Sprintf("It was resumed and broke for another reason: %s.", next.Trigger), []string{b.Resumed.Event, next.ID}}
		}
	}
	return nil
}

// boundary: a person moved a boundary; success says nothing about it.
func boundary(s *State, set *Settings, b *Break) *Warrant {
	if b.ResumedAt == 0 || !s.endedAfter(b.ResumedAt) || !slices.Contains(set.Boundaries, b.Trigger) {
		return nil
	}
	return &Warrant{Unclear, "boundary_moved", "A person let the run past a boundary, and it succeeded.", []string{b.Resumed.Event, s.Completed}}
}

// accepted: a person took the work as it is; nobody looked whether it is sound.
func accepted(s *State, set *Settings, b *Break) *Warrant {
	if b.Recovery == nil || !s.endedAfter(b.At) {
		return nil
	}
	return &Warrant{Unclear, "accepted_as_it_is", "A person accepted the work as it is, and the run succeeded.", []string{b.Recovery.Event, s.Completed}}
}

// succeededAfter: it was resumed, nothing broke again, and the run succeeded.
func succeededAfter(s *State, set *Settings, b *Break) *Warrant {
	if b.ResumedAt == 0 || !s.endedAfter(b.ResumedAt) {
		return nil
	}
	return &Warrant{NotWarranted, "succeeded_after_resume", "It was resumed, the trigger did not come again, and the run succeeded.", []string{b.Resumed.Event, s.Completed}}
}

// quietAfter: a session was resumed and closed without the trigger coming again.
func quietAfter(_ *State, _ *Settings, b *Break) *Warrant {
	if b.ResumedAt == 0 || b.Closed == "" {
		return nil
	}
	return &Warrant{NotWarranted, "quiet_after_resume", "The session was resumed and closed; the trigger did not come again.", []string{b.Resumed.Event, b.Closed}}
}
