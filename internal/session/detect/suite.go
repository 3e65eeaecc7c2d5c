package detect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Reasons for suppression that the suite itself gives.
const (
	// Priming is the reason for a class C or D signal in the first turns (SW-41).
	Priming = "priming"
	// ObserveMode is the reason for a signal whose detector is recorded but not delivered
	// (DP-25).
	ObserveMode = "observe mode"
)

// Suite runs detectors over turns. It holds no session state and may serve many sessions.
type Suite struct {
	entries    []entry
	directions *directions
	grounds    *grounds
	config     suiteConfig
}

type entry struct {
	detector *Detector
	instance Instance
	mode     rules.Mode
	sections []string // of the rules that the instance was built from
}

type suiteConfig struct {
	PrimingTurns      int `yaml:"priming_turns" range:"0..100"`
	MessageWords      int `yaml:"message_words" range:"5..40"`
	EvidencePerSignal int `yaml:"evidence_per_signal" range:"1..64"`
	OpenSignals       struct {
		MaxAgeTurns int `yaml:"max_age_turns" range:"1..10000"`
		Max         int `yaml:"max" range:"1..1024"`
	} `yaml:"open_signals"`
}

// Result is the result of one turn.
type Result struct {
	Signals []sessionevents.Signal // in the order A → B → C → D, by detector id
	Pending []sessionevents.PendingOutcome
	// Unread is what detectors skipped.
	Unread []sessionevents.Unread
	// Shortened names detectors whose message had too many words, which their tests
	// report as an error.
	Shortened []string
}

// PrimingTurns returns the number of first turns in which classes C and D are suppressed
// under these rules (SW-41).
func PrimingTurns(set *rules.Set) (int, error) {
	var c suiteConfig
	err := set.Decode("detection", &c)
	return c.PrimingTurns, err
}

// NewSuite creates instances of the detectors whose mode is not off. It fails for an
// incomplete detector or a duplicate id.
func NewSuite(list []*Detector, set *rules.Set) (*Suite, error) {
	s := &Suite{}
	taken := rules.Take(set, "detection", &s.config)
	rules.More(taken, &s.directions, newDirections)
	rules.More(taken, &s.grounds, newGrounds)
	err := taken.Err
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if err := Validate(d); err != nil {
			return nil, err
		}
		mode := d.ModeIn(set)
		if mode == rules.ModeOff {
			continue
		}
		made := entry{detector: d, mode: mode}
		made.instance, err = d.New(set.Watched(func(section string) { made.sections = append(made.sections, section) }))
		if err != nil {
			return nil, fmt.Errorf("start detector %s: %w", d.ID, err)
		}
		s.entries = append(s.entries, made)
	}
	slices.SortFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.detector.ID, b.detector.ID) })
	for i := 1; i < len(s.entries); i++ {
		if id := s.entries[i].detector.ID; id == s.entries[i-1].detector.ID {
			return nil, fmt.Errorf("detector %s is listed twice", id)
		}
	}
	return s, nil
}

// Only returns a suite of some of its detectors. It shares their instances, so that
// nothing is compiled again; ids that do not run here are ignored.
func (s *Suite) Only(ids ...string) *Suite {
	some := *s
	some.entries = slices.DeleteFunc(slices.Clone(s.entries), func(e entry) bool { return !slices.Contains(ids, e.detector.ID) })
	return &some
}

// Evaluate runs one turn: first the outcomes of open signals, then the detectors in order
// of id (SW-30, SW-41 … SW-44). It changes m.
func (s *Suite) Evaluate(p *Pass, m *Memory) Result {
	result, _ := s.EvaluateBeside(p, m, nil, nil)
	return result
}

// ran is the result of one detector in a turn.
type ran struct {
	findings []Finding
	unread   []sessionevents.Unread
}

// run runs the detectors, except those for which lent returns a result.
func (s *Suite) run(p *Pass, m *Memory, lent func(id string) (ran, bool)) []ran {
	if p.Reader == nil {
		p.Reader = syntax.NewReader()
	}
	all := make([]ran, len(s.entries))
	var view Pass // shared by all detectors in turn, since none keeps it
	for i, e := range s.entries {
		if lent != nil {
			var have bool
			if all[i], have = lent(e.detector.ID); have {
				continue
			}
		}
		view = *p
		view.detector, view.unread = e.detector.ID, &all[i].unread
		view.State = m.state(e.detector.ID, e.instance)
		all[i].findings = e.instance.Run(&view)
	}
	return all
}

