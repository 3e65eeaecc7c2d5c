package preflight

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RuleDestructive is the detector that judges such an act after it has run.
const RuleDestructive = "E3"

// destructive answers for calls that destroy something that may be missed (E3): it turns
// the guard's verdict into an answer. What is overwritten is saved first.
func (c *Checker) destructive(call *Call) Answer {
	mode := c.config.Classes.Destructive
	if mode == ModeOff || call.Elsewhere {
		return allowed("")
	}
	facts := call.Facts
	if facts == nil {
		facts = guard.Blind{Workspace: call.Workspace, Why: "nobody can see the worktree"}
	}
	effects, reading := c.effects(call, facts)
	asked := c.guard.Permission(call.Said, call.Offer)
	if call.Permission != nil {
		asked = func(*destruct.Act) bool { return true }
	}
	verdict := c.guard.Judge(effects, facts, asked)
	answer := allowed("")
	answer.Programs, answer.Made = reading.Programs, reading.Makes
	for i := range verdict.Findings {
		answer = stricter(answer, c.found(call, &verdict.Findings[i], mode))
	}
	if answer.Decision == Deny {
		answer.Snapshots, answer.Kept = nil, nil
	}
	return c.observed(answer)
}

// effects are what a call would do to what may not come back, and how it was read.
type effects struct {
	list    []destruct.Effect
	reading destruct.Reading
}

// effects returns the effects of a call, and how it was read: as a shell command, or as a
// tool that writes files. A call is read once.
func (c *Checker) effects(call *Call, facts guard.Facts) ([]destruct.Effect, destruct.Reading) {
	if call.read == nil {
		call.read = &effects{}
		block := call.Block()
		directory := cmp.Or(call.Directory, call.Workspace)
		if command, _, ok := c.segmenter.Shell(&block); ok {
			call.read.list, call.read.reading = c.guard.Reader().Placed(command, directory, facts)
		} else {
			patches, whole := c.segmenter.Edited(&block)
			call.read.list = c.guard.Reader().EditEffects(destruct.EditsOf(patches, whole), directory, facts)
		}
	}
	return call.read.list, call.read.reading
}

// found returns the answer about one finding.
func (c *Checker) found(call *Call, f *guard.Finding, mode Mode) Answer {
	a := &f.Effect.Act
	if f.Asked {
		one := allowed("the person asked for it")
		one.Snapshots, one.Acts = snapshots(f), actsOf(f)
		if one.Permission = call.Permission; one.Permission != nil {
			one.Class, one.Rule, one.Reason = ClassDestructive, RuleDestructive, "a person allowed it once"
		} else if len(one.Snapshots) > 0 {
			one.Permission = &sessionevents.GuardPermission{How: sessionevents.GuardAsked}
		}
		return one
	}
	signal := sessionevents.Signal{Detector: RuleDestructive, Class: sessionevents.ClassE, Subject: a.Command}
	if reason, muted := c.muted(call, &signal); muted {
		return allowed(reason)
	}
	if f.Observed {
		return allowed("the pack " + f.Effect.Pack + " only watches: would have been " + string(f.Before))
	}
	one := Answer{
		Decision: Warn, Class: ClassDestructive, Rule: RuleDestructive, Begins: a.Shown(),
		Text: c.worded(a.Shown() + f.Says + ". " + f.Instead), Reason: a.Command + f.Says + ".", Snapshots: snapshots(f), Kept: f.Lost, Acts: actsOf(f),
	}
	switch {
	case f.Decision == guard.Deny && mode == ModeDeny:
		one.Decision = Deny
	case f.Decision == guard.Keep:
		one.OnlyKept = true
	}
	if one.Decision == Warn && f.Snapshot != "" && len(f.Lost) > 0 {
		one.Unkept = Unkept{Decision: mode.decision(), Text: c.worded(a.Shown() + f.Says + "; no snapshot was made. Copy it first, or ask the person.")}
	}
	return one
}

func snapshots(f *guard.Finding) []string {
	if f.Snapshot == "" {
		return nil
	}
	return []string{f.Snapshot}
}

// Writes returns the files that a call writes, as far as it names them.
func (c *Checker) Writes(call *Call) []string {
	block := call.Block()
	if _, effects, ok := c.segmenter.Shell(&block); ok {
		var out []string
		for _, a := range effects.Accesses {
			if a.Kind == "write" && a.Target != "" {
				out = append(out, a.Target)
			}
		}
		return out
	}
	return c.edited(&block)
}

// edited returns the files that a tool writes.
func (c *Checker) edited(block *sessionevents.Block) (out []string) {
	patches, _ := c.segmenter.Edited(block)
	for i := range patches {
		if patches[i].Path != "" && patches[i].Op != sessionevents.DiffDelete {
			out = append(out, patches[i].Path)
		}
	}
	return out
}

// Precious reports whether a file is one that Git seldom holds and that cannot be
// recreated.
func (c *Checker) Precious(name string) bool { return c.guard.Reader().Precious(name) }
