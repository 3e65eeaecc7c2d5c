package ledger

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// actLine is a command line that performs acts. Its commands share an output and an exit code, so that what
// one of them says or comes to tells nothing of the others (JD-2): in "git commit -q … && git push" a push that
// is rejected fails the line, and the commit is there.
type actLine struct {
	steps  []shell.Step
	kinds  [][]*actKind // of each step
	output string
	failed bool
	tested bool // a check of the line counted tests, so that it ran
}

func newActLine(d *digest, s *sessionevents.Segment, output string) *actLine {
	l := &actLine{steps: d.c.commands.Steps(s.Tool.Command), output: output, failed: checkReader{d}.failed(s)}
	l.kinds = make([][]*actKind, len(l.steps))
	for i := range l.steps {
		line := commandOf(&l.steps[i])
		for n := range d.c.Acts {
			if k := &d.c.Acts[n]; k.Command != nil && k.Command.MatchString(line) && !d.c.Rehearses.MatchString(line) {
				l.kinds[i] = append(l.kinds[i], k)
			}
		}
	}
	l.tested = slices.ContainsFunc(s.Checks, func(c sessionevents.Check) bool { return c.Passed+c.Failed > 0 })
	return l
}

func commandOf(step *shell.Step) string {
	return strings.TrimSpace(step.Name + " " + strings.Join(step.Args, " "))
}

// result returns what an act of a step came to.
func (l *actLine) result(k *actKind, at int) (sessionevents.CheckResult, string) {
	if code, shown := l.steps[at].Code.In(l.output); shown && l.steps[at].Code.Exit == shell.ExitExact {
		return k.result(l.output, code != 0)
	}
	alone := !slices.ContainsFunc(l.steps[at+1:], l.mayFail)
	if !l.failed || alone || k.Succeeded != nil && k.Succeeded.MatchString(l.output) {
		return k.result(l.output, l.failed)
	}
	if l.steps[at].Exit == shell.ExitZero && len(l.steps[at].After) == 0 && l.wentOn(at) {
		return sessionevents.CheckPassed, ""
	}
	if says := k.refusal(l.output); says != "" && l.ownedBy(at, says) {
		return sessionevents.CheckFailed, says
	}
	return sessionevents.CheckUnknown, ""
}

// mayFail reports whether a step does more than look at what is there.
func (l *actLine) mayFail(step shell.Step) bool {
	return !slices.Contains(idle, step.Name) || l.acts(step)
}

func (l *actLine) acts(step shell.Step) bool {
	for i := range l.steps {
		if len(l.kinds[i]) > 0 && commandOf(&l.steps[i]) == commandOf(&step) {
			return true
		}
	}
	return false
}

// wentOn reports whether something after a step is known to have run, in a line that stops at what fails.
func (l *actLine) wentOn(at int) bool {
	others := func(step shell.Step) bool { return l.mayFail(step) && !l.acts(step) }
	if l.tested && !slices.ContainsFunc(l.steps[:at], others) {
		return true
	}
	for i := at + 1; i < len(l.steps); i++ {
		for _, k := range l.kinds[i] {
			if says := k.refusal(l.output); says != "" && l.ownedBy(i, says) ||
				k.Succeeded != nil && k.Succeeded.MatchString(l.output) {
				return true
			}
		}
	}
	return false
}

// ownedBy reports whether no other step can have printed a refusal.
func (l *actLine) ownedBy(at int, says string) bool {
	for i, step := range l.steps {
		if i == at {
			continue
		}
		if len(l.kinds[i]) == 0 && l.mayFail(step) {
			return false
		}
		for _, k := range l.kinds[i] {
			if k.Refused != nil && k.Refused.MatchString(says) {
				return false
			}
		}
	}
	return true
}
