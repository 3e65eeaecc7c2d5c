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

// breaches finds files, commands and calls against constraints that were read into objects (PD-10).
type breaches struct{ *turn }

// limits are what the task, the user's messages and instruction files forbid or
// limit, as objects that a file or command can be checked against (PD-10). A text is
// read once in a session.
func (k *breaches) limits() []constraint.Constraint {
	b := k.Baseline()
	now := [3]int{len(b.Constraints), b.Evicted, len(k.memory.Instructions)}
	if k.memory.limits != nil && k.memory.limitsOf == now {
		return k.memory.limits
	}
	k.memory.limits, k.memory.limitsOf = []constraint.Constraint{}, now
	for _, text := range b.Constraints {
		if !k.Soft.MatchString(text) {
			k.memory.limits = append(k.memory.limits, k.constraints.Read(text)...)
		}
	}
	for _, i := range k.memory.Instructions {
		if k.Soft.MatchString(i.Text) || k.Conditional.MatchString(i.Text) {
			continue
		}
		for _, c := range k.constraints.Read(i.Text) {
			if len(c.Commands) > 0 || len(c.Paths) > 0 && !c.Only { // the rest is about work of another day
				k.memory.limits = append(k.memory.limits, c)
			}
		}
	}
	return k.memory.limits
}

// breaks judges what a call of the shell runs and writes against what was stated.
func (k *breaches) breaks(s *sessionevents.Segment) {
	limits := k.limits()
	if len(limits) == 0 || s.Tool == nil || s.Rejected {
		return
	}
	if s.Tool.Canonical != sessionevents.ToolShell {
		for i := range limits {
			k.breach(&limits[i], s, k.constraints.Tool(&limits[i], string(s.Tool.Canonical)), "The turn calls "+quote.Name(s.Tool.Name))
		}
		return
	}
	invocations := k.commands.Invocations(s.Tool.Command)
	swept := k.destructive.Read(s.Tool.Command).Swept
	for i := range limits {
		c := &limits[i]
		for _, folder := range swept {
			k.breach(c, s, k.constraints.File(c, constraint.Delete, folder), "The turn deletes below "+quote.Path(folder))
		}
		breach, breaking := k.constraints.Line(c, s.Tool.Command), (*shell.Invocation)(nil)
		for j := range invocations {
			if b := k.constraints.Command(c, &invocations[j], s.Tool.Command); b.Strength > breach.Strength {
				breach, breaking = b, &invocations[j]
			}
		}
		if !k.lifted(c) {
			k.breach(c, s, breach, "The turn runs "+program(breaking))
		}
		for _, w := range k.Additions.FilesWritten {
			if w.Segment != s.Index || w.Item.Path == "" || c.Only && (k.isScratch(w.Item.Path) && !w.Item.Gone || k.inScratchDir(w.Item.Path)) {
				continue
			}
			verb, act := constraint.Change|constraint.Create, "The turn writes "
			if w.Item.Gone {
				verb, act = constraint.Delete, "The turn deletes "
			}
			k.breach(c, s, k.constraints.File(c, verb, w.Item.Path), act+quote.Path(w.Item.Path))
		}
	}
}

// lifted reports whether a message after the one that stated a constraint allows the act.
func (k *breaches) lifted(c *constraint.Constraint) bool {
	if len(c.Ideas) == 0 {
		return false
	}
	stated := 0
	for _, r := range k.Baseline().Requests {
		if stated > 0 && r.Turn > stated && c.Lifts(r.Text) {
			return true
		}
		if strings.Contains(r.Text, c.Text) {
			stated = r.Turn
		}
	}
	return stated < k.Turn.Turn && slices.ContainsFunc(k.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Kind == sessionevents.SegmentUser && c.Lifts(s.Text)
	})
}

// breaksFile judges an edit against what was stated.
func (k *breaches) breaksFile(e *edit) {
	if len(e.segment.Diff.Hunks) == 0 || k.isScratch(e.file) {
		return
	}
	verb := constraint.Change
	switch e.segment.Diff.Op {
	case sessionevents.DiffCreate:
		verb = constraint.Create
	case sessionevents.DiffDelete:
		verb = constraint.Delete
	}
	if k.made(e.file) {
		verb = constraint.Create // what the session made is not what was meant by "do not change"
	}
	limits := k.limits()
	for i := range limits {
		k.breach(&limits[i], e.segment, k.constraints.File(&limits[i], verb, e.file), "The turn changes "+quote.Path(e.file))
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
func (k *breaches) breach(c *constraint.Constraint, s *sessionevents.Segment, b constraint.Breach, act string) {
	if b.Strength == constraint.None {
		return
	}
	confidence := map[constraint.Strength]float64{constraint.Path: k.Confidence.BreachedPath, constraint.Named: k.Confidence.BreachedName, constraint.Other: k.Confidence.Breached}[b.Strength]
	evidence := detect.Whole(s)
	evidence.ConflictsWith = &sessionevents.EarlierEvent{What: detect.Quote(c.Text)}
	k.report(contradiction{
		rule: c.Text, subclass: "constraint", thing: b.What, cost: contraryCost, confidence: confidence, evidence: evidence,
		message: fmt.Sprintf("%s, but %s. Undo it, or ask first.", act, clause("a stated constraint", k.whole(c.Text))),
		reason:  fmt.Sprintf("%s, but a stated constraint says: %s.", act, k.quoted(c.Text)),
	})
}
