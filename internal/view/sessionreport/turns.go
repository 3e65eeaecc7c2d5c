package sessionreport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// editsShown is how many names of edited files a turn keeps.
const editsShown = 10

// Turn is what happened in one turn, for the timeline (DP-31).
type Turn struct {
	Number     int      `json:"turn"`
	Failed     string   `json:"failed,omitempty"`  // why it was not evaluated
	Missing    bool     `json:"missing,omitempty"` // its number never came
	Reads      int      `json:"files_read,omitempty"`
	Calls      int      `json:"tool_calls,omitempty"`
	Edits      int      `json:"files_edited,omitempty"`
	Edited     []string `json:"edited,omitempty"`      // the first ten
	TestsAdded int      `json:"tests_added,omitempty"` // less those removed
	LinesAdded int      `json:"lines_added,omitempty"`
	LinesGone  int      `json:"lines_removed,omitempty"`
	Errors     int      `json:"errors,omitempty"`
	RedFlags   []string `json:"red_flags,omitempty"`  // ids
	Signals    []string `json:"signals,omitempty"`    // ids of those detected in it
	Interrupts []string `json:"interrupts,omitempty"` // ids of those fired in it
	Pause      string   `json:"pause,omitempty"`      // why it ended at a natural pause (DP-16)
	Budget     int      `json:"budget"`               // interrupts left after it

	seen  bool // its marker came
	level *int // the budget it ended with, where it changed
}

// row returns the entry of a turn; beyond the limit, one that is discarded.
func (f *Fold) row(number int) *Turn {
	number = max(number, 1)
	if t := f.rows[number]; t != nil {
		return t
	}
	t := &Turn{Number: number}
	if len(f.rows) < f.settings.Limits.Turns {
		f.rows[number] = t
	} else {
		f.rowsCut[number] = true
	}
	return t
}

// spent records the remaining budget at the end of a turn.
func (f *Fold) spent(turn int) {
	left := f.left
	f.row(turn).level = &left
}

// evaluated takes over what the evaluator observed.
func (t *Turn) evaluated(d *sessionevents.TurnEvaluated) {
	t.seen, t.Failed, t.Pause = true, d.Failed, string(d.Pause.Why)
	o := d.Observed
	if o == nil {
		return
	}
	t.Reads, t.Errors, t.LinesAdded, t.LinesGone, t.TestsAdded = o.FilesRead, o.Errors, o.LinesAdded, o.LinesGone, o.TestsAdded
	t.Calls = o.Segments[sessionevents.SegmentTool]
	t.Edits = len(o.FilesEdited)
	t.Edited = slices.Clone(o.FilesEdited[:min(t.Edits, editsShown)])
	for _, hit := range o.RedFlags {
		t.RedFlags = append(t.RedFlags, hit.ID)
	}
	slices.Sort(t.RedFlags)
	t.RedFlags = slices.Compact(t.RedFlags)
}

// turns returns the rows by number, each with the remaining budget, and the gaps between them, so that a
// chart shows what was not watched (DP-33).
func (f closing) turns() []Turn {
	numbers := slices.Sorted(maps.Keys(f.rows))
	all := make([]Turn, 0, len(numbers))
	left, next := f.budget, 1
	for _, n := range numbers {
		for ; n > next && next > 0 && len(all) < f.settings.Limits.Turns && !f.rowsCut[next]; next++ {
			all = append(all, Turn{Number: next, Missing: true, Budget: left})
		}
		t := *f.rows[n]
		if t.level != nil {
			left = *t.level
		}
		t.Budget, t.Missing, t.level = left, !t.seen && n < f.coverage.lastTurn, nil
		t.seen = false
		t.Signals, t.Interrupts = slices.Clone(t.Signals), slices.Clone(t.Interrupts)
		all = append(all, t)
		next = n + 1
	}
	return all
}

// Summary returns one line for lists; untrusted parts are cleaned.
func Summary(m Model) string {
	text := naming.Brief(m.Session.ID)
	if text != m.Session.ID {
		text = strings.TrimSpace(text + " " + naming.Title(m.Session.Workspace, m.Session.Task)) // CO-5
	}
	text += ": " + figures(m)
	if n := len(m.Health.Open); n > 0 {
		text += ", " + page.Plural(n, "thing") + " left open"
	}
	if !m.Coverage.whole() {
		text += ", " + notWatched(m.Coverage)
	}
	return page.Plain(text)
}

// figures says in one line how long a session was and what happened in it.
func figures(m Model) string {
	list := []string{page.Plural(m.Turns, "turn")}
	if m.Prevented != nil {
		list = append(list, m.Prevented.Text())
	}
	if text := m.told(); text != "" {
		list = append(list, strings.TrimPrefix(text, "It "))
	}
	if n := len(m.NotSent) + len(m.Logged); n > 0 {
		list = append(list, page.Plural(n, "smaller finding"))
	}
	if len(list) == 1 && m.Coverage.whole() {
		list = append(list, "nothing to say")
	}
	return strings.Join(list, ", ")
}

// firedOf says how much of the budget was used; deliveries from the queue are counted separately, since they
// are not charged (DP-31).
func firedOf(m Model) string {
	queued := 0
	for _, i := range m.Interrupts {
		if i.FromQueue {
			queued++
		}
	}
	text := fmt.Sprintf("%d/%d", len(m.Interrupts)-queued, m.Budget)
	if queued > 0 {
		text += fmt.Sprintf(", and %d from the queue", queued)
	}
	return text
}

// numbers returns the template's four figures in one line.
func numbers(m Model) string {
	list := []string{page.Plural(m.Turns, "turn")}
	if m.Prevented != nil {
		list = append(list, m.Prevented.Text())
	}
	if len(m.Interrupts) > 0 || m.Prevented == nil {
		list = append(
			list,
			firedOf(m)+" interrupts",
		) // GD-21: where a call was denied, "0 interrupts" says too little
	}
	return strings.Join(
		append(list, fmt.Sprintf("%d queued", len(m.NotSent)), fmt.Sprintf("%d logged", len(m.Logged))),
		", ",
	)
}
