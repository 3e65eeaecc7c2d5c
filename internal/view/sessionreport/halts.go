package sessionreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Halt is a break of the session itself (RW-35), or a halt of its run that it did
// not obey (RW-33).
type Halt struct {
	Break   string                 `json:"break"` // id of the wiggum.break
	Turn    int                    `json:"turn"`
	Kind    runevents.BreakKind    `json:"kind,omitempty"` // empty: the run's
	Trigger runevents.BreakTrigger `json:"trigger,omitempty"`
	Reason  string                 `json:"reason"`
	After   int                    `json:"turns_after_it,omitempty"` // that came though it was halted
	Open    []string               `json:"open_escalations"`         // ids nobody acknowledged (RW-41)
	Resumed string                 `json:"resumed,omitempty"`        // by whom and why
}

// haltsTitle is the heading of the session's halts.
const haltsTitle = "Halts"

// Heading describes the halt in a few words.
func (h Halt) Heading() string {
	if h.Kind == "" {
		return fmt.Sprintf("[Turn %d] HALT OF THE RUN, not obeyed", h.Turn)
	}
	return fmt.Sprintf("[Turn %d] %s BREAK: %s", h.Turn, strings.ToUpper(string(h.Kind)), h.Trigger)
}

// State returns the halt's outcome.
func (h Halt) State() string {
	var words []string
	if h.After > 0 {
		words = append(words, page.Plural(h.After, "turn")+" came after it")
	}
	if n := len(h.Open); n > 0 {
		words = append(words, page.Plural(n, "escalation")+" for a person open")
	}
	if h.Resumed != "" {
		words = append(words, "resumed by "+h.Resumed)
	} else {
		words = append(words, "not resumed")
	}
	return strings.Join(words, "; ")
}

func (f notes) broke(id string, d *runevents.WiggumBreak) {
	if f.halt(id) != nil {
		return
	}
	f.halts = append(f.halts, Halt{Break: id, Turn: d.Turn, Kind: d.Kind, Trigger: d.Trigger, Reason: d.Reason})
	f.moment(d.Turn, string(d.Kind)+" break", string(d.Trigger)+": "+d.Reason)
}

func (f notes) ignoredHalt(d *runevents.HaltIgnored) {
	h := f.halt(d.Break)
	if h == nil {
		f.halts = append(f.halts, Halt{Break: d.Break, Turn: d.Turn, Reason: d.Reason})
		h = &f.halts[len(f.halts)-1]
	}
	h.After = max(h.After+1, d.Count)
	f.moment(d.Turn, "halt ignored", d.Reason)
}

// escalated keeps what a person was asked about the session's last halt; a
// reminder is the same question.
func (f notes) escalated(id string, d *runevents.EscalationRaised) bool {
	if len(f.halts) == 0 || d.Reminder {
		return false
	}
	h := &f.halts[len(f.halts)-1]
	if !slices.Contains(h.Open, id) {
		h.Open = append(h.Open, id)
	}
	return true
}

// answeredHalt takes a person's answer; it reports whether it was about a halt.
func (f notes) answeredHalt(d *runevents.OperatorAct) bool {
	found := false
	for i := range f.halts {
		h := &f.halts[i]
		switch {
		case d.Act == "ack" && slices.Contains(h.Open, d.Target):
			h.Open, found = slices.DeleteFunc(h.Open, func(id string) bool { return id == d.Target }), true
		case d.Act == runevents.ActResume && d.Session == f.session.ID && h.Resumed == "":
			h.Resumed, h.Open, found = d.By+": "+d.Why, nil, true
			f.moment(f.coverage.lastTurn, "resumed", "by "+h.Resumed)
		}
	}
	return found
}

func (f notes) halt(id string) *Halt {
	i := slices.IndexFunc(f.halts, func(h Halt) bool { return h.Break == id })
	if i < 0 {
		return nil
	}
	return &f.halts[i]
}

func (f notes) haltsSoFar() []Halt {
	var all []Halt
	for _, h := range f.halts {
		h.Open = append([]string{}, h.Open...)
		all = append(all, h)
	}
	return all
}
