package readmodel

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
)

// Standing is how the work of a session stands (CO-11).
type Standing struct {
	// Debt is the rework cost of what was found and not put right, as its report weighs it (DP-31).
	Debt int
	// Circles are the detectors of spirals that found something again of late, by id.
	Circles []Circle
}

// Circle is a detector and how often it found something in the latest turns.
type Circle struct {
	Detector string
	Times    int
}

const (
	// lateTurns is how many turns back a finding says that a spiral grows.
	lateTurns = 10
	// growing is how many findings are a spiral.
	growing = 2
)

// standingQuery lists the signals of sessions in order, with what became of an interrupt about them.
const standingQuery = `SELECT s.session, s.detector, s.class, s.subject, s.turn, s.rework_cost, s.ending, s.capped,
 EXISTS (SELECT 1 FROM interrupts i WHERE i.session = s.session AND i.turn = s.end_turn AND i.heed = 'heeded'),
 EXISTS (SELECT 1 FROM interrupts i WHERE i.session = s.session AND i.turn = s.end_turn AND i.dismissed <> 0),
 (SELECT last_turn FROM sessions WHERE id = s.session)
 FROM signals s WHERE s.session IN (`

// seen is a signal as [standingQuery] lists it.
type seen struct {
	session, detector, class, subject, ending string
	turn, cost, last                          int
	capped, heeded, dismissed                 bool
}

// Debt says which classes of findings are debt, and which detectors see an agent go in circles.
type Debt struct{ Classes, Spirals []string }

// Standings returns how sessions stand, of those of which there is something to say.
func (q sessionQueries) Standings(ctx context.Context, sessions []Session, by Debt) (map[string]Standing, error) {
	folds := map[string]*standingFold{}
	if len(sessions) == 0 {
		return nil, nil
	}
	args := make([]any, len(sessions))
	for i := range sessions {
		args[i] = sessions[i].Session
	}
	marks := strings.TrimSuffix(strings.Repeat("?,", len(args)), ",")
	err := each(ctx, q.reader, "read how sessions stand", func(scan func(...any) error) error {
		var t seen
		if err := scan(
			&t.session, &t.detector, &t.class, &t.subject, &t.turn, &t.cost, &t.ending, &t.capped, &t.heeded, &t.dismissed, &t.last,
		); err != nil {
			return err
		}
		f := folds[t.session]
		if f == nil {
			f = &standingFold{things: map[[2]string]*debt{}, late: map[string]int{}}
			folds[t.session] = f
		}
		f.add(t, by)
		return nil
	}, standingQuery+marks+") ORDER BY s.session, s.sequence, s.id", args...)
	all := map[string]Standing{}
	for id, f := range folds {
		if s := f.standing(); s.Debt > 0 || len(s.Circles) > 0 {
			all[id] = s
		}
	}
	return all, err
}

type standingFold struct {
	things map[[2]string]*debt
	late   map[string]int
}

// debt is a thing that was found.
type debt struct {
	cost int
	open bool
}

func (f *standingFold) add(t seen, by Debt) {
	if t.ending == "coalesced" {
		return
	}
	gone := t.ending == "suppressed" || t.ending == "self_corrected"
	if slices.Contains(by.Spirals, t.detector) && !gone && t.turn > t.last-lateTurns {
		f.late[t.detector]++
	}
	if !slices.Contains(by.Classes, t.class) {
		return
	}
	thing := f.things[[2]string{t.detector, t.subject}]
	if thing == nil {
		thing = &debt{}
		f.things[[2]string{t.detector, t.subject}] = thing
	}
	thing.cost = max(thing.cost, t.cost)
	switch {
	case gone:
		thing.open = false
	case t.ending == endingFired:
		thing.open = !t.heeded && !t.dismissed
	default:
		thing.open = !t.capped
	}
}

func (f *standingFold) standing() (s Standing) {
	for _, d := range f.things {
		if d.open {
			s.Debt += d.cost
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(f.late), cmp.Compare[string]) {
		if n := f.late[id]; n >= growing {
			s.Circles = append(s.Circles, Circle{id, n})
		}
	}
	return s
}
