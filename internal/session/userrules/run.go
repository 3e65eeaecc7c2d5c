package userrules

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Failed begins the reason of the signal that records a condition's failure.
const Failed = "the rule failed: "

// instance is a user's rule that the suite runs.
type instance struct {
	program *program
	limits  Limits
}

// memory is a rule's state for a session.
type memory struct {
	Counters map[string]int `json:"c,omitempty"`
	Failed   int            `json:"f,omitempty"` // evaluations that failed
}

// NewState returns the state of a new session.
func (d *instance) NewState() any { return &memory{} }

// Run evaluates one turn: counters first, then the condition, segment by segment.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	state := p.State.(*memory)
	if state.Counters == nil {
		state.Counters = map[string]int{}
	}
	e := newEnvironment(p, d.limits, d.program.uses)
	e.Counters = state.Counters
	found, err := d.turn(p, e)
	if err == nil {
		return found
	}
	if state.Failed++; state.Failed > 1 {
		return nil
	}
	return []detect.Finding{d.failure(p, err)}
}

func (d *instance) turn(p *detect.Pass, e *environment) ([]detect.Finding, error) {
	var out []detect.Finding
	for i := range p.Turn.Segments {
		e.facts = e.Segments[i]
		if err := d.count(e); err != nil {
			return nil, err
		}
		if !d.wants(&e.facts) || len(out) >= d.limits.Findings {
			continue
		}
		f, err := d.look(p, e, i)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	if d.program.rule.On != "turn" || len(p.Turn.Segments) == 0 {
		return out, nil
	}
	e.facts = facts{}
	f, err := d.look(p, e, d.place(p))
	if f != nil {
		out = append(out, *f)
	}
	return out, err
}

// wants reports whether the condition examines a segment; an edit that was not applied is
// skipped.
func (d *instance) wants(f *facts) bool {
	on := d.program.rule.On
	if f.Kind == "diff" && (f.Failed || f.Rejected) {
		return on == "segment"
	}
	return on == "segment" || on == f.Kind
}

// place returns the segment that a finding about a whole turn shows: the first one that
// `at` matches, otherwise the first.
func (d *instance) place(p *detect.Pass) int {
	for i := range p.Turn.Segments {
		if d.program.at != nil && d.program.at.MatchString(detect.Text(&p.Turn.Segments[i])) {
			return i
		}
	}
	return 0
}

// count updates the rule's counters.
func (d *instance) count(e *environment) error {
	for i, counter := range d.program.rule.Counters {
		if reset := d.program.reset[i]; reset != nil {
			yes, err := d.holds(reset, e)
			if err != nil {
				return err
			}
			if yes {
				delete(e.Counters, counter.Name)
			}
		}
		value, err := d.run(d.program.add[i], e)
		if err != nil {
			return err
		}
		n, err := whole(value)
		if err != nil {
			return fmt.Errorf("counter %s: %w", counter.Name, err)
		}
		if n != 0 {
			e.Counters[counter.Name] = min(max(e.Counters[counter.Name]+n, -maxCount), maxCount)
		}
	}
	return nil
}

// maxCount bounds a counter.
const maxCount = 1 << 30

// whole returns a value as a number to count with.
func whole(value any) (int, error) {
	switch v := value.(type) {
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case int:
		return min(max(v, -maxCount), maxCount), nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= maxCount {
			return int(v), nil
		}
	}
	return 0, fmt.Errorf("add gave %s, want a whole number or true", text.Head(format(value), 40))
}

// look evaluates the condition and returns the finding; nil if it does not hold.
func (d *instance) look(p *detect.Pass, e *environment, segment int) (*detect.Finding, error) {
	e.Match, e.Line = "", 0
	yes, err := d.holds(d.program.when, e)
	if err != nil || !yes {
		return nil, err
	}
	evidence := d.evidence(&p.Turn.Segments[segment], e)
	r := d.program.rule
	f := &detect.Finding{
		Confidence: r.Confidence, ReworkCost: r.Cost, SelfCorrect: r.P, Evidence: []sessionevents.Evidence{evidence},
		Floor: tenths(r.Floor), Cap: tenths(r.Cap),
	}
	run := func(v *vm.Program) (any, error) { return d.run(v, e) }
	if f.Subject, err = d.program.subject.render(run); err != nil {
		return nil, err
	}
	if f.Subject == "" {
		f.Subject = cmp.Or(p.Turn.Segments[segment].Path, r.ID)
	}
	if f.Message, err = d.program.message.message(run); err != nil {
		return nil, err
	}
	if f.Reason, err = d.program.reason.message(run); err != nil {
		return nil, err
	}
	f.Reason = cmp.Or(f.Reason, fmt.Sprintf("The condition of rule %s holds: %s.", r.ID, strings.TrimSuffix(r.Title, ".")))
	return f, d.suppress(f, e)
}

// suppress sets the first applicable reason not to send the finding.
func (d *instance) suppress(f *detect.Finding, e *environment) error {
	for i, condition := range d.program.suppress {
		yes, err := d.holds(condition, e)
		if err != nil {
			return err
		}
		if yes {
			f.Suppressed = d.program.rule.Suppress[i].Reason
			return nil
		}
	}
	return nil
}

// evidence locates the finding, and makes the match available to texts.
func (d *instance) evidence(s *sessionevents.Segment, e *environment) sessionevents.Evidence {
	text := detect.Text(s)
	if d.program.at != nil {
		if span := d.program.at.FindStringIndex(text); span != nil {
			found := detect.At(s, span[0], span[1]-span[0])
			e.Match, e.Line = found.Quote, found.Line
			return found
		}
	}
	return detect.Whole(s)
}

// failure returns a finding that records, once per session, that a condition cannot be
// evaluated: a signal that is not sent.
func (d *instance) failure(p *detect.Pass, err error) detect.Finding {
	r := d.program.rule
	why := err.Error()
	var at *file.Error
	if errors.As(err, &at) {
		why = at.Message
	}
	f := detect.Finding{
		Subject: r.ID, Confidence: r.Confidence, ReworkCost: r.Cost, SelfCorrect: r.P, Cap: detect.LogOnly,
		Suppressed: Failed + text.Head(why, maxValue),
		Message:    "Rule " + r.ID + " could not be evaluated in this turn; correct its conditions.",
		Reason:     "A condition of rule " + r.ID + " failed, so that it says nothing about this turn.",
	}
	if len(p.Turn.Segments) > 0 {
		f.Evidence = []sessionevents.Evidence{detect.At(&p.Turn.Segments[0], 0, 0)}
	}
	return f
}

func (d *instance) holds(p *vm.Program, e *environment) (bool, error) {
	value, err := d.run(p, e)
	yes, _ := value.(bool)
	return yes, err
}

// run evaluates one condition within its memory limit; the machine turns a panic into an
// error.
func (d *instance) run(p *vm.Program, e *environment) (any, error) {
	machine := vm.VM{MemoryBudget: uint(d.limits.Memory)}
	return machine.Run(p, e)
}

func tenths(v float64) sessionevents.Urgency { return sessionevents.Urgency(math.Round(v * 10)) }

// Judge returns the outcome of a signal (SW-44): according to the rule's own conditions
// over the segments of this turn, otherwise to its lines: if they were removed it is
// corrected, if the same finding recurs it is committed.
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	e := newEnvironment(p, d.limits, d.program.uses)
	e.Counters = p.State.(*memory).Counters
	e.Signal = s.Subject
	if d.program.corrected != nil {
		if d.any(e, func() bool { yes, err := d.holds(d.program.corrected, e); return err == nil && yes }) {
			return sessionevents.OutcomeCorrected, "the rule's own condition"
		}
	} else if removed(p, s) {
		return sessionevents.OutcomeCorrected, "the lines were removed"
	}
	if d.program.committed != nil {
		if d.any(e, func() bool { yes, err := d.holds(d.program.committed, e); return err == nil && yes }) {
			return sessionevents.OutcomeCommitted, "the rule's own condition"
		}
	} else if d.again(p, e, s) {
		return sessionevents.OutcomeCommitted, "found once more"
	}
	return sessionevents.OutcomeOpen, ""
}

