package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/constraint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// limits are what the task, the user's messages and instruction files forbid or
// limit, as objects that a file or command can be checked against (PD-10). A text is
// read once in a session.
func (t *turn) limits() []constraint.Constraint {
	b := t.Baseline()
	now := [3]int{len(b.Constraints), b.Evicted, len(t.memory.Instructions)}
	if t.memory.limits != nil && t.memory.limitsOf == now {
		return t.memory.limits
	}
	t.memory.limits, t.memory.limitsOf = []constraint.Constraint{}, now
	for _, text := range b.Constraints {
		if !t.Soft.MatchString(text) {
			t.memory.limits = append(t.memory.limits, t.constraints.Read(text)...)
		}
	}
	for _, i := range t.memory.Instructions {
		if t.Soft.MatchString(i.Text) || t.Conditional.MatchString(i.Text) {
			continue
		}
		for _, c := range t.constraints.Read(i.Text) {
			if len(c.Commands) > 0 || len(c.Paths) > 0 && !c.Only { // the rest is about work of another day
				t.memory.limits = append(t.memory.limits, c)
			}
		}
	}
	return t.memory.limits
}

// breaks judges what a call of the shell runs and writes against what was stated.
func (t *turn) breaks(s *sessionevents.Segment) {
	limits := t.limits()
	if len(limits) == 0 || s.Tool == nil || s.Rejected {
		return
	}
	if s.Tool.Canonical != sessionevents.ToolShell {
		for i := range limits {
			t.breach(&limits[i], s, t.constraints.Tool(&limits[i], string(s.Tool.Canonical)), "The turn calls "+quote.Name(s.Tool.Name))
		}
		return
	}
	invocations := t.commands.Invocations(s.Tool.Command)
	swept := t.destructive.Read(s.Tool.Command).Swept
	for i := range limits {
		c := &limits[i]
		for _, folder := range swept {
			t.breach(c, s, t.constraints.File(c, constraint.Delete, folder), "The turn deletes below "+quote.Path(folder))
		}
		breach, breaking := t.constraints.Line(c, s.Tool.Command), (*shell.Invocation)(nil)
		for j := range invocations {
			if b := t.constraints.Command(c, &invocations[j], s.Tool.Command); b.Strength > breach.Strength {
				breach, breaking = b, &invocations[j]
			}
		}
		if !t.lifted(c) {
			t.breach(c, s, breach, "The turn runs "+program(breaking))
		}
		for _, w := range t.Additions.FilesWritten {
			if w.Segment != s.Index || w.Item.Path == "" || c.Only && (t.isScratch(w.Item.Path) && !w.Item.Gone || t.inScratchDir(w.Item.Path)) {
				continue
			}
			verb, act := constraint.Change|constraint.Create, "The turn writes "
			if w.Item.Gone {
				verb, act = constraint.Delete, "The turn deletes "
			}
			t.breach(c, s, t.constraints.File(c, verb, w.Item.Path), act+quote.Path(w.Item.Path))
		}
	}
}

// lifted reports whether a message after the one that stated a constraint allows the act.
func (t *turn) lifted(c *constraint.Constraint) bool {
	if len(c.Ideas) == 0 {
		return false
	}
	stated := 0
	for _, r := range t.Baseline().Requests {
		if stated > 0 && r.Turn > stated && c.Lifts(r.Text) {
			return true
		}
		if strings.Contains(r.Text, c.Text) {
			stated = r.Turn
		}
	}
	return stated < t.Turn.Turn && slices.ContainsFunc(t.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Kind == sessionevents.SegmentUser && c.Lifts(s.Text)
	})
}

// breaksFile judges an edit against what was stated.
func (t *turn) breaksFile(e *edit) {
	if len(e.segment.Diff.Hunks) == 0 || t.isScratch(e.file) {
		return
	}
	verb := constraint.Change
	switch e.segment.Diff.Op {
	case sessionevents.DiffCreate:
		verb = constraint.Create
	case sessionevents.DiffDelete:
		verb = constraint.Delete
	}
	if t.made(e.file) {
		verb = constraint.Create // what the session made is not what was meant by "do not change"
	}
	limits := t.limits()
	for i := range limits {
		t.breach(&limits[i], e.segment, t.constraints.File(&limits[i], verb, e.file), "The turn changes "+quote.Path(e.file))
	}
}

// program names a command by its program and what it does: "git push".
func program(i *shell.Invocation) string {
	if i == nil {
		return "a command"
	}
	name := quote.Name(path.Base(i.Name))
	if len(i.Args) > 0 && subcommand.MatchString(i.Args[0]) {
		name += " " + i.Args[0]
	}
	return name
}

var subcommand = pattern.Must(`^[a-z][a-z:-]*$`)

// breach reports what goes against a constraint.
func (t *turn) breach(c *constraint.Constraint, s *sessionevents.Segment, b constraint.Breach, act string) {
	if b.Strength == constraint.None {
		return
	}
	confidence := map[constraint.Strength]float64{constraint.Path: t.Confidence.BreachedPath, constraint.Named: t.Confidence.BreachedName, constraint.Other: t.Confidence.Breached}[b.Strength]
	evidence := detect.Whole(s)
	evidence.ConflictsWith = &sessionevents.EarlierEvent{What: detect.Quote(c.Text)}
	t.report(contradiction{
		rule: c.Text, subclass: "constraint", thing: b.What, cost: contraryCost, confidence: confidence, evidence: evidence,
		message: fmt.Sprintf("%s, but %s. Undo it, or ask first.", act, clause("a stated constraint", t.whole(c.Text))),
		reason:  fmt.Sprintf("%s, but a stated constraint says: %s.", act, t.quoted(c.Text)),
	})
}
