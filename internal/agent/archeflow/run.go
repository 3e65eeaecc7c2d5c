package archeflow

import (
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// run is what is remembered of one run while its log is read.
type run struct {
	d      *decoder
	native string // the log's id of the run
	id     string
	files  artifacts

	last    time.Time
	started bool
	ended   bool
	phase   string // the open phase, "" between two
	cycle   int    // the current cycle, from 1
	spent   float64
	limit   float64

	durations map[string]int64    // duration of each reviewer's last work, in ms
	reviews   []runevents.Finding // those of the current cycle
	reviewed  bool                // in the current cycle
	found     bool                // findings in any cycle
	ids       map[int64]string    // seq → the event that its children refer to
	sequence  []int64             // the same seqs, oldest first
	now       *line               // the line being read
	ordinal   int                 // number of events from it
	lead      string              // the first of them
}

// maxParents limits how many events of a run can still be referred to as parents.
const maxParents = 4096

// handler emits the events of one line.
type handler func(*run, *fields)

// known holds the types of the log. A type with a nil handler is recognised and ignored.
var known = map[string]handler{
	"run.start": (*run).start, "run.started": (*run).start,
	"run.complete": (*run).complete, "run.completed": (*run).complete,
	"run.merged":  (*run).merged,
	"agent.start": (*run).agentStart, "agent.started": (*run).agentStart,
	"agent.complete": (*run).agentComplete, "agent.completed": (*run).agentComplete,
	"agent.failed": (*run).agentFailed, "agent.timeout": (*run).agentTimeout,
	"phase.transition": (*run).transition,
	"review.verdict":   (*run).verdict,
	"cycle.boundary":   (*run).boundary,
	"decision":         (*run).decision,
	"decision.point":   (*run).decision,
	"shadow.detected":  (*run).shadow,
	"cost.recorded":    nil, // its amount is read from any line
	"fix.applied":      nil,
	"wiggum.break":     nil,
}

// noted are the types that are counted by name: what ArcheFlow judged, decided and repaired.
var noted = map[string]bool{"shadow.detected": true, "wiggum.break": true, "decision.point": true, "fix.applied": true}

func newRun(d *decoder, native string) *run {
	return &run{
		d: d, native: native, id: sessionid.Valid(native), files: d.tree.of(native), cycle: 1,
		durations: map[string]int64{}, ids: map[int64]string{},
	}
}

// take reads one line.
func (r *run) take(l *line, handle handler) {
	r.now, r.ordinal, r.lead = l, 0, ""
	if !l.At.IsZero() {
		r.last = l.At.UTC()
	} else if r.last.IsZero() {
		r.last = transcript.Epoch
	}
	f := l.fields()
	if f.Cycle > 0 && f.Cycle < 1<<20 {
		r.cycle = int(f.Cycle)
	}
	if handle != nil {
		handle(r, f)
	}
	r.cost(f)
	if r.lead == "" {
		r.lead = r.cause() // a child of a line without events refers to its parent
	}
	r.remember(int64(l.Seq), r.lead)
}

func (r *run) remember(seq int64, id string) {
	if seq == 0 || id == "" {
		return
	}
	if _, known := r.ids[seq]; !known {
		if len(r.sequence) >= maxParents {
			delete(r.ids, r.sequence[0])
			r.sequence = r.sequence[1:]
		}
		r.sequence = append(r.sequence, seq)
	}
	r.ids[seq] = id
}

// cause returns the event of the line's latest known parent.
func (r *run) cause() string {
	for i := len(r.now.Parent) - 1; i >= 0; i-- {
		if id := r.ids[r.now.Parent[i]]; id != "" {
			return id
		}
	}
	return ""
}

// tell emits an event of the run. Its id is derived from run, seq and line (EV-2).
func (r *run) tell(typ events.Type, data any) {
	source := transcript.SourceOf(Name)
	e := events.Event{
		ID:     events.DerivedID("adapter", source, r.native+"\x00"+r.now.hash+"\x00"+strconv.FormatInt(int64(r.now.Seq), 10), r.ordinal),
		Source: source, Type: typ, Subject: r.id, Time: r.last, Data: data,
		CausationID: r.cause(), Correlation: r.id, PartitionKey: r.id,
	}
	r.ordinal++
	if r.lead == "" {
		r.lead = e.ID
	}
	r.d.a.Pass(e)
}

// actor returns the actor of all these events.
func actor() runevents.Actor { return runevents.Actor{Kind: runevents.ActorOrchestrator, ID: Name} }

// verdicts maps ArcheFlow's words to the contract's.
var verdicts = map[string]string{
	"approved": "approved", "approve": "approved", "approved_with_notes": "approved", "approved_with_fixes": "approved", "pass": "approved",
	"rejected": "rejected", "reject": "rejected", "needs_changes": "rejected", "changes_requested": "rejected", "fail": "rejected",
	"clean": "clean", "minor": "minor", "blocking": "blocking",
}

func (r *run) verdict(f *fields) {
	verdict := verdicts[strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(string(f.Verdict)))]
	if verdict == "" {
		r.d.problem(r.now, "a review.verdict that neither approves nor rejects")
		return
	}
	reviewer := r.now.role(f)
	if reviewer == "" {
		r.d.problem(r.now, "a review.verdict without a reviewer")
		return
	}
	list := []runevents.Finding(f.Findings)
	known := r.files.fixes(list, reviewer, r.cycle)
	r.reviewed = true
	r.reviews = append(r.reviews, list...)
	r.reviews = r.reviews[:min(len(r.reviews), maxFindings)]
	duration := int64(f.DurationMS)
	if duration <= 0 {
		duration = r.durations[reviewer]
	}
	r.tell(runevents.TypeReviewCompleted, &runevents.ReviewCompleted{
		Actor: actor(), Reviewer: reviewer, Cycle: r.cycle, Verdict: verdict, Findings: withUnsaid(list, known), DurationMS: duration,
	})
}

