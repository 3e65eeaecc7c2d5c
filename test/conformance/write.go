package conformance

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// writer writes derived events as expectations show them.
type writer struct {
	show    string            // what a file asks for beside signals and decisions
	signals map[string]string // id → short name
	told    []string          // ids and short names of other events, in pairs
	reports map[string]*sessionreport.Fold
	text    strings.Builder
}

func newWriter(show string) *writer {
	return &writer{show: show, signals: map[string]string{}, reports: map[string]*sessionreport.Fold{}}
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// take returns what was written since the last call.
func (w *writer) take() string {
	text := w.text.String()
	w.text.Reset()
	if text == "" {
		return "nothing\n"
	}
	return text
}

func (w *writer) shows(what string) bool { return strings.Contains(w.show, what) }

// report folds a decision into its session's report, and says when the primary signals that it is done.
func (w *writer) report(e events.Event) {
	if !w.shows("reports") {
		return
	}
	fold := w.reports[e.Subject]
	if fold == nil {
		fold = sessionreport.New(e.Subject)
		w.reports[e.Subject] = fold
	}
	fold.Apply(e)
	turn, is := e.Data.(*sessionevents.TurnEvaluated)
	if n := fold.Result().Session.DoneTurn; is && sessionreport.EndsResponse(turn) && n > 0 {
		w.line("report: the session is open, its primary signalled in turn %d that it is done", n)
	}
}

func (w *writer) write(e events.Event) {
	w.report(e)
	switch d := e.Data.(type) {
	case *sessionevents.TurnSegmented:
		if w.shows("segments") {
			w.segmented(d)
		}
	case *sessionevents.Signal:
		w.signals[d.ID] = fmt.Sprintf("%s of turn %d about %q", d.Detector, d.Turn, d.Subject)
		fmt.Fprintf(&w.text, "%s ", e.Type)
		scenario.WriteSignal(&w.text, d)
	case *sessionevents.TurnEvaluated:
		w.evaluated(d)
	case *sessionevents.Disposition:
		into := ""
		if d.Into != "" {
			into = ", into " + w.signals[d.Into]
		}
		w.line("%s: %s, urgency %s, %s%s", e.Type, w.signals[d.Signal], d.Urgency, d.Reason, into)
	case *sessionevents.InterruptQueued:
		w.line("%s: %s, urgency %s, %s, position %d", e.Type, w.signals[d.Signal], d.Urgency, d.Reason, d.Position)
	case *sessionevents.InterruptFired:
		w.fired(d)
	case *events.TimerSet, *runevents.ControlChanged, *runevents.RunEvaluated, *runevents.RunJudged:
		if w.shows("all") || w.shows(string(e.Type)) {
			w.data(e)
		}
	default:
		w.data(e)
	}
}

// data prints an event unchanged, except that ids of earlier events are replaced by short names.
func (w *writer) data(e events.Event) {
	data, err := events.EncodeData(e)
	if err != nil {
		data = []byte(err.Error())
	}
	scenario.WriteData(&w.text, string(e.Type), []byte(strings.NewReplacer(w.told...).Replace(string(data))))
	w.told = append(w.told, e.ID, fmt.Sprintf("%s#%d", e.Type, len(w.told)/2+1))
}

func (w *writer) fired(d *sessionevents.InterruptFired) {
	queue := ""
	if d.FromQueue {
		queue = ", from the queue"
	}
	w.line("interrupt.fired: %s", d.Headline)
	w.line("  budget %d → %d, hold until %s, expires after turn %d%s", d.Budget.Before, d.Budget.After, d.HoldUntil, d.ExpiresTurn, queue)
	for _, id := range d.Signals {
		w.line("  for %s", w.signals[id])
	}
}

// evaluated shows what a turn's marker says beside its signals.
func (w *writer) evaluated(d *sessionevents.TurnEvaluated) {
	for _, p := range d.Pending {
		w.line("%s is %s: %s", w.signals[p.ID], p.Outcome, p.Why)
	}
	if d.Failed != "" {
		w.line("turn.evaluated %d failed: %s", d.Turn, d.Failed)
	}
	if d.Pause.Natural && w.shows("pauses") {
		w.line("turn.evaluated %d: natural pause, %s", d.Turn, d.Pause.Why)
	}
	if o := d.Observed; o != nil && w.shows("observed") {
		w.observed(d.Turn, o)
	}
}

func (w *writer) observed(turn int, o *sessionevents.Observations) {
	w.line("turn.evaluated %d: read %d, edited %s, +%d -%d, errors %d", turn, o.FilesRead, strings.Join(o.FilesEdited, " "), o.LinesAdded, o.LinesGone, o.Errors)
	for _, flag := range o.RedFlags {
		w.line("  %s in segment %d [%d+%d] %q", flag.ID, flag.Segment, flag.Offset, flag.Length, flag.Sentence)
	}
	if o.NoBaseline {
		w.line("  no scope baseline: D1 and D2 do not watch")
	}
	for _, name := range sortedKeys(o.Evicted) {
		w.line("  evicted from %s: %d", name, o.Evicted[name])
	}
}
