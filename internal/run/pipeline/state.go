package pipeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// State is what the layer knows of a group: of a run, or of a workspace where runs
// learn of each other. Its zero value knows nothing and costs nothing. [Kept]
// bounds all lists.
type State struct {
	Run       *Run       `json:"run,omitempty"`
	Workspace *Workspace `json:"workspace,omitempty"`
}

// Run is what is known of one run.
type Run struct {
	// On is set once the run shows that it is a pipeline.
	On        bool   `json:"on,omitempty"`
	Over      bool   `json:"over,omitempty"`
	Kind      string `json:"kind,omitempty"`
	OnPartial string `json:"on_partial,omitempty"`
	// Workspace is the group of the workspace; Announced is the run.started that it
	// knows as in progress, and Ends are those that it knew (PL-10).
	Workspace string   `json:"workspace,omitempty"`
	Started   string   `json:"started,omitempty"` // id of run.started
	Announced string   `json:"announced,omitempty"`
	Ends      []RunEnd `json:"ends,omitempty"`
	// Asking: a question to a person is open (PL-36).
	Asking bool `json:"asking,omitempty"`
	// OwnWorktree: the run declares a worktree (PL-6).
	OwnWorktree bool `json:"own_worktree,omitempty"`
	// Asked is what people asked for, in lower case; Proposed the files of the plan.
	Asked    string   `json:"asked,omitempty"`
	Proposed []string `json:"proposed,omitempty"`

	Contracts []Contract  `json:"contracts,omitempty"` // registered by events (PL-5)
	Open      []Phase     `json:"open,omitempty"`      // phases at work
	Done      []DonePhase `json:"done,omitempty"`      // phases that handed something over (PL-10)
	Last      *Handed     `json:"last,omitempty"`      // by the phase completed last
	Emitted   []string    `json:"emitted,omitempty"`   // kinds that the current workflow emitted (PL-7)
	Unsaved   *Unsaved    `json:"unsaved,omitempty"`   // PL-10
	Resumed   *Resumption `json:"resumed,omitempty"`   // PL-10

	Degraded    []Degradation  `json:"degraded,omitempty"`   // PL-3
	Leftovers   []Leftover     `json:"leftovers,omitempty"`  // PL-8
	Sessions    []Session      `json:"sessions,omitempty"`   // PL-10
	Agents      []Agent        `json:"agents,omitempty"`     // PL-20
	Judged      []Evaluation   `json:"judged,omitempty"`     // PL-20
	Reviewers   []run.Reviewer `json:"reviewers,omitempty"`  // of those judgements
	Scopes      []ScopeResult  `json:"scopes,omitempty"`     // PL-40
	OpenItems   *OpenItems     `json:"open_items,omitempty"` // PL-40
	CreepSeen   []Creep        `json:"creep_seen,omitempty"` // PL-40
	Items       []Item         `json:"items,omitempty"`      // PL-41
	PlanEdits   []string       `json:"plan_edits,omitempty"` // PL-42: reported in the current phase
	compilation compilation    // of Contracts, built when needed
}

// RunEnd is when what a run.started began was over.
type RunEnd struct {
	Started string    `json:"started"`
	At      time.Time `json:"at"`
}

// Phase is a phase at work.
type Phase struct {
	Name     string   `json:"name"`
	Workflow string   `json:"workflow,omitempty"`
	Contract string   `json:"contract,omitempty"`
	Cycle    int      `json:"cycle,omitempty"`
	Attempt  int      `json:"attempt,omitempty"`
	Event    string   `json:"event"`
	Denied   bool     `json:"denied,omitempty"`  // it began without an allow
	Failed   string   `json:"failed,omitempty"`  // event of its agent that failed, while none succeeded (PL-1)
	Outcome  string   `json:"outcome,omitempty"` // of that agent
	Worked   bool     `json:"worked,omitempty"`  // an agent of it succeeded
	Slices   []string `json:"slices,omitempty"`  // finished in it (PL-42)
	Warned   bool     `json:"warned,omitempty"`  // of more than one slice
	Asked    bool     `json:"asked,omitempty"`   // a subagent without a hypothesis (PL-20)
}

// DonePhase is a phase that need not be done again.
type DonePhase struct {
	Name  string `json:"name"`
	Cycle int    `json:"cycle,omitempty"`
}

// Handed is what a phase handed over.
type Handed struct {
	Phase    string                    `json:"phase"`
	Workflow string                    `json:"workflow,omitempty"`
	Contract string                    `json:"contract,omitempty"`
	Cycle    int                       `json:"cycle,omitempty"`
	Quality  runevents.HandoverQuality `json:"quality"`
	Lacks    string                    `json:"lacks,omitempty"` // why it is not full, for people
	Tries    int                       `json:"tries"`           // how often the phase ended without a full one
	Event    string                    `json:"event"`
	Waived   string                    `json:"waived,omitempty"` // who let the run go on nevertheless
	// Ended: its workflow ended with it, which was judged (PL-7).
	Ended bool `json:"ended,omitempty"`
}

