package wave

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// tested is the verification of a wave: unscoped, by the gate and not by an agent
// (E10), and more than a build where tests exist (E13).
func (a *act) tested(d *runevents.TestCompleted) {
	compiles := a.onlyCompiles(d.Suite)
	w := a.s.wave(a.s.Current)
	if d.Scope != "unscoped" {
		a.s.Tests = a.s.Tests || d.Suite != "" && !compiles
		return
	}
	if a.actor.Kind == runevents.ActorWaveAgent && w != nil && w.parallel() {
		if w.once(codeUnscopedByAgent + "/" + a.actor.ID) {
			a.judge(judgement{code: codeUnscopedByAgent, wave: w.Number, what: fmt.Sprintf("An agent%s ran an unscoped command in wave %d; agents verify their own part, the gate verifies all.", because(a.actor.ID), w.Number)})
		}
		return
	}
	if w != nil {
		a.verify(w, d.Passed, compiles)
	}
	a.s.Tests = a.s.Tests || d.Suite != "" && !compiles
}

// verify moves the run by an unscoped result. Before a merge, or while a solo
// agent has nothing to show, it says nothing.
func (a *act) verify(w *Wave, passed, compiles bool) {
	done := w.Merged || w.solo() && w.LaunchAllowed && !w.running()
	if !done || a.s.Trip != nil || !slices.Contains([]Phase{WaveExecuting, WaveMerging, WaveVerified, Blocked}, a.s.Phase) {
		return
	}
	w.Unverified = !passed
	if !passed {
		w.Verified = false
		a.s.Phase, _ = a.s.may(onBlocked)
		return
	}
	if w.Tainted && !compiles {
		w.TaintTested = true
	}
	if len(w.blocking()) > 0 {
		return
	}
	if compiles && a.s.Tests {
		a.judge(judgement{code: codeCompileOnly, wave: w.Number, what: fmt.Sprintf("The verification of wave %d only compiled, and tests exist.", w.Number)})
	}
	if to, ok := a.s.may(onVerified); ok {
		a.s.Phase = to
		w.Verified = true
		w.forget()
		a.verifiedHook()
	}
}

// onlyCompiles reports whether a suite's name says that it builds and tells of no
// test.
func (a *act) onlyCompiles(suite string) bool {
	words := strings.FieldsFunc(strings.ToLower(suite), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	in := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return (in(a.c.CompileWords) || containsAny(strings.Join(words, " "), a.c.CompilePhrases)) && !in(a.c.TestWords)
}
