package readmodel

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Kinds of what waits for a person, as they are counted.
const (
	waitEscalation = "escalation" // RW-41
	waitQuestion   = "question"   // PL-36
)

// wait names one of a run.
type wait struct{ kind, id string }

// waiting is what waits for a person, with what it is about.
func waiting(s *runlist.State) map[wait]string {
	open := map[wait]string{}
	for i := range s.Run.Escalations {
		open[wait{waitEscalation, s.Run.Escalations[i].ID}] = s.Run.Escalations[i].Issue
	}
	for i := range s.Run.Questions {
		open[wait{waitQuestion, s.Run.Questions[i].RequestID}] = s.Run.Questions[i].Question
	}
	return open
}

// waits keeps what an event raised and what it ended.
func (b runRows) waits(r *run, ev events.Event, before map[wait]string) error {
	ending, author := ends(ev)
	now := waiting(&r.listed)
	for _, w := range sortedWaits(before) {
		if _, open := now[w]; open || ending == "" {
			continue // one that left for lack of room in its list still waits
		}
		if err := b.endWait(r, w, ending, author); err != nil {
			return err
		}
	}
	for _, w := range sortedWaits(now) {
		if _, known := before[w]; known {
			continue
		}
		if err := b.raise(r, w, now[w]); err != nil {
			return err
		}
	}
	return nil
}

func sortedWaits(open map[wait]string) []wait {
	return slices.SortedFunc(maps.Keys(open), func(a, b wait) int { return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.id, b.id)) })
}

// ends says how an event ends what waits, and who did it; "" where it does not.
func ends(ev events.Event) (ending, author string) {
	switch d := ev.Data.(type) {
	case *runevents.OperatorAct:
		return "answered", d.By
	case *runevents.ClarificationAnswered:
		return "answered", cmp.Or(d.By, d.Actor.ID)
	case *runevents.ControlChanged: // the break that it reports is over (RW-34)
		return "resumed", d.Who
	case *runevents.RunEvaluated:
		return "resumed", ""
	case *runevents.WiggumBreak:
		return "superseded", ""
	case *runevents.ClarificationDefaulted:
		return "defaulted", ""
	}
	return "", ""
}

// raise keeps what begins to wait; a question that is asked again waits again.
func (b runRows) raise(r *run, w wait, issue string) error {
	size := rowSize(w.id, issue)
	var before int64
	err := b.scan("SELECT size FROM waits WHERE run = ? AND kind = ? AND id = ?", []any{r.id, w.kind, w.id}, &before)
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		err = b.run("INSERT OR REPLACE INTO waits VALUES (?,?,?,?,?,?,?,?,0,'','',?)", r.id, w.kind, w.id, b.position.Sequence, b.dayNow(), r.project, short(issue), b.now, size)
	}
	if err != nil {
		return fmt.Errorf("keep %s %s: %w", w.kind, w.id, err)
	}
	b.growRun(r, size-before)
	b.countRun(r, w.kind, "", "raised")
	return nil
}

// endWait counts on the day and for the project that it was raised in.
func (b runRows) endWait(r *run, w wait, ending, author string) error {
	var day, project string
	err := b.scan("UPDATE waits SET ended = max(?, raised, 1), ending = ?, author = ? WHERE run = ? AND kind = ? AND id = ? AND ended = 0 RETURNING day, project",
		[]any{b.now, ending, short(author), r.id, w.kind, w.id}, &day, &project)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // its row left
	}
	if err != nil {
		return fmt.Errorf("end %s %s: %w", w.kind, w.id, err)
	}
	b.countRuns(map[runCounter]int64{{day, project, w.kind, "", ending}: 1}, 1)
	return nil
}