// Unsaved is a context that could not be kept (PL-10).
type Unsaved struct {
	Phase string `json:"phase,omitempty"`
	Why   string `json:"why,omitempty"`
	Event string `json:"event"`
}

// Resumption is the last run.resumed that counts.
type Resumption struct {
	Event    string      `json:"event"`
	Prior    string      `json:"prior,omitempty"`
	Restored []string    `json:"restored,omitempty"` // names, as the resume gives them
	Done     []DonePhase `json:"done,omitempty"`     // phases of this run done before it
}

// Session is a session of a run that is at work.
type Session struct {
	ID       string `json:"id"`
	Agent    string `json:"agent,omitempty"`
	Finished bool   `json:"finished,omitempty"` // a phase, and silent since
	Resting  bool   `json:"resting,omitempty"`  // it gave way to another, or ended: silence means nothing
	Activity int    `json:"activity"`           // counts turns
	Progress string `json:"progress,omitempty"` // why it is worth resuming
	Event    string `json:"event"`              // id of its last turn
	// Heard is when its last turn was recorded; only timers go by it.
	LastSeen time.Time `json:"heard"`
	Timed    bool      `json:"timed,omitempty"` // a timer is set
}

// Agent is a subagent as it was declared.
type Agent struct {
	ID     string   `json:"id"`
	Role   string   `json:"role,omitempty"`
	Mode   string   `json:"mode,omitempty"`
	Event  string   `json:"event"`
	Denied bool     `json:"denied,omitempty"`
	Read   []string `json:"read,omitempty"` // artifacts that it read though it is blind
}

// Creep is a file that one source called out of scope (PL-40).
type Creep struct {
	Path     string `json:"path"`
	Event    string `json:"event"`
	Source   string `json:"source"` // detector, or scope.checked
	Reported bool   `json:"told,omitempty"`
}

// Item is an item of a review checklist (PL-41).
type Item struct {
	Item     string   `json:"item"`
	From     []string `json:"from,omitempty"` // reviewers who reported it
	Shaped   bool     `json:"shaped,omitempty"`
	Reported bool     `json:"told,omitempty"` // that nobody reported it
	FailedBy string   `json:"failed_by,omitempty"`
	Cycle    int      `json:"cycle,omitempty"` // of the last report
	Event    string   `json:"event,omitempty"`
}

// contextUnsaved is PL-10: the next phase would work without what this phase found.
var contextUnsaved = Rule{ID: "PL-10", On: run.Types(runevents.TypeContextPersistFailed), Run: run.With(func(c *Context, d *runevents.ContextPersistFailed) {
	why := d.Why
	if why == "" {
		why = "no reason given"
	}
	c.run.Unsaved = &Unsaved{Phase: short(d.Phase), Why: short(why), Event: c.Event.ID}
	c.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerPipeline, Issue: "context/persist_failed", To: runevents.RecipientUser, Options: slices.Clone(handoverOptions),
		Text: fmt.Sprintf("%s could not be kept (%s): the next phase is not let through.", c.run.Unsaved.context(), short(why)),
	})
})}

// context names what was not kept.
func (u *Unsaved) context() string {
	if u.Phase == "" {
		return "The context"
	}
	return "The context of phase " + u.Phase
}

// runResumed is PL-10: what was completed before a resume need not run again. A
// pointer to a run that ended is ignored.
var runResumed = Rule{ID: "PL-10", On: run.Types(runevents.TypeRunResumed), Run: run.With(func(c *Context, d *runevents.RunResumed) {
	r := c.run
	if own := d.PriorRunID == "" || d.PriorRunID == c.Event.Subject; own && r.Over {
		return
	}
	if c.ByOperator() {
		c.waive(d.By)
	}
	r.Resumed = &Resumption{Event: c.Event.ID, Prior: short(d.PriorRunID), Restored: bounded(d.RestoredPhases, c.config.Kept.Phases), Done: slices.Clone(r.Done)}
	if r.On && r.Workspace != "" {
		c.resumes()
	}
})}

// restarts reports whether the phase was completed before the resume. A
// phase that the resume restores counts, whatever it handed over; another may run
// again to add what it lacks while the next phase waits for that.
func (b nextPhase) restarts() bool {
	before, phase := b.run.Resumed, b.of
	if before == nil || phase == "" {
		return false
	}
	if slices.Contains(before.Restored, phase) && max(b.cycle, 1) == 1 && b.attempt <= 1 {
		return true
	}
	if last := b.run.Last; last != nil && last.Phase == phase && b.blocks(last) {
		return false
	}
	return slices.ContainsFunc(before.Done, func(p DonePhase) bool { return p.Name == phase && max(p.Cycle, 1) == max(b.cycle, 1) })
}