// conclude creates signals from the findings of the detectors.
func (s *Suite) conclude(p *Pass, m *Memory, all []ran, result *Result) {
	var list []found
	for i, e := range s.entries {
		result.Unread = append(result.Unread, all[i].unread...)
		for _, f := range all[i].findings {
			list = append(list, s.prepare(found{f, e.detector, e.mode == rules.ModeObserve, span(&f)}, p))
		}
	}
	list = oneThing(mergeRepeats(list, s.config.EvidencePerSignal), s.config.EvidencePerSignal)
	for i := range list {
		signal, shortened := s.signal(&list[i], p)
		result.Signals = append(result.Signals, signal)
		if shortened {
			result.Shortened = append(result.Shortened, signal.Detector)
		}
	}
	p.Record.join(result)
	s.remember(m, result.Signals)
}

// prepare brings a finding into range and applies the overrides, including priming
// (SW-41); what the detector itself suppressed keeps its reason.
func (s *Suite) prepare(f found, p *Pass) found {
	normalise(&f.Finding)
	if f.by.Class == sessionevents.ClassB && onlyProposed(&f.Finding, p) {
		f.Confidence = min(f.Confidence, ProposedCap) // SW-4
	}
	f.Escalate = f.Escalate && f.Confidence > EscalateAbove // DP-3
	s.grounds.weigh(&f)
	late := f.by.Class == sessionevents.ClassC || f.by.Class == sessionevents.ClassD
	switch {
	case f.Suppressed != "":
	case p.Ledger != nil && !p.Ledger.After.Unread.Zero() && s.grounds.of(f.by.ID, f.Subclass).Absent:
		f.Suppressed = Unread
	case !f.WeighsRequest && s.directions.asked(f.by.ID, &f.Finding, p):
		f.Suppressed = UserDirected
	case late && p.Turn.Turn <= s.config.PrimingTurns:
		f.Suppressed = Priming
	case f.observed:
		f.Suppressed = ObserveMode
	}
	return f
}

// onlyProposed reports whether all DIFFs in the evidence were only shown, not written.
func onlyProposed(f *Finding, p *Pass) bool {
	proposed := false
	for _, e := range f.Evidence {
		if e.Segment < 0 || e.Segment >= len(p.Turn.Segments) {
			continue
		}
		if segment := &p.Turn.Segments[e.Segment]; segment.Kind == sessionevents.SegmentDiff {
			if !segment.Proposed {
				return false
			}
			proposed = true
		}
	}
	return proposed
}

func (s *Suite) signal(f *found, p *Pass) (sessionevents.Signal, bool) {
	t := p.Turn
	message := quoted(f.Message, &f.Finding)
	shortened := len(strings.Fields(message)) > s.config.MessageWords
	if shortened {
		message = text.Words(message, s.config.MessageWords)
	}
	signal := sessionevents.Signal{
		Session: t.Session, Run: t.Run, Turn: t.Turn,
		ID:    events.SignalID(t.Session, t.Turn, f.by.ID, f.Subject, f.place),
		Layer: sessionevents.LayerSession, Detector: f.by.ID, Class: f.by.Class, Subclass: f.Subclass, CWE: f.CWE, Subject: f.Subject,
		Confidence: f.Confidence, ReworkCost: f.ReworkCost, SelfCorrect: f.SelfCorrect, Urgency: Published(&f.Finding),
		Forced: f.Forced, Final: f.Final, Escalate: f.Escalate, Suppressed: f.Suppressed, Streak: f.Streak,
		Basis: f.Basis, Withheld: f.Withheld,
		Evidence: f.Evidence, Message: message, Reason: quoted(f.Reason, &f.Finding), Fix: f.Fix,
	}
	if f.Floor > 0 {
		signal.Floor = &f.Floor
	}
	if f.Cap > 0 {
		signal.Cap = &f.Cap
	}
	return signal, shortened
}

// Beside is a suite with other rules that evaluates the same turns as a first suite
// (AU-20). A detector whose rule sections do not differ shares its findings and its state
// with the first suite.
type Beside struct {
	suite *Suite
	lent  map[string]int // by detector id: its index in the first suite
}

// Beside returns other in the form that runs alongside s. differs reports whether a
// section differs.
func (s *Suite) Beside(other *Suite, differs func(section string) bool) *Beside {
	b := &Beside{suite: other, lent: map[string]int{}}
	for _, e := range other.entries {
		at := slices.IndexFunc(s.entries, func(first entry) bool { return first.detector.ID == e.detector.ID })
		if at >= 0 && !slices.ContainsFunc(e.sections, differs) && !slices.ContainsFunc(s.entries[at].sections, differs) {
			b.lent[e.detector.ID] = at
		}
	}
	return b
}

// Suite returns the suite itself.
func (b *Beside) Suite() *Suite { return b.suite }

