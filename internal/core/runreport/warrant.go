package runreport

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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
var warrants = []func(*Fold, *broken) *Warrant{
	recurred, tookBack, redone, failedAfter, stopped, succeededAlone, otherBreak, boundary, accepted, succeededAfter, quietAfter,
}

// warrant judges a break by what came after it.
func (f *Fold) warrant(b *broken) Warrant {
	if w := f.upgraded(b); w != nil {
		return *w
	}
	for _, rule := range warrants {
		if w := rule(f, b); w != nil {
			if w.Evidence == nil {
				w.Evidence = []string{}
			}
			return *w
		}
	}
	if b.resumed > 0 {
		return Warrant{TooEarly, "goes_on", "It was resumed and goes on.", []string{b.Resumed.Event}}
	}
	return Warrant{TooEarly, "stands", "Nobody has resumed or ended it.", []string{}}
}

// upgraded: a hard break took its place, and the verdict on that one holds.
func (f *Fold) upgraded(b *broken) *Warrant {
	for _, next := range f.breaks {
		if b.UpgradedBy != "" && next.ID == b.UpgradedBy && next.at > b.at {
			w := f.warrant(next)
			return &Warrant{w.Verdict, "upgraded", fmt.Sprintf("The hard break %s took its place: %s", next.Trigger, w.Why), append([]string{next.ID}, w.Evidence...)}
		}
	}
	return nil
}

// recurred: the same trigger came again, while it stood or after it was resumed.
func recurred(f *Fold, b *broken) *Warrant {
	for _, n := range b.Noted {
		if n.Trigger == b.Trigger {
			return &Warrant{Warranted, "same_trigger_while_it_stood", "What broke it went on while it stood: " + n.Reason, []string{n.Event}}
		}
	}
	for _, next := range f.breaks {
		if b.resumed > 0 && next.at > b.resumed && next.Trigger == b.Trigger && next.subject == b.subject {
			return &Warrant{Warranted, "same_trigger_again", "It was resumed and broke again for the same reason.", []string{b.Resumed.Event, next.ID}}
		}
	}
	return nil
}

// tookBack: the merge that broke the suite was reverted (RW-30).
func tookBack(_ *Fold, b *broken) *Warrant {
	if b.Reverted == "" {
		return nil
	}
	return &Warrant{Warranted, "work_taken_back", "The merge that broke the suite was reverted.", []string{b.Reverted}}
}

// redone: a person chose to do the work again (WP-1).
func redone(f *Fold, b *broken) *Warrant {
	if b.Recovery == nil || !slices.Contains(f.settings.RedoOptions, b.Recovery.Option) {
		return nil
	}
	return &Warrant{Warranted, "work_redone", fmt.Sprintf("A person chose recovery option %d: the work is done again or looked into.", b.Recovery.Option), []string{b.Recovery.Event}}
}

// failedAfter: it was resumed and did not succeed.
func failedAfter(f *Fold, b *broken) *Warrant {
	if b.resumed == 0 || !f.endedAfter(b.resumed) || f.settings.succeeded(f.run.Outcome) {
		return nil
	}
	return &Warrant{Warranted, "failed_after_resume", "It was resumed and the run ended as " + f.run.Outcome + ".", []string{b.Resumed.Event, f.completed}}
}

// stopped: nobody resumed it, and it ended without success.
func stopped(f *Fold, b *broken) *Warrant {
	switch {
	case b.resumed > 0:
		return nil
	case f.endedAfter(b.at) && !f.settings.succeeded(f.run.Outcome):
		return &Warrant{Warranted, "not_taken_up", "Nobody resumed it; the run ended as " + f.run.Outcome + ".", []string{f.completed}}
	case b.closed != "" && !f.endedAfter(b.at):
		return &Warrant{Warranted, "not_taken_up", "Nobody resumed the session; it was closed.", []string{b.closed}}
	}
	return nil
}

// succeededAlone: nobody resumed it, and the run succeeded all the same.
func succeededAlone(f *Fold, b *broken) *Warrant {
	if b.resumed > 0 || !f.endedAfter(b.at) {
		return nil
	}
	if b.Kind == events.BreakSoft {
		return &Warrant{Unclear, "finished_what_was_begun", "The run succeeded with what it was allowed to finish.", []string{f.completed}}
	}
	return &Warrant{NotWarranted, "succeeded_without_resume", "The run succeeded without anybody resuming it.", append(slices.Clone(b.Ignored), f.completed)}
}

// otherBreak: it was resumed and broke for another reason.
func otherBreak(f *Fold, b *broken) *Warrant {
	for _, next := range f.breaks {
		if b.resumed > 0 && next.at > b.resumed && next.subject == b.subject {
			return &Warrant{Unclear, "broke_otherwise", fmt.Sprintf("It was resumed and broke for another reason: %s.", next.Trigger), []string{b.Resumed.Event, next.ID}}
		}
	}
	return nil
}

// boundary: a person moved a boundary; success says nothing about it.
func boundary(f *Fold, b *broken) *Warrant {
	if b.resumed == 0 || !f.endedAfter(b.resumed) || !slices.Contains(f.settings.Boundaries, b.Trigger) {
		return nil
	}
	return &Warrant{Unclear, "boundary_moved", "A person let the run past a boundary, and it succeeded.", []string{b.Resumed.Event, f.completed}}
}

// accepted: a person took the work as it is; nobody looked whether it is sound.
func accepted(f *Fold, b *broken) *Warrant {
	if b.Recovery == nil || !f.endedAfter(b.at) {
		return nil
	}
	return &Warrant{Unclear, "accepted_as_it_is", "A person accepted the work as it is, and the run succeeded.", []string{b.Recovery.Event, f.completed}}
}

// succeededAfter: it was resumed, nothing broke again, and the run succeeded.
func succeededAfter(f *Fold, b *broken) *Warrant {
	if b.resumed == 0 || !f.endedAfter(b.resumed) {
		return nil
	}
	return &Warrant{NotWarranted, "succeeded_after_resume", "It was resumed, the trigger did not come again, and the run succeeded.", []string{b.Resumed.Event, f.completed}}
}

// quietAfter: a session was resumed and closed without the trigger coming again.
func quietAfter(_ *Fold, b *broken) *Warrant {
	if b.resumed == 0 || b.closed == "" {
		return nil
	}
	return &Warrant{NotWarranted, "quiet_after_resume", "The session was resumed and closed; the trigger did not come again.", []string{b.Resumed.Event, b.closed}}
}

// endedAfter reports whether the run was completed after that moment.
func (f *Fold) endedAfter(moment int) bool { return f.completed != "" && f.ended > moment }