type (
	// Degradation is a phase that handed over less than its contract asks for (PL-3).
	Degradation = runevents.Degradation
	// Leftover is what was still open when a loop stopped at its limit (PL-8).
	Leftover = runevents.Leftover
	// Evaluation is a judgement with the mode its author was declared in (PL-20).
	Evaluation = runevents.Evaluation
	// ScopeResult is a scope check as recounted (PL-40).
	ScopeResult = runevents.ScopeResult
)

// Mark remembers where the lists for reports ended.
type Mark struct {
	degraded                   Degradation // the last one: later events count on it
	leftover, evaluated, scope string      // events of the last entries
}

// Mark returns the current ends of the lists for reports.
func (s *State) Mark() Mark {
	var m Mark
	if s.Run == nil {
		return m
	}
	m.degraded = last(s.Run.Degraded)
	m.leftover, m.evaluated, m.scope = last(s.Run.Leftovers).Event, last(s.Run.Judged).Event, last(s.Run.Scopes).Event
	return m
}

// Since adds what was concluded after the mark.
func (s *State) Since(m Mark, out *runevents.RunJudged) {
	if s.Run == nil {
		return
	}
	for _, d := range s.Run.Degraded {
		if d.Event == m.degraded.Event && d != m.degraded {
			out.Degradations = append(out.Degradations, d)
		}
	}
	out.Degradations = append(out.Degradations, after(s.Run.Degraded, m.degraded.Event, func(d Degradation) string { return d.Event })...)
	out.Leftovers = after(s.Run.Leftovers, m.leftover, func(l Leftover) string { return l.Event })
	out.Evaluations = after(s.Run.Judged, m.evaluated, func(e Evaluation) string { return e.Event })
	out.ScopeChecks = after(s.Run.Scopes, m.scope, func(r ScopeResult) string { return r.Event })
}

// last returns the last entry, the zero value if there is none.
func last[T any](list []T) (one T) {
	if len(list) > 0 {
		one = list[len(list)-1]
	}
	return one
}

// after returns the entries after the last one with an event; lists grow at the end
// and lose entries at the front.
func after[T any](list []T, event string, of func(T) string) []T {
	i := len(list)
	for i > 0 && of(list[i-1]) != event {
		i--
	}
	return append([]T(nil), list[i:]...)
}

// phaseAgentEnded folds whether the agents of a phase succeed (PL-1).
var phaseAgentEnded = Rule{
	ID: "PL-1", Folds: true, On: run.Types(runevents.TypeAgentCompleted),
	Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
		phase := c.run.phaseOf(d.Phase)
		if phase == nil {
			return
		}
		switch d.Outcome {
		case runevents.RunOutcomeSuccess:
			phase.Worked, phase.Failed, phase.Outcome = true, "", ""
		case runevents.RunOutcomeFailure, runevents.RunOutcomeTimeout:
			if !phase.Worked {
				phase.Failed, phase.Outcome = c.Event.ID, d.Outcome
			}
		}
	}),
}

// phaseOf returns the open phase of a name, the only open one where none is named.
func (r *Run) phaseOf(name string) *Phase {
	if name == "" && len(r.Open) == 1 {
		return &r.Open[0]
	}
	if i := slices.IndexFunc(r.Open, func(p Phase) bool { return p.Name == short(name) && name != "" }); i >= 0 {
		return &r.Open[i]
	}
	return nil
}

// lost returns the open phase whose agent failed or timed out and that completed
// nothing, nil if there is none; the phase that begins takes another's place, never
// its own.
func (r *Run) lost(begins string) *Handed {
	for i := range r.Open {
		p := &r.Open[i]
		if p.Failed == "" || p.Denied || p.Name == begins {
			continue
		}
		how := "its agent failed"
		if p.Outcome == runevents.RunOutcomeTimeout {
			how = "its agent timed out"
		}
		return &Handed{
			Phase: p.Name, Workflow: p.Workflow, Contract: p.Contract, Cycle: p.Cycle,
			Quality: runevents.HandoverFallback, Lacks: "nothing: " + how, Tries: 1, Event: p.Failed,
		}
	}
	return nil
}

// phaseLost is PL-1: a phase whose agent failed or timed out hands over nothing, and
// the next one does not begin by itself (PL-2).
var phaseLost = Rule{ID: "PL-1", On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context,
	d *runevents.PhaseStarted,
) {
	h := c.run.lost(short(d.Phase))
	if h == nil {
		return
	}
	c.run.Open = slices.DeleteFunc(c.run.Open, func(p Phase) bool { return p.Name == h.Phase })
	c.run.Last = h
	c.run.Degraded = text.Newest(append(c.run.Degraded, Degradation{
		Phase: h.Phase, Cycle: h.Cycle, Quality: h.Quality,
		Event: h.Event,
	}), c.config.Kept.Phases)
	c.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerPipeline, Issue: "handover/" + string(h.Quality), To: runevents.RecipientUser, Options: handoverOptions,
		Text: fmt.Sprintf("Phase %s handed over %s: the next phase is not let through.", h.Phase, h.Lacks),
	})
})}