// Owns reports whether a section is read when a detector starts.
func (s *Suite) Owns(section string) bool {
	return slices.ContainsFunc(s.entries, func(e entry) bool { return slices.Contains(e.sections, section) })
}

// EvaluateBeside is Evaluate for several suites, each with its memory. It changes the memories.
func (s *Suite) EvaluateBeside(p *Pass, m *Memory, others []*Beside, memories []*Memory) (Result, []Result) {
	result, results := Result{Pending: s.judge(p, m)}, make([]Result, len(others))
	for i, o := range others { // before a turn changes the shared states
		memories[i].first, memories[i].lent = m, o.lent
		results[i].Pending = o.suite.judge(p, memories[i])
	}
	all := s.run(p, m, nil)
	s.conclude(p, m, all, &result)
	for i, o := range others {
		own := *p
		own.Reader = nil // the first suite's reader must not affect this one
		found := o.suite.run(&own, memories[i], func(id string) (ran, bool) {
			at, lent := o.lent[id]
			if !lent {
				return ran{}, false
			}
			return all[at], true
		})
		o.suite.conclude(&own, memories[i], found, &results[i])
	}
	return result, results
}

// judge asks each detector for the outcome of its open signals (SW-44). Corrected signals
// and those that are too old are dropped; the others stay open for the next turn.
func (s *Suite) judge(p *Pass, m *Memory) []sessionevents.PendingOutcome {
	var outcomes []sessionevents.PendingOutcome
	kept := m.open[:0:0]
	for _, signal := range m.open {
		if p.Turn.Turn-signal.Turn > s.config.OpenSignals.MaxAgeTurns {
			continue
		}
		pending, known := s.pending(p, m, &signal)
		if !known {
			continue
		}
		outcomes = append(outcomes, pending)
		if pending.Outcome != sessionevents.OutcomeCorrected {
			kept = append(kept, signal)
		}
	}
	m.open = kept
	return outcomes
}

// pending asks the detector about an open signal, or reads the outcome from the record if
// the detector does not run again.
func (s *Suite) pending(p *Pass, m *Memory, signal *sessionevents.Signal) (of sessionevents.PendingOutcome, known bool) {
	if p.Record.keeps(signal.Detector) {
		return p.Record.outcome(signal.ID)
	}
	outcome, why := s.outcome(p, m, signal)
	return sessionevents.PendingOutcome{ID: signal.ID, Outcome: outcome, Why: why}, true
}

func (s *Suite) outcome(p *Pass, m *Memory, signal *sessionevents.Signal) (sessionevents.Outcome, string) {
	for _, e := range s.entries {
		if e.detector.ID != signal.Detector {
			continue
		}
		view := *p
		view.State = m.state(e.detector.ID, e.instance)
		outcome, why := e.instance.Judge(&view, signal)
		if outcome != sessionevents.OutcomeCorrected && outcome != sessionevents.OutcomeCommitted && settles(signal, p) {
			return sessionevents.OutcomeCommitted, "the response ends with it"
		}
		if outcome == sessionevents.OutcomeCorrected || outcome == sessionevents.OutcomeCommitted {
			return outcome, why
		}
		return sessionevents.OutcomeOpen, why
	}
	return sessionevents.OutcomeOpen, "its detector does not run"
}

// settles reports whether the turn hands over the work that a watched signal is about:
// the response ends with it, or the primary reports something as done (DP-11). An
// announcement alone is not work.
func settles(signal *sessionevents.Signal, p *Pass) bool {
	return watchable(signal) && (p.Reports || p.Report() != nil)
}

var watchedClasses = []sessionevents.Class{sessionevents.ClassA, sessionevents.ClassB, sessionevents.ClassE}

// watchable reports whether a signal is about an edit and becomes more urgent once the
// primary commits to it (DP-11).
func watchable(signal *sessionevents.Signal) bool {
	if !slices.Contains(watchedClasses, signal.Class) {
		return false
	}
	return signal.Urgency <= LogOnly && signal.Cap == nil && slices.ContainsFunc(signal.Evidence, func(e sessionevents.Evidence) bool {
		return e.Kind == sessionevents.SegmentDiff
	})
}

// remember keeps this turn's signals for judging; the oldest are dropped first.
func (s *Suite) remember(m *Memory, signals []sessionevents.Signal) {
	for _, signal := range signals {
		if signal.Suppressed == "" {
			m.open = append(m.open, signal)
		}
	}
	if extra := len(m.open) - s.config.OpenSignals.Max; extra > 0 {
		m.open = append(m.open[:0:0], m.open[extra:]...)
		m.Dropped += extra
	}
}