// any reports whether a condition holds for a segment of the turn.
func (d *instance) any(e *environment, holds func() bool) bool {
	return slices.ContainsFunc(e.Segments, func(f facts) bool {
		e.facts = f
		return holds()
	})
}

// again reports whether the condition holds again about the same subject.
func (d *instance) again(p *detect.Pass, e *environment, s *sessionevents.Signal) bool {
	same := func(at int) bool {
		f, err := d.look(p, e, at)
		return err == nil && f != nil && f.Subject == s.Subject
	}
	if d.program.rule.On == "turn" {
		e.facts = facts{}
		return len(e.Segments) > 0 && same(d.place(p))
	}
	for i := range e.Segments {
		e.facts = e.Segments[i]
		if !d.wants(&e.facts) {
			continue
		}
		if same(i) {
			return true
		}
	}
	return false
}

// removed reports whether an edit of the same file removed the quoted lines without
// adding them again.
func removed(p *detect.Pass, s *sessionevents.Signal) bool {
	if len(s.Evidence) == 0 || s.Evidence[0].Kind != sessionevents.SegmentDiff || s.Evidence[0].Quote == "" {
		return false
	}
	at := s.Evidence[0]
	quote, _, _ := strings.Cut(strings.TrimSuffix(at.Quote, "…"), "\n")
	for i := range p.Turn.Segments {
		d := &p.Turn.Segments[i]
		if !detect.Applied(d) || d.Path != at.Path {
			continue
		}
		if holdsLine(d.Diff.Removed(), quote) && !holdsLine(d.Diff.Added(), quote) {
			return true
		}
	}
	return false
}

func holdsLine(list []sessionevents.Line, text string) bool {
	return slices.ContainsFunc(list, func(l sessionevents.Line) bool { return strings.Contains(l.Text, text) })
}
