package wave

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// waveTested is the verification of a wave (WP-15): unscoped, by the gate rather than an
// agent (E10), and more than a build if tests exist (E13).
var waveTested = Rule{ID: "WP-15", On: run.Types(runevents.TypeTestCompleted), Run: run.With(func(c *Context, d *runevents.TestCompleted) {
	compiles := c.config.onlyCompiles(d.Suite)
	w := c.state.current()
	if d.Scope != "unscoped" {
		c.state.Tests = c.state.Tests || d.Suite != "" && !compiles
		return
	}
	if c.actor.Kind == runevents.ActorWaveAgent && w != nil && w.parallel() {
		if w.once(codeUnscopedByAgent + "/" + c.actor.ID) {
			c.judge(judgement{code: codeUnscopedByAgent, wave: w.Number, what: fmt.Sprintf("An agent%s ran an unscoped command in wave %d; agents verify their own part, the gate verifies all.", because(c.actor.ID), w.Number)})
		}
		return
	}
	if w != nil {
		c.verify(w, d.Passed, compiles)
	}
	c.state.Tests = c.state.Tests || d.Suite != "" && !compiles
})}

// verify moves the run according to an unscoped result. A result before the merge, or
// before a solo agent has any commit, has no effect.
func (c *Context) verify(w *Wave, passed, compiles bool) {
	done := w.Merged || w.solo() && w.LaunchAllowed && !w.running()
	if !done || c.state.Trip != nil || !slices.Contains([]Phase{WaveExecuting, WaveMerging, WaveVerified, Blocked}, c.state.Phase) {
		return
	}
	w.Unverified = !passed
	if !passed {
		w.Verified = false
		c.state.Phase, _ = c.state.may(onBlocked)
		return
	}
	if w.Tainted && !compiles {
		w.TaintTested = true
	}
	if len(w.blocking()) > 0 {
		return
	}
	if compiles && c.state.Tests {
		c.judge(judgement{code: codeCompileOnly, wave: w.Number, what: fmt.Sprintf("The verification of wave %d only compiled, and tests exist.", w.Number)})
	}
	if to, ok := c.state.may(onVerified); ok {
		c.state.Phase = to
		w.Verified = true
		w.forget()
		c.verifiedHook()
	}
}

// onlyCompiles reports whether the name of a suite mentions a build and no test.
func (c *Config) onlyCompiles(suite string) bool {
	words := strings.FieldsFunc(strings.ToLower(suite), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	in := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return (in(c.CompileWords) || containsAny(strings.Join(words, " "), c.CompilePhrases)) && !in(c.TestWords)
}
