package sessionreport

import (
	"cmp"
	"fmt"
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Kinds of what is said to an agent for its run.
const (
	kindCorrection = "correction"
	kindInterrupt  = "interrupt"
)

// ofSession reports an interrupt of the session's own detectors, which takes a
// unit of its budget; those of waves and pipelines do not (RW-40).
func ofSession(d *sessionevents.InterruptFired) bool {
	return d.Layer == "" || d.Layer == sessionevents.LayerSession
}

func addressedBy(d *sessionevents.InterruptFired) Addressed {
	return Addressed{
		ID: d.ID, Kind: kindInterrupt, Turn: d.Turn, Layer: d.Layer, Issue: cmp.Or(d.UrgencyLabel, d.Detector),
		Message: d.Message, Reason: d.Reason,
	}
}

// correction is identified by its event's id, as its delivery is.
func correction(id string, d *runevents.CorrectionIssued) Addressed {
	return Addressed{ID: id, Kind: kindCorrection, Layer: d.Layer, Issue: d.Issue, Step: d.Step, Message: d.Text}
}

// address keeps what was said to the agent for its run, once.
func (f notes) address(a Addressed) {
	if f.addressed(a.ID) != nil {
		return
	}
	if a.Turn == 0 {
		a.Turn = f.coverage.lastTurn
	}
	a.Deliveries = []Delivery{}
	f.forRun = append(f.forRun, &a)
	f.moment(a.Turn, a.Kind+" for the run", a.Issue+": "+a.Message)
}

func (f notes) addressed(id string) *Addressed {
	i := slices.IndexFunc(f.forRun, func(a *Addressed) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return f.forRun[i]
}

// answered keeps a fact about what was said for the run; it reports whether it
// was about this session's.
func (f notes) answered(id string, d Delivery) bool {
	a := f.addressed(id)
	if a == nil {
		return false
	}
	if !slices.Contains(a.Deliveries, d) {
		a.Deliveries = append(a.Deliveries, d)
	}
	return true
}

func (f notes) saidForRun() []Addressed {
	var all []Addressed
	for _, a := range f.forRun {
		said := *a
		said.Deliveries = append([]Delivery{}, a.Deliveries...)
		all = append(all, said)
	}
	return all
}

// Heading summarizes what was said in a few words, like the agent's headline.
func (a Addressed) Heading() string {
	if a.Kind == kindCorrection {
		return fmt.Sprintf("[Turn %d] CORRECTION: %s | STEP %d", a.Turn, a.Issue, a.Step)
	}
	return fmt.Sprintf("[Turn %d] INTERRUPT: %s | %s", a.Turn, a.Layer, a.Issue)
}

// Delivery returns how its delivery went.
func (a Addressed) Delivery() string {
	if len(a.Deliveries) == 0 {
		return "no delivery was reported"
	}
	return deliveriesText(a.Deliveries, 0)
}

// forRunTitle is the heading of what was said for the run.
const forRunTitle = "Said to the agent for its run (outside the budget)"
