package archeflow

import (
	"strconv"
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