// boundary ends a cycle. If its findings are unknown, the cycle is left out and reported: a cycle without
// findings would make findings appear and disappear (RW-30).
func (r *run) boundary(f *fields) {
	r.leave()
	list, known := r.open(f)
	if known {
		r.tell(runevents.TypeCycleCompleted, r.cycleCompleted(f, list))
	} else {
		r.d.problem(r.now, "a cycle.boundary without findings: neither an artifact nor a review has them; the cycle is left out")
	}
	r.found = r.found || len(list) > 0
	r.cycle++
	r.reviews, r.reviewed = nil, false
	clear(r.durations)
}

// open returns the findings of the cycle: those that the orchestrator consolidated, or else those of the
// cycle's reviews, each once.
func (r *run) open(f *fields) (list []runevents.Finding, known bool) {
	list, known, damaged := r.files.findings(r.cycle)
	if known && damaged == nil {
		return list, true
	}
	if damaged != nil {
		r.d.problem(r.now, "findings-cycle-%d.json %v", r.cycle, damaged)
	}
	list = once(r.reviews)
	if n := f.counted(); n != nil {
		return list, (*n == 0) == (len(list) == 0)
	}
	if r.reviewed {
		return list, true
	}
	return list, !r.found && damaged == nil && f.decided() != "continue" // there is more to do
}

// decided returns ArcheFlow's decision at the end of a cycle, in the contract's words.
func (f *fields) decided() string {
	return decisions[strings.ToLower(string(first(f.Decision, f.Next)))]
}

func (r *run) cycleCompleted(f *fields, list []runevents.Finding) *runevents.CycleCompleted {
	if strings.EqualFold(string(first(f.Decision, f.Next)), "merge") {
		putOff(list)
	}
	score := f.Convergence.value
	if score == nil {
		score = f.Score.value
	}
	if score == nil {
		score = r.files.score(r.cycle)
	}
	return &runevents.CycleCompleted{
		Actor: actor(), Cycle: r.cycle, Findings: list, ConvergenceScore: score,
		Decision: f.decided(), LimitReached: f.Exit == "max_cycles",
	}
}

// decisions maps ArcheFlow's decisions at the end of a cycle to the contract's.
var decisions = map[string]string{
	"cycle_back": "continue", "continue": "continue", "next_cycle": "continue",
	"merge": "stop", "stop": "stop", "escalate": "stop",
}

// putOff marks the warnings that a merge leaves behind: they do not block it, and they are not fixed
// (RW-15).
func putOff(list []runevents.Finding) {
	for i := range list {
		if list[i].Severity == runevents.SeverityWarning && (list[i].State == "" || list[i].State == "open") {
			list[i].State = "deferred"
		}
	}
}

// once drops findings that another reviewer reported as well: by id, or else by file, category and text.
func once(list []runevents.Finding) []runevents.Finding {
	var out []runevents.Finding
	seen := map[[4]string]bool{}
	for _, f := range list {
		key := [4]string{f.ID}
		if f.ID == "" {
			key = [4]string{"", f.File, f.Category, f.Text}
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}
