package backtest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Comparison compares what several sets of rules decide on the same input. The first set is the baseline
// for the others.
type Comparison struct {
	sides    []*side
	same     []map[string]string // for each side, ids of the first side whose decision has another id there
	input    int
	turns    int
	from, to time.Time
	sessions []string       // in order of their first turns
	seen     map[string]int // number of the input of each session's first turn
	only     string
}

// Options configure a comparison.
type Options struct {
	Sides int // number of rule sets
	// Only limits the comparison to one session or run; "" compares all.
	Only string
	// Totals keeps totals but no individual signals, for comparisons of many sides.
	Totals bool
}

// New returns an empty comparison.
func New(o Options) *Comparison {
	c := &Comparison{seen: map[string]int{}, only: o.Only}
	for range o.Sides {
		c.sides = append(c.sides, newSide(o.Totals))
		c.same = append(c.same, map[string]string{})
	}
	return c
}

// Take folds what each side derived from the next input, one list for each side.
func (c *Comparison) Take(derived [][]events.Event) { c.TakeAt(c.input+1, derived) }

// TakeAt is like Take, with the number of the input for comparisons that share one input.
func (c *Comparison) TakeAt(input int, derived [][]events.Event) {
	c.input = input
	var first []*fact
	for i, list := range derived {
		var facts []*fact
		for _, e := range list {
			if c.only != "" && e.Subject != c.only {
				continue
			}
			if i == 0 {
				c.note(e)
			}
			if f := c.sides[i].take(e, c.input); f != nil {
				facts = append(facts, f)
			}
		}
		if i == 0 {
			first = facts
			continue
		}
		c.identify(i, first, facts)
	}
}

// note counts turns and sessions.
func (c *Comparison) note(e events.Event) {
	turn, ok := e.Data.(*sessionevents.TurnEvaluated)
	if !ok {
		return
	}
	c.turns++
	if _, seen := c.seen[turn.Session]; !seen {
		c.seen[turn.Session] = c.input
		c.sessions = append(c.sessions, turn.Session)
	}
	c.within(e.Time, e.Time)
}

// within extends the period that is compared.
func (c *Comparison) within(from, to time.Time) {
	if !from.IsZero() && (c.from.IsZero() || from.Before(c.from)) {
		c.from = from
	}
	if to.After(c.to) {
		c.to = to
	}
}

// Join adds a comparison of other sessions and runs from the same input.
func (c *Comparison) Join(other *Comparison) {
	for i, side := range other.sides {
		maps.Copy(c.sides[i].groups, side.groups)
		c.sides[i].totals.add(side.totals)
	}
	maps.Copy(c.seen, other.seen)
	c.sessions = append(c.sessions, other.sessions...)
	slices.SortFunc(c.sessions, func(a, b string) int { return cmp.Compare(c.seen[a], c.seen[b]) })
	c.turns += other.turns
	c.within(other.from, other.to)
}

// identify records which decisions about an input are the same on both sides under different ids, because
// other events of that input precede them.
func (c *Comparison) identify(side int, first, facts []*fact) {
	for _, was := range first {
		if was.kind == view.KindSignal || was.kind == view.KindQueue {
			continue // no event refers to these
		}
		same := ""
		for i, is := range facts {
			if is != nil && is.group == was.group && is.key() == was.key() {
				same, facts[i] = is.id, nil
				break
			}
		}
		if same != was.id {
			c.same[side][was.id] = same
		}
	}
}

// As returns a recorded input as a side has to fold it: what refers to an interrupt or a break of the first
// side refers to the same one of that side, or to none.
func (c *Comparison) As(side int, e events.Event) events.Event {
	switch d := e.Data.(type) {
	case *sessionevents.InterruptDelivery:
		if id, differs := c.same[side][d.Interrupt]; differs {
			copied := *d
			copied.Interrupt = other(id, d.Interrupt)
			e.Data, e.Raw = &copied, nil
		}
	case *runevents.OperatorAct:
		if id, differs := c.same[side][d.Target]; differs {
			copied := *d
			copied.Target = other(id, d.Target)
			e.Data, e.Raw = &copied, nil
		}
	}
	return e
}

// other returns the id on the other side. What is not decided there keeps an id that matches nothing.
func other(id, was string) string {
	if id == "" {
		return "not-decided:" + was
	}
	return id
}
